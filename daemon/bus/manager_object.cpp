// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/manager_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/row_maker.hpp"
#include "daemon/bus/wire.hpp"
#include "daemon/bus/wire_text.hpp"
#include "daemon/log/log.hpp"
#include "daemon/model/event_patterns.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {
namespace {

core::JobOptions options_of(const Caller& caller, core::JobOptions options) {
  options.limited = caller.uid != 0;
  return options;
}

}  // namespace

ManagerObject::ManagerObject(sdbus::IConnection& connection, ManagerPorts ports, ServiceSettings settings)
    : AdaptorInterfaces(connection, sdbus::ObjectPath{dbus::kManagerPath}),
      ports_(ports),
      settings_(std::move(settings)) {
  registerAdaptor();
}

sdbus::ObjectPath ManagerObject::start(const JobSpec& spec, const StartOptions& options,
                                       const Caller& caller) {
  // main's observer logs who started a job, with all its other events.
  JobSpec accepted = spec;
  accepted.tied = options.tie_to_caller;
  if (options.confirms) {
    const JobId first = value_or_throw(parse_id(*options.confirms, "job"));
    core::RunFilter of_first;
    of_first.job = first;
    if (value_or_throw(ports_.queries.selected_runs(of_first, {}, 1)).empty()) {
      throw to_dbus(Error{ErrorKind::not_found, fmt::format("job {}: no such job", first)});
    }
    accepted.confirms = first;
  }
  JobId job = 0;
  recorded({.uid = caller.uid, .action = "start", .detail = spec.name}, [&](core::Deed& deed) {
    job = value_or_throw(ports_.scheduler.submit(std::move(accepted), caller.uid));
    deed.job = job;
  });
  if (options.tie_to_caller) {
    if (auto tied = ports_.callers.tie(job, caller.name); !tied) {
      (void)ports_.scheduler.stop(job, tied.error().message);  // a job just queued has not ended
      throw to_dbus(tied.error());
    }
  }
  return sdbus::ObjectPath{dbus::job_path(static_cast<std::uint64_t>(job))};
}

// Whoever may not measure at all does not get as far as the text of a job. The job is read once: what was
// allowed is what is started.
void ManagerObject::start_if_allowed(const StartReply& reply, const LoadJob& load,
                                     const StartOptions& options, core::TraceSource source) {
  with_caller(reply, [this, reply, load, options, source](const Caller& caller) {
    const auto start_it = [this, reply, load, options, source, caller] {
      auto loaded = load(caller);
      if (!loaded && loaded.error().kind == ErrorKind::access_denied)
        ports_.authorization.note_refusal(caller, loaded.error().message);
      const JobSpec spec = value_or_throw(std::move(loaded));
      const auto allowed = [this](const EventSpec& event) {
        return why_not_allowed(event, settings_.trace_events).empty();
      };
      const Wanted all{.actions = core::actions_of(spec, source, allowed),
                       .deed = fmt::format("start a job of {}", spec.name),
                       .events_beyond = spec.trace ? events_beyond(*spec.trace, settings_.trace_events) : ""};
      when_allowed(caller, all, reply,
                   [this, reply, spec, options, caller] { reply->ok(start(spec, options, caller)); });
    };
    const Wanted any{.actions = {core::Action::measure}, .deed = "start a job"};
    when_allowed(caller, any, reply, start_it, Authorization::Ask::later);
  });
}

ManagerObject::LoadJob ManagerObject::loading_scenario(std::string name, core::JobOptions options) {
  throw_if_failed(check_line("scenario", name, kNameLimit));
  return [this, name = std::move(name), options = std::move(options)](const Caller& caller) {
    return ports_.scenarios.load(name, options_of(caller, options));
  };
}

ManagerObject::LoadJob ManagerObject::parsing_job(std::string text, std::string origin,
                                                  core::JobOptions options) {
  throw_if_failed(check_size("text", text, kJobTextLimit));
  throw_if_failed(check_line("origin", origin, kOriginLimit));
  return [this, text = std::move(text), origin = std::move(origin),
          options = std::move(options)](const Caller& caller) {
    return ports_.scenarios.parse(text, origin, options_of(caller, options));
  };
}

