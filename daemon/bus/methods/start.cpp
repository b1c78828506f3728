// SPDX-License-Identifier: GPL-2.0-or-later
// Methods that start jobs or check what would be started.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/methods/methods.hpp"
#include "daemon/core/comparison/run_plan.hpp"
#include "daemon/core/queue/boot_estimate.hpp"
#include "daemon/model/event_patterns.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus::methods {
namespace {

core::JobOptions options_of(const Call& call, core::JobOptions options) {
  options.limited = call.caller.uid != 0;
  return options;
}

// A pilot whose plan is known to have no answer is not measured.
Result<JobSpec> with_plan(Result<JobSpec> loaded, const StartOptions& options) {
  if (!loaded || !options.plan) return loaded;
  if (auto checked = core::check_plan_of(*options.plan, *loaded); !checked)
    return std::unexpected(std::move(checked.error()));
  return loaded;
}

Result<JobSpec> load(Call& call, const ScenarioName& scenario, const StartOptions& options) {
  return with_plan(call.ports.scenarios.load(scenario.text, options_of(call, options.job)), options);
}

Result<JobSpec> parse(Call& call, const JobText& text, const Origin& origin, const StartOptions& options) {
  return with_plan(call.ports.scenarios.parse(text.text, origin.text, options_of(call, options.job)),
                   options);
}

JobId confirmed_job(Call& call, std::uint64_t number) {
  core::RunFilter of_first;
  of_first.job = value_or_throw(parse_id(number, "job"));
  if (value_or_throw(call.ports.queries.selected_runs(of_first, {}, 1)).empty())
    throw to_dbus(Error{ErrorKind::not_found, fmt::format("job {}: no such job", number)});
  return *of_first.job;
}

// The job is read once: what was allowed is what is started.
Task<sdbus::ObjectPath> start(Call& call, Result<JobSpec> loaded, StartOptions options,
                              core::TraceSource source) {
  if (!loaded && loaded.error().kind == ErrorKind::access_denied)
    call.ports.authorization.note_refusal(call.caller, loaded.error().message);
  JobSpec spec = value_or_throw(std::move(loaded));
  const std::vector<std::string>& patterns = call.settings.trace_events;
  const auto may_record = [&](const EventSpec& event) { return why_not_allowed(event, patterns).empty(); };
  // GCC 12 destroys an aggregate within co_await twice.
  Wanted wanted{.actions = core::actions_of(spec, source, may_record),
                .what = fmt::format("start a job of {}", spec.name),
                .events_beyond = spec.trace ? events_beyond(*spec.trace, patterns) : ""};
  co_await call.allow(std::move(wanted));
  spec.tied = options.tie_to_caller;
  spec.forced = options.force;
  if (options.confirms) spec.confirms = confirmed_job(call, *options.confirms);
  call.begin_audit();
  call.audited->detail = spec.name;
  // main's observer logs who started a job, with all its other events.
  const JobId job = value_or_throw(call.ports.scheduler.submit(std::move(spec), call.caller.uid));
  call.audited->job = job;
  if (options.tie_to_caller) {
    if (auto tied = call.ports.callers.tie(job, call.caller.name); !tied) {
      (void)call.ports.scheduler.stop(job, tied.error().message);  // a job just queued has not ended
      throw to_dbus(tied.error());
    }
  }
  co_return sdbus::ObjectPath{dbus::job_path(static_cast<std::uint64_t>(job))};
}

// How many runs the job has, and which `repeat` is the largest.
std::tuple<std::uint32_t, std::uint32_t> size_of(const Call& call, const JobSpec& spec) {
  const auto runs = static_cast<std::uint32_t>(run_count(spec));  // limited by what was accepted
  const std::uint32_t each = std::max(runs / std::max(spec.repeat, 1U), 1U);
  return {runs, spec.workload.ends_by_itself ? call.settings.run_limit / each : 1U};
}

}  // namespace

Task<sdbus::ObjectPath> start_scenario(Call& call, ScenarioName scenario, StartOptions options) {
  // These keys cannot add an event.
  const bool own_trace = std::ranges::any_of(options.job.overrides, [](const std::string& each) {
    return each.starts_with("trace") && !each.starts_with("trace.function_graph.") &&
           !each.starts_with("trace.budget=");
  });
  return start(call, load(call, scenario, options), options,
               own_trace ? core::TraceSource::caller : core::TraceSource::root);
}

Task<sdbus::ObjectPath> start_job(Call& call, JobText text, Origin origin, StartOptions options) {
  return start(call, parse(call, text, origin, options), options, core::TraceSource::caller);
}

std::tuple<std::uint32_t, std::uint32_t> check_scenario(Call& call, ScenarioName scenario,
                                                        StartOptions options) {
  return size_of(call, value_or_throw(load(call, scenario, options)));
}

std::tuple<std::uint32_t, std::uint32_t> check_job(Call& call, JobText text, Origin origin,
                                                   StartOptions options) {
  return size_of(call, value_or_throw(parse(call, text, origin, options)));
}

std::tuple<std::uint32_t, double> check_boots(Call& call, ScenarioName scenario, StartOptions options) {
  const JobSpec spec = value_or_throw(load(call, scenario, options));
  // If the store does not answer, the estimate is the least.
  const auto known = call.ports.store.boot_time(spec.name);
  const core::BootEstimate estimate = core::estimate_boots(spec, known ? *known : std::nullopt);
  const double seconds = estimate.takes ? std::chrono::duration<double>(*estimate.takes).count() : 0;
  return {estimate.boots, seconds};
}

}  // namespace netperfd::bus::methods
