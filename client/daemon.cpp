#include "client/daemon.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <netperfd-dbus/Manager_proxy.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

#include "client/failures.hpp"
#include "client/rows.hpp"
#include "dbus/compat.hpp"
#include "dbus/names.hpp"

namespace netperfctl {
namespace {

namespace dbus = netperfd::dbus;

// Every sdbus-c++ exception ends here.
template <class Function>
auto call(Function function) -> Outcome<decltype(function())> {
  try {
    if constexpr (std::is_void_v<decltype(function())>) {
      function();
      return {};
    } else {
      return function();
    }
  } catch (const sdbus::Error& error) {
    return std::unexpected(failure_of(error));
  }
}

// A call that only root and the group may make.
template <class Function>
auto change(Function function) -> Outcome<decltype(function())> {
  auto outcome = call(function);
  if (!outcome) return std::unexpected(with_membership_hint(std::move(outcome.error())));
  return outcome;
}

std::uint64_t job_of_path(std::string_view path) {
  const std::string_view prefix = dbus::kJobPathPrefix;
  std::uint64_t job = 0;
  if (path.starts_with(prefix)) std::from_chars(path.data() + prefix.size(), path.data() + path.size(), job);
  return job;
}

dbus::Row start_row(const StartOptions& options) {
  dbus::Row row;
  if (!options.overrides.empty()) row.emplace("overrides", options.overrides);
  if (options.label) row.emplace("label", *options.label);
  if (options.repeat) row.emplace("repeat", *options.repeat);
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

// First among the bases of Bus, so that the connection outlives the proxy made on it.
struct Connected {
  std::unique_ptr<sdbus::IConnection> connection;
};

}  // namespace

// The proxy of the daemon's one fixed object. Its jobs come and go: their signals are taken by one match rule
// on the whole branch, which stands before the job exists, so that nothing of a job's first moments is
// missed.
class Daemon::Bus final
    : private Connected,
      public sdbus::ProxyInterfaces<org::netperfd1::Manager_proxy, sdbus::ObjectManager_proxy> {
 public:
  explicit Bus(std::unique_ptr<sdbus::IConnection> to)
      : Connected{std::move(to)},
        ProxyInterfaces(*connection, dbus::ServiceName{dbus::kService},
                        sdbus::ObjectPath{dbus::kManagerPath}) {}
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;
  ~Bus() {
    if (listener_ == nullptr) return;
    unregisterProxy();
    slots_.clear();
    dbus::detach(*connection);
  }

  void follow(Loop& loop, JobListener& listener) {
    dbus::attach(*connection, loop.raw());
    listener_ = &listener;
    registerProxy();
    slots_.push_back(dbus::match(
        *connection,
        fmt::format("type='signal',sender='{}',path_namespace='/org/netperfd1/job'", dbus::kService),
        [this](auto&& message) { told([&] { on_job_signal(message); }); }));
    slots_.push_back(dbus::match(*connection,
                                 fmt::format("type='signal',sender='org.freedesktop.DBus',interface="
                                             "'org.freedesktop.DBus',member='NameOwnerChanged',arg0='{}'",
                                             dbus::kService),
                                 [this](auto&& message) { told([&] { on_owner_changed(message); }); }));
    Subscribe();
  }

  std::map<std::uint64_t, LiveJobView>& fetch_jobs() {
    jobs_.clear();
    for (const auto& [path, interfaces] : GetManagedObjects()) add_job(interfaces);
    return jobs_;
  }

 private:
  // Runs what a signal asks for; what it holds may not be as the XML says.
  template <class Function>
  void told(Function function) {
    const auto done = call(function);
    if (!done) listener_->lost(done.error());
  }

  template <class Interfaces>
  std::optional<std::uint64_t> add_job(const Interfaces& interfaces) {
    const auto job_interface = interfaces.find(typename Interfaces::key_type{dbus::kJobInterface});
    if (job_interface == interfaces.end()) return {};
    LiveJobView job;
    apply_properties(job, job_interface->second);
    jobs_[job.job] = job;
    return job.job;
  }

  template <class Message>
  void on_job_signal(Message& message) {
    const auto job = jobs_.find(job_of_path(message.getPath()));
    if (job == jobs_.end()) return;
    const std::string member = message.getMemberName();
    if (member == "PropertiesChanged") {
      std::string interface;
      dbus::Row changed;
      message >> interface >> changed;
      if (interface != dbus::kJobInterface) return;
      apply_properties(job->second, changed);
      listener_->job_changed(LiveJobView{job->second});
    } else if (member == "Interval") {
      std::uint64_t run = 0;
      dbus::Row row;
      message >> run >> row;
      listener_->interval(job->first, run, from_row<IntervalView>(row));
    }
  }

  template <class Message>
  void on_owner_changed(Message& message) {
    std::string name;
    std::string old_owner;
    message >> name >> old_owner;
    // Without an old owner it has just been started, perhaps by our own first call.
    if (!old_owner.empty()) listener_->lost(unreachable("it has left the bus"));
  }

  void onRunEnded(const std::uint64_t& run, const std::uint64_t& job, const std::string& state,
                  const std::string& error) override {
    listener_->run_ended(job, run, state, error);
  }
  void onInterfacesAdded(const sdbus::ObjectPath&, const dbus::InterfaceMap& interfaces) override {
    told([&] {
      if (const auto job = add_job(interfaces)) listener_->job_added(LiveJobView{jobs_.at(*job)});
    });
  }
  void onInterfacesRemoved(const sdbus::ObjectPath& path, const std::vector<dbus::InterfaceName>&) override {
    const std::uint64_t job = job_of_path(path);
    if (jobs_.erase(job) > 0) listener_->job_removed(job);
  }

  JobListener* listener_ = nullptr;
  std::map<std::uint64_t, LiveJobView> jobs_;
  std::vector<sdbus::Slot> slots_;
};

Daemon::Daemon(std::unique_ptr<Bus> bus) : bus_(std::move(bus)) {}
Daemon::Daemon(Daemon&&) noexcept = default;
Daemon& Daemon::operator=(Daemon&&) noexcept = default;
Daemon::~Daemon() = default;

Outcome<Daemon> Daemon::connect() {
  try {
    return Daemon{std::make_unique<Bus>(sdbus::createSystemBusConnection())};
  } catch (const sdbus::Error& error) {
    return std::unexpected(
        unreachable("the system bus cannot be reached: " + std::string{error.getMessage()}));
  }
}

Outcome<std::uint64_t> Daemon::start_scenario(const std::string& scenario, const StartOptions& options) {
  return change([&] { return job_of_path(bus_->StartScenario(scenario, start_row(options))); });
}

Outcome<std::uint64_t> Daemon::start_job(const std::string& text, const std::string& origin,
                                         const StartOptions& options) {
  return change([&] { return job_of_path(bus_->StartJob(text, origin, start_row(options))); });
}

Outcome<void> Daemon::stop_job(std::uint64_t job) {
  return change([&] { bus_->StopJob(job); });
}

Outcome<void> Daemon::delete_run(std::uint64_t run) {
  return change([&] { bus_->DeleteRun(run); });
}

Outcome<DaemonInfo> Daemon::info() {
  return call([&] { return DaemonInfo{bus_->Version(), bus_->Iperf3Version(), bus_->LiveIntervals()}; });
}

Outcome<std::vector<ScenarioView>> Daemon::scenarios() {
  return call([&] { return from_rows<ScenarioView>(bus_->ListScenarios()); });
}

Outcome<std::vector<LiveJobView>> Daemon::live_jobs() {
  return call([&] {
    std::vector<LiveJobView> jobs;
    for (const auto& [id, job] : bus_->fetch_jobs()) jobs.push_back(job);
    return jobs;
  });
}

Outcome<RunPage> Daemon::runs(const RunFilter& filter, std::optional<std::size_t> limit) {
  return call([&] {
    constexpr std::size_t kPage = 500;
    RunPage page;
    std::string cursor;
    do {
      const std::size_t wanted = limit ? std::min(kPage, *limit - page.runs.size()) : kPage;
      const auto [rows, next] =
          bus_->ListRuns(filter_row(filter), cursor, static_cast<std::uint32_t>(wanted));
      std::ranges::move(from_rows<RunView>(rows), std::back_inserter(page.runs));
      cursor = next;
    } while (!cursor.empty() && (!limit || page.runs.size() < *limit));
    page.more = !cursor.empty();
    return page;
  });
}

Outcome<RunDetails> Daemon::run(std::uint64_t run) {
  return call([&] {
    const auto [row, sums, flags] = bus_->GetRun(run);
    RunDetails details{from_row<RunView>(row), from_rows<SumView>(sums), {}};
    for (const auto& flag : flags) details.flags.push_back({flag.template get<0>(), flag.template get<1>()});
    return details;
  });
}

Outcome<std::vector<SumView>> Daemon::streams(std::uint64_t run) {
  return call([&] { return from_rows<SumView>(bus_->ListStreams(run)); });
}

Outcome<std::vector<IntervalView>> Daemon::intervals(std::uint64_t run) {
  return call([&] {
    std::vector<IntervalView> intervals;
    std::string cursor;
    do {
      const auto [rows, next] = bus_->ListIntervals(run, cursor, 0);
      std::ranges::move(from_rows<IntervalView>(rows), std::back_inserter(intervals));
      cursor = next;
    } while (!cursor.empty());
    return intervals;
  });
}

Outcome<JobDetails> Daemon::job(std::uint64_t job) {
  return call([&] {
    const auto [row, spreads] = bus_->GetJob(job);
    return JobDetails{from_row<JobView>(row), from_rows<SpreadView>(spreads)};
  });
}

Outcome<std::string> Daemon::document(std::uint64_t run, const std::string& name) {
  const auto content = call([&] { return bus_->OpenDocument(run, name); });
  if (!content) return std::unexpected(content.error());
  return read_all(content->get());
}

Outcome<void> Daemon::follow(Loop& loop, JobListener& listener) {
  return call([&] { bus_->follow(loop, listener); });
}

}  // namespace netperfctl