void ManagerObject::StartScenario(sdbus::Result<sdbus::ObjectPath>&& result, std::string scenario,
                                  Dict options) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    const StartOptions wanted = value_or_throw(parse_start_options(options));
    // These keys cannot add an event.
    const bool own_trace = std::ranges::any_of(wanted.job.overrides, [](const std::string& each) {
      return each.starts_with("trace") && !each.starts_with("trace.function_graph.") &&
             !each.starts_with("trace.budget=");
    });
    start_if_allowed(reply, loading_scenario(std::move(scenario), wanted.job), wanted,
                     own_trace ? core::TraceSource::caller : core::TraceSource::root);
  });
}

void ManagerObject::StartJob(sdbus::Result<sdbus::ObjectPath>&& result, std::string text, std::string origin,
                             Dict options) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    const StartOptions wanted = value_or_throw(parse_start_options(options));
    start_if_allowed(reply, parsing_job(std::move(text), std::move(origin), wanted.job), wanted,
                     core::TraceSource::caller);
  });
}

// As for starting, whoever may not measure does not get as far as the text of a job.
void ManagerObject::expect_may_check(const Caller& caller) const {
  if (ports_.authorization.is_member(caller)) return;
  throw to_dbus(
      Error{ErrorKind::access_denied,
            fmt::format("uid {} may not check jobs: only root and members of the group may", caller.uid)});
}

void ManagerObject::check_for_member(const SharedReply<std::uint32_t, std::uint32_t>& reply,
                                     const LoadJob& load) {
  with_caller(reply, [this, reply, load](const Caller& caller) {
    expect_may_check(caller);
    const JobSpec spec = value_or_throw(load(caller));
    const auto runs = static_cast<std::uint32_t>(run_count(spec));  // limited by what load() accepts
    const std::uint32_t each = std::max(runs / std::max(spec.repeat, 1U), 1U);
    const bool ends_by_itself = spec.workload != WorkloadKind::none;
    reply->ok(runs, ends_by_itself ? settings_.run_limit / each : 1U);
  });
}

void ManagerObject::CheckScenario(sdbus::Result<std::uint32_t, std::uint32_t>&& result, std::string scenario,
                                  Dict options) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    check_for_member(reply,
                     loading_scenario(std::move(scenario), value_or_throw(parse_start_options(options)).job));
  });
}

void ManagerObject::CheckJob(sdbus::Result<std::uint32_t, std::uint32_t>&& result, std::string text,
                             std::string origin, Dict options) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    check_for_member(reply, parsing_job(std::move(text), std::move(origin),
                                        value_or_throw(parse_start_options(options)).job));
  });
}

void ManagerObject::StopJob(sdbus::Result<>&& result, std::uint64_t job) {
  stop_job(std::move(result), job, dbus::sender_of(getObject()));
}

void ManagerObject::HoldJob(sdbus::Result<>&& result, std::uint64_t job) {
  change_job(std::move(result), job, dbus::sender_of(getObject()), "hold",
             [this](JobId id, uid_t) { throw_if_failed(ports_.scheduler.hold(id, true)); });
}

void ManagerObject::ReleaseJob(sdbus::Result<>&& result, std::uint64_t job) {
  change_job(std::move(result), job, dbus::sender_of(getObject()), "release",
             [this](JobId id, uid_t) { throw_if_failed(ports_.scheduler.hold(id, false)); });
}

void ManagerObject::stop_job(sdbus::Result<>&& result, std::uint64_t job, const dbus::Sender& sender) {
  change_job(std::move(result), job, sender, "stop", [this](JobId id, uid_t uid) {
    throw_if_failed(ports_.scheduler.stop(id, fmt::format("stopped by uid {}", uid)));
  });
}

