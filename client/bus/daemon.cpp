// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/bus/daemon.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <system_error>
#include <utility>

#include "client/bus/daemon_bus.hpp"
#include "client/rows/interval_points.hpp"

namespace netperfctl {
namespace {

dbus::Row start_row(const StartOptions& options) {
  dbus::Row row;
  if (!options.overrides.empty()) row.emplace("overrides", options.overrides);
  if (options.label) row.emplace("label", *options.label);
  if (options.repeat) row.emplace("repeat", *options.repeat);
  if (options.purpose) row.emplace("purpose", *options.purpose);
  if (options.tied) row.emplace("tie_to_caller", true);
  if (options.confirms) row.emplace("confirms", *options.confirms);
  if (options.force) row.emplace("force", true);
  if (options.plan) row.emplace("plan", sdbus::Variant{plan_row(*options.plan)});
  return row;
}

dbus::Row filter_row(const RunFilter& filter) {
  dbus::Row row;
  const auto add = [&row](const char* key, const auto& value) {
    if (value) row.emplace(key, *value);
  };
  add("job", filter.job);
  add("scenario", filter.scenario);
  add("label", filter.label);
  add("state", filter.state);
  add("since", filter.since_us);
  add("until", filter.until_us);
  add("purpose", filter.purpose);
  add("selection", filter.selection);
  add("owner", filter.owner);
  return row;
}

Outcome<std::string> read_all(int fd) {
  std::string text;
  std::array<char, 65536> chunk{};
  for (;;) {
    const ssize_t got = ::read(fd, chunk.data(), chunk.size());
    if (got == 0) return text;
    if (got > 0) {
      text.append(chunk.data(), static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      return fail(Exit::other, "the document cannot be read: " + std::generic_category().message(errno));
    }
  }
}

// Whether the daemon is on this bus. A call to it would start it.
bool is_on(const dbus::Connection& connection) {
  const auto bus = sdbus::createProxy(*connection.bus, dbus::ServiceName{"org.freedesktop.DBus"},
                                      sdbus::ObjectPath{"/org/freedesktop/DBus"});
  auto question =
      bus->createMethodCall(dbus::InterfaceName{"org.freedesktop.DBus"}, dbus::MethodName{"NameHasOwner"});
  question << std::string{dbus::kService};
  auto answer = bus->callMethod(question);
  bool owned = false;
  answer >> owned;
  return owned;
}

dbus::Connection connect_to_bus() {
  return dbus::connect(dbus::Peers::Use::asking, {dbus::kService});
}

}  // namespace

Daemon::Daemon(std::unique_ptr<Bus> bus) : bus_(std::move(bus)) {}
Daemon::Daemon(Daemon&&) noexcept = default;
Daemon& Daemon::operator=(Daemon&&) noexcept = default;
Daemon::~Daemon() = default;

Outcome<Daemon> Daemon::connect() {
  try {
    return Daemon{std::make_unique<Bus>(connect_to_bus())};
  } catch (const sdbus::Error& error) {
    return std::unexpected(unreachable(
        step_of_connecting(error), "the system bus cannot be reached: " + std::string{error.getMessage()}));
  }
}

Outcome<Daemon> Daemon::connect_if_running(std::chrono::milliseconds patience) {
  auto connected = call([&] {
    auto connection = connect_to_bus();
    connection.bus->setMethodCallTimeout(patience);
    if (!is_on(connection))
      throw dbus::make_error("org.freedesktop.DBus.Error.NameHasNoOwner", "it is not running");
    return connection;
  });
  if (!connected) return std::unexpected(connected.error());
  return Daemon{std::make_unique<Bus>(std::move(*connected))};
}

Outcome<std::uint64_t> Daemon::start_scenario(const std::string& scenario, const StartOptions& options) {
  return guarded_call(
      *bus_, [&] { return dbus::job_of_path(bus_->StartScenario(scenario, start_row(options))); },
      failure_of_job);
}

Outcome<std::uint64_t> Daemon::start_job(const std::string& text, const std::string& origin,
                                         const StartOptions& options) {
  return guarded_call(
      *bus_, [&] { return dbus::job_of_path(bus_->StartJob(text, origin, start_row(options))); },
      failure_of_job);
}

Outcome<JobSize> Daemon::check_scenario(const std::string& scenario, const StartOptions& options) {
  return call(
      [&] {
        const auto [runs, limit] = bus_->CheckScenario(scenario, start_row(options));
        return JobSize{.runs_each = runs / options.repeat.value_or(runs), .repeat_limit = limit};
      },
      failure_of_job);
}

Outcome<JobSize> Daemon::check_job(const std::string& text, const std::string& origin,
                                   const StartOptions& options) {
  return call(
      [&] {
        const auto [runs, limit] = bus_->CheckJob(text, origin, start_row(options));
        return JobSize{.runs_each = runs / options.repeat.value_or(runs), .repeat_limit = limit};
      },
      failure_of_job);
}

Outcome<BootCheck> Daemon::check_boots(const std::string& scenario, const StartOptions& options) {
  return call(
      [&] {
        const auto [boots, seconds] = bus_->CheckBoots(scenario, start_row(options));
        return BootCheck{.boots = boots, .seconds = seconds > 0 ? std::optional{seconds} : std::nullopt};
      },
      failure_of_job);
}

Outcome<void> Daemon::stop_job(std::uint64_t job) {
  return guarded_call(*bus_, [&] { bus_->StopJob(job); });
}

Outcome<void> Daemon::hold_job(std::uint64_t job, bool held) {
  return guarded_call(*bus_, [&] { held ? bus_->HoldJob(job) : bus_->ReleaseJob(job); });
}

Outcome<std::string> Daemon::undo_job(std::uint64_t job) {
  const Bus::Patience patience{*bus_};
  return guarded_call(*bus_, [&] { return bus_->UndoJob(job); });
}

Outcome<void> Daemon::delete_run(std::uint64_t run) {
  return guarded_call(*bus_, [&] { bus_->DeleteRun(run); });
}

Outcome<DaemonInfo> Daemon::info() {
  return call([&] { return DaemonInfo{bus_->Version(), bus_->Iperf3Version(), bus_->LiveIntervals()}; });
}

Outcome<std::vector<ScenarioView>> Daemon::scenarios() {
  return call([&] { return bus_->ask<RowsOf<ScenarioView>>("ListScenarios"); });
}

Outcome<std::vector<LiveJobView>> Daemon::live_jobs() {
  return call([&] {
    std::vector<LiveJobView> jobs;
    for (const auto& [id, job] : bus_->fetch_jobs()) jobs.push_back(job);
    return jobs;
  });
}

Outcome<std::optional<LiveJobView>> Daemon::live_job_if_running(std::uint64_t job) {
  return call([&] {
    const auto& jobs = bus_->fetch_jobs_if_running();
    const auto found = jobs.find(job);
    return found != jobs.end() ? std::optional{found->second} : std::nullopt;
  });
}

Outcome<RunPage> Daemon::runs(const RunFilter& filter, std::optional<std::size_t> limit) {
  return call([&] {
    constexpr std::size_t kPage = 500;
    const Bus::Patience patience{*bus_};
    RunPage page;
    page.more = add_pages(page.runs, limit, kPage, [&](const std::string& cursor, std::uint32_t wanted) {
      return bus_->ask<RowsOf<RunView>, std::string>("ListRuns", filter_row(filter), cursor, wanted);
    });
    return page;
  });
}

Outcome<JobPage> Daemon::jobs(const RunFilter& filter, std::optional<std::size_t> limit) {
  return call([&] {
    constexpr std::size_t kMostJobs = 100;
    const Bus::Patience patience{*bus_};
    JobPage page;
    page.more = add_pages(page.jobs, limit, kMostJobs, [&](const std::string& cursor, std::uint32_t wanted) {
      return bus_->ask<RowsOf<JobView>, std::string>("ListJobs", filter_row(filter), cursor, wanted);
    });
    return page;
  });
}

Outcome<void> Daemon::set_label(std::uint64_t job, const std::string& label) {
  return guarded_call(*bus_, [&] { bus_->SetLabel(job, label); });
}

Outcome<void> Daemon::set_note(std::uint64_t run, const std::string& note) {
  return guarded_call(*bus_, [&] { bus_->SetNote(run, note); });
}

Outcome<RunDetails> Daemon::run(std::uint64_t run) {
  return call([&] {
    auto [found, sums, flags] = bus_->ask<RowOf<RunView>, RowsOf<SumView>, RowsOf<FlagView>>("GetRun", run);
    return RunDetails{std::move(found), std::move(sums), std::move(flags)};
  });
}

Outcome<std::vector<SumView>> Daemon::streams(std::uint64_t run) {
  return call([&] { return bus_->ask<RowsOf<SumView>>("ListStreams", run); });
}

Outcome<std::vector<IntervalView>> Daemon::intervals(std::uint64_t run) {
  return call([&] { return bus_->list<IntervalView>("ListIntervals", run); });
}

Outcome<IntervalPointsView> Daemon::interval_points(std::uint64_t run, std::uint32_t most) {
  return call([&] {
    const Bus::Patience patience{*bus_};
    try {
      auto [points, intervals] =
          bus_->ask<RowsOf<IntervalPointView>, std::uint64_t>("ListIntervalPoints", run, most);
      return IntervalPointsView{.points = std::move(points), .intervals = intervals};
    } catch (const sdbus::Error& error) {
      if (!is_unheard_of(error)) throw;
      return points_of(bus_->list<IntervalView>("ListIntervals", run));
    }
  });
}

Outcome<JobDetails> Daemon::job(std::uint64_t job) {
  return call([&] {
    const Bus::Patience patience{*bus_};
    auto [found, spreads] = bus_->ask<RowOf<JobView>, RowsOf<SpreadView>>("GetJob", job);
    return JobDetails{std::move(found), std::move(spreads)};
  });
}

Outcome<std::vector<BootView>> Daemon::boots(std::uint64_t job) {
  return call([&] { return bus_->ask<RowsOf<BootView>>("ListBoots", job); });
}

Outcome<std::string> Daemon::document(std::uint64_t run, const std::string& name) {
  const auto content = open_document(run, name);
  if (!content) return std::unexpected(content.error());
  return read_all(content->get());
}

Outcome<OwnedFd> Daemon::open_document(std::uint64_t run, const std::string& name) {
  return guarded_call(*bus_, [&] { return OwnedFd{bus_->OpenDocument(run, name).release()}; });
}

Outcome<void> Daemon::follow(Loop& loop, JobListener& listener) {
  if (auto followed = call([&] { bus_->follow(loop, listener); }); !followed) return followed;
  return call([&] { bus_->subscribe(); });
}

}  // namespace netperfctl
