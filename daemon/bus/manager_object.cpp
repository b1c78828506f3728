#include "daemon/bus/manager_object.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/spread.hpp"
#include "daemon/bus/document.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/row_maker.hpp"
#include "daemon/bus/wire.hpp"
#include "daemon/log/log.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {
namespace {

constexpr std::uint32_t kRunsPageLimit = 500;

}  // namespace

ManagerObject::ManagerObject(sdbus::IConnection& connection, ManagerPorts ports, ServiceSettings settings)
    : AdaptorInterfaces(connection, sdbus::ObjectPath{dbus::kManagerPath}),
      ports_(ports),
      settings_(std::move(settings)),
      group_(describe_group(settings_.group)) {
  registerAdaptor();
}

void ManagerObject::set_group(gid_t group) {
  settings_.group = group;
  group_ = describe_group(group);
}

void ManagerObject::require_may_measure(const Credentials& caller, const std::string& unique_name,
                                        const std::string& deed) const {
  if (may_measure(caller, settings_.group)) return;
  log::warn(fmt::format("denied: uid {} ({}) may not {}", caller.uid, unique_name, deed));
  throw to_dbus(
      Error{ErrorKind::access_denied, fmt::format("uid {} may not {}; that needs root{}{}", caller.uid, deed,
                                                  group_.empty() ? "" : " or ", group_)});
}

void ManagerObject::require_may_act_as(uid_t owner, const Credentials& caller, const std::string& unique_name,
                                       const std::string& deed) {
  if (may_act_as(caller, owner)) return;
  log::warn(fmt::format("denied: uid {} ({}) may not {}", caller.uid, unique_name, deed));
  throw to_dbus(Error{
      ErrorKind::access_denied,
      fmt::format("uid {} may not {}; that needs its owner, uid {}, or root", caller.uid, deed, owner)});
}

core::RunRow ManagerObject::readable_run(std::uint64_t run, const Credentials& caller,
                                         const std::string& unique_name, const char* parts) const {
  core::RunRow row = value_or_throw(ports_.queries.run(value_or_throw(parse_id(run, "run"))));
  require_may_act_as(row.owner, caller, unique_name, fmt::format("read {} of run {}", parts, row.id));
  return row;
}

sdbus::ObjectPath ManagerObject::start(Result<JobSpec> spec, const StartOptions& options,
                                       const Credentials& caller, const std::string& unique_name) {
  // main's observer logs who started a job, with all its other events.
  JobSpec accepted = value_or_throw(std::move(spec));
  accepted.tied = options.tie_to_caller;
  const JobId job = value_or_throw(ports_.scheduler.submit(std::move(accepted), caller.uid));
  if (options.tie_to_caller) {
    if (auto tied = ports_.callers.tie(job, unique_name); !tied) {
      (void)ports_.scheduler.stop(job, tied.error().message);  // a job just queued has not ended
      throw to_dbus(tied.error());
    }
  }
  return sdbus::ObjectPath{dbus::job_path(static_cast<std::uint64_t>(job))};
}

void ManagerObject::StartScenario(sdbus::Result<sdbus::ObjectPath>&& result, std::string scenario,
                                  Dict options) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    throw_if_failed(check_line("scenario", scenario, kNameLimit));
    with_credentials(reply, [this, reply, scenario, wanted = value_or_throw(parse_start_options(options))](
                                const Credentials& caller, const std::string& unique_name) {
      require_may_measure(caller, unique_name, "start a job");
      reply->ok(start(ports_.scenarios.load(scenario, wanted.job), wanted, caller, unique_name));
    });
  });
}

void ManagerObject::StartJob(sdbus::Result<sdbus::ObjectPath>&& result, std::string text, std::string origin,
                             Dict options) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    throw_if_failed(check_size("text", text, kJobTextLimit));
    throw_if_failed(check_line("origin", origin, kOriginLimit));
    with_credentials(
        reply, [this, reply, text, origin, wanted = value_or_throw(parse_start_options(options))](
                   const Credentials& caller, const std::string& unique_name) {
          require_may_measure(caller, unique_name, "start a job");
          reply->ok(start(ports_.scenarios.parse(text, origin, wanted.job), wanted, caller, unique_name));
        });
  });
}

void ManagerObject::StopJob(sdbus::Result<>&& result, std::uint64_t job) {
  stop_job(std::move(result), job, dbus::caller_of(getObject()));
}

void ManagerObject::stop_job(sdbus::Result<>&& result, std::uint64_t job, const std::string& caller) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    const auto stop = [this, reply, job](const Credentials& known, const std::string& unique_name) {
      require_may_measure(known, unique_name, fmt::format("stop job {}", job));
      const JobId id = value_or_throw(parse_id(job, "job"));
      throw_if_failed(ports_.scheduler.stop(id, fmt::format("stopped by uid {}", known.uid)));
      log::info(fmt::format("uid {} asked to stop it", known.uid), {.job = id});
      reply->ok();
    };
    with_credentials_of(caller, reply, stop);
  });
}

