// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/admission.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "daemon/core/queue/feasibility.hpp"
#include "daemon/core/sides/sides.hpp"

namespace netperfd::core {
namespace {

// Both sides may lack the same.
void add_line(std::vector<std::string>& lines, std::string line) {
  if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
}

}  // namespace

// The caller must fix a wrong name even if the trace is optional. But something that the design's commands
// provide, such as a module, may not be there yet: then the runs report it.
Status check_trace(Tracer& tracer, const JobSpec& spec) {
  if (!spec.trace) return {};
  auto checked = tracer.check(*spec.trace);
  if (checked) return checked;
  const bool is_name = checked.error().kind == ErrorKind::invalid_argument;
  const bool may_pass = is_name ? has_commands(spec) : spec.trace->optional;
  return may_pass ? Status{} : checked;
}

Status Admission::check_job(const JobSpec& spec, uid_t owner) {
  if (owner != 0 && queue_.order().size() >= limit_) {
    return fail(ErrorKind::busy,
                fmt::format("the queue is full: {} jobs wait or run already", queue_.order().size()));
  }
  const std::vector<Error> refused = refusals(spec, owner);
  std::vector<std::string> lines;
  for (const Error& each : refused) add_line(lines, each.message);
  if (!spec.forced) {
    for (std::string& reason : obstacles(spec, owner)) add_line(lines, std::move(reason));
  }
  if (lines.empty()) return {};
  return fail(refused.empty() ? ErrorKind::infeasible : refused.front().kind,
              fmt::format("{}", fmt::join(lines, "\n")));
}

std::vector<Error> Admission::refusals(const JobSpec& spec, uid_t owner) {
  std::vector<Error> refused;
  const auto expect = [&refused](Status checked) {
    if (!checked) refused.push_back(std::move(checked.error()));
  };
  for (const JobSpec& told : specs_of_runs(spec)) expect(ports_.workload.check(told));
  expect(check_trace(ports_.tracer, spec));
  if (ports_.sampler != nullptr && spec.sample && spec.sample->asked)
    expect(ports_.sampler->check(*spec.sample));
  expect(quotas_.check_job(owner, queue_.live_of(owner), reserved_time(spec, run_count(spec))));
  return refused;
}

std::vector<std::string> Admission::obstacles(const JobSpec& spec, uid_t owner) {
  std::vector<std::string> reasons = why_no_answer(spec);
  // The commands of a design may make what is not there yet, and settings of the machine do not.
  const bool only_sets = spec.design && spec.design->has_settings() && spec.design->prepare.empty();
  if (!has_commands(spec) || only_sets) {
    for (const JobSpec& told : specs_of_runs(spec))
      std::ranges::move(ports_.workload.missing(told), std::back_inserter(reasons));
  }
  // If the store does not answer, nothing is known.
  const auto bytes = ports_.store.bytes_of_run(spec.name, owner);
  const auto room = ports_.store.room();
  if (bytes && *bytes && room) {
    if (std::string reason = too_little_room(run_count(spec), **bytes, *room); !reason.empty())
      reasons.push_back(std::move(reason));
  }
  return reasons;
}

}  // namespace netperfd::core