void ManagerObject::change_job(sdbus::Result<>&& result, std::uint64_t job, const dbus::Sender& sender,
                               const std::string& action, const ChangeJob& change) {
  const auto reply = share(std::move(result));
  const auto work = [this, reply, job, action, change](const Caller& caller) {
    const JobId id = value_or_throw(parse_id(job, "job"));
    const auto status = ports_.scheduler.job(id);
    if (!status) throw to_dbus(Error{ErrorKind::not_found, fmt::format("job {}: no such live job", id)});
    const Wanted wanted{.actions = {managing(status->owner, caller)},
                        .deed = fmt::format("{} job {} of uid {}", action, id, status->owner)};
    when_allowed(caller, wanted, reply, [this, reply, id, action, change, uid = caller.uid] {
      recorded({.uid = uid, .action = action, .job = id}, [&](core::Deed&) { change(id, uid); });
      log::info(fmt::format("uid {} asked to {} it", uid, action), {.job = id});
      reply->ok();
    });
  };
  answer(reply, [&] { with_caller(sender, reply, work); });
}

void ManagerObject::OpenDocument(sdbus::Result<sdbus::UnixFd>&& result, std::uint64_t run, std::string name) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    throw_if_failed(check_line("name", name, kNameLimit));
    const auto open = [this, reply, name](const core::RunRow& row, const Caller& caller) {
      Fd file = value_or_throw(ports_.documents.open(caller.uid, row.id, name,
                                                     [&] { return ports_.queries.document(row.id, name); }));
      reply->ok(sdbus::UnixFd{file.release(), sdbus::adopt_fd});
    };
    if (name != kRecording) return with_readable_run(run, "documents", Raw::of_owner, reply, open);
    with_readable_run(run, "the recording, which has kernel addresses,", Raw::kernel_addresses, reply, open);
  });
}

void ManagerObject::DeleteRun(sdbus::Result<>&& result, std::uint64_t run) {
  const auto reply = share(std::move(result));
  const auto remove = [this, reply](RunId id, uid_t uid) {
    const JobId job = value_or_throw(ports_.queries.owner_of(id)).job;
    recorded({.uid = uid, .action = "delete", .job = job, .run = id},
             [&](core::Deed&) { throw_if_failed(ports_.store.remove(id)); });
    emitRunDeleted(static_cast<std::uint64_t>(id), static_cast<std::uint64_t>(job));
    log::info(fmt::format("deleted by uid {}", uid), {.run = id});
    reply->ok();
  };
  answer(reply, [&] {
    with_caller(reply, [this, reply, run, remove](const Caller& caller) {
      const RunId id = value_or_throw(parse_id(run, "run"));
      const uid_t owner = value_or_throw(ports_.queries.owner_of(id)).owner;
      const Wanted wanted{.actions = {managing(owner, caller)},
                          .deed = fmt::format("delete run {} of uid {}", id, owner)};
      when_allowed(caller, wanted, reply, [remove, id, uid = caller.uid] { remove(id, uid); });
    });
  });
}

ManagerObject::Dicts ManagerObject::ListScenarios() {
  return dbus::guarded([&] { return all_rows(ports_.scenarios.list(), scenario_row); });
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

void ManagerObject::Subscribe(sdbus::Result<>&& result) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    with_caller(reply, [this, reply](const Caller& caller) {
      const Status subscribed = ports_.callers.subscribe(caller.name, caller.uid);
      if (!subscribed) ports_.authorization.note_refusal(caller, subscribed.error().message);
      throw_if_failed(subscribed);
      reply->ok();
    });
  });
}

void ManagerObject::Unsubscribe() {
  dbus::guarded([&] { ports_.callers.unsubscribe(dbus::sender_of(getObject()).name); });
}

std::string ManagerObject::Version() {
  return dbus::guarded([&] { return settings_.version; });
}

std::string ManagerObject::Iperf3Version() {
  return dbus::guarded([&] { return settings_.iperf3_version; });
}

// From one source or the other.
bool ManagerObject::LiveIntervals() {
  return true;
}

std::string ManagerObject::LiveSource() {
  return settings_.iperf3_intervals ? "iperf3" : "tcp_info";
}

std::string ManagerObject::AuthorizedGroup() {
  return dbus::guarded([&] { return wire_text(ports_.authorization.group_name(), kShortTextBytes); });
}

}  // namespace netperfd::bus