void ManagerObject::OpenDocument(sdbus::Result<sdbus::UnixFd>&& result, std::uint64_t run, std::string name) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    throw_if_failed(check_line("name", name, kNameLimit));
    with_credentials(reply, [this, reply, run, name](const Credentials& caller,
                                                     const std::string& unique_name) {
      const RunId id = readable_run(run, caller, unique_name, "documents").id;
      // It holds kernel addresses, which would let any group member defeat address space randomisation.
      if (name == kRecording && caller.uid != 0) {
        throw to_dbus(Error{ErrorKind::access_denied,
                            "the recording holds addresses of the kernel: it is for root; its text is not"});
      }
      const std::string bytes = value_or_throw(ports_.queries.document(id, name));
      Fd file = value_or_throw(sealed_memory_file(fmt::format("netperfd-run-{}-{}", id, name), bytes));
      reply->ok(sdbus::UnixFd{file.release(), sdbus::adopt_fd});
    });
  });
}

void ManagerObject::DeleteRun(sdbus::Result<>&& result, std::uint64_t run) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    with_credentials(reply, [this, reply, run](const Credentials& caller, const std::string& unique_name) {
      require_may_measure(caller, unique_name, fmt::format("delete run {}", run));
      const RunId id = value_or_throw(parse_id(run, "run"));
      const JobId job = value_or_throw(ports_.queries.run(id)).job;
      throw_if_failed(ports_.queries.remove(id));
      emitRunDeleted(run, static_cast<std::uint64_t>(job));
      log::info(fmt::format("deleted by uid {}", caller.uid), {.run = id});
      reply->ok();
    });
  });
}

ManagerObject::Dicts ManagerObject::ListScenarios() {
  return dbus::guarded([&] { return all_rows(ports_.scenarios.list(), scenario_row); });
}

std::tuple<ManagerObject::Dicts, std::string> ManagerObject::ListRuns(const Dict& filter,
                                                                      const std::string& cursor,
                                                                      const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const core::RunFilter wanted = value_or_throw(parse_run_filter(filter));
    WirePage page = fitting_page(
        page_limit(limit, kRunsPageLimit),
        [&](std::uint32_t rows) { return ports_.queries.runs(wanted, cursor, rows); }, listed_run_row);
    return std::tuple{std::move(page.rows), std::move(page.next)};
  });
}

std::tuple<ManagerObject::Dict, ManagerObject::Dicts, ManagerObject::Dicts> ManagerObject::GetRun(
    const std::uint64_t& id) {
  return dbus::guarded([&] {
    // 0 is the newest that has ended, here as in the store.
    const core::RunRow run =
        value_or_throw(ports_.queries.run(id == 0 ? 0 : value_or_throw(parse_id(id, "run"))));
    return std::tuple{run_row(run).row, all_rows(run.sums, to_wire<Totals>), flag_rows(run.flags)};
  });
}

ManagerObject::Dicts ManagerObject::ListStreams(const std::uint64_t& run) {
  return dbus::guarded([&] {
    return all_rows(value_or_throw(ports_.queries.streams(value_or_throw(parse_id(run, "run")))),
                    to_wire<Totals>);
  });
}

std::tuple<ManagerObject::Dicts, std::string> ManagerObject::ListIntervals(const std::uint64_t& run,
                                                                           const std::string& cursor,
                                                                           const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const RunId id = value_or_throw(parse_id(run, "run"));
    WirePage page = fitting_page(
        page_limit(limit, kMaxRows),
        [&](std::uint32_t rows) { return ports_.queries.intervals(id, cursor, rows); }, to_wire<Interval>);
    return std::tuple{std::move(page.rows), std::move(page.next)};
  });
}

std::tuple<ManagerObject::Dict, ManagerObject::Dicts> ManagerObject::GetJob(const std::uint64_t& id) {
  return dbus::guarded([&] {
    const auto runs = value_or_throw(ports_.queries.runs_of_job(value_or_throw(parse_id(id, "job"))));
    std::vector<std::vector<Totals>> sums;
    for (const core::RunRow& run : runs) {
      if (run.state == RunState::finished) sums.push_back(run.sums);
    }
    return std::tuple{job_row(runs).row, all_rows(analysis::received_spreads(sums), spread_row)};
  });
}

void ManagerObject::Subscribe() {
  dbus::guarded([&] { throw_if_failed(ports_.callers.subscribe(dbus::caller_of(getObject()))); });
}

void ManagerObject::Unsubscribe() {
  dbus::guarded([&] { ports_.callers.unsubscribe(dbus::caller_of(getObject())); });
}

std::string ManagerObject::Version() {
  return dbus::guarded([&] { return settings_.version; });
}

std::string ManagerObject::Iperf3Version() {
  return dbus::guarded([&] { return settings_.iperf3_version; });
}

bool ManagerObject::LiveIntervals() {
  return settings_.live_intervals;
}

}  // namespace netperfd::bus
