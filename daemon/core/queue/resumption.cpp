// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/resumption.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>

namespace netperfd::core {
namespace {

std::unexpected<Error> cannot(std::string reason) {
  return fail(ErrorKind::invalid_argument, std::move(reason));
}

// The block of a run, in a sweep its letters at one point, or the run itself: what is given up as a whole, if
// it is broken off.
using UnitOfRun = std::pair<std::uint32_t, std::uint32_t>;
UnitOfRun unit_of(const StoredRun& run) {
  return {run.slot.block != 0 ? run.slot.block : run.index, run.slot.point};
}

// Sets the numbers of the builds, which are not stored.
bool is_drawn_again(const std::vector<Slot>& drawn, const JobSpec& spec, std::vector<StoredRun>& runs) {
  return std::ranges::all_of(runs, [&](StoredRun& run) {
    if (run.index == 0 || run.index > drawn.size()) return false;
    const Slot& slot = drawn[run.index - 1];
    std::string build, point;
    if (spec.design) {
      build = spec.design->build_name(slot.variant, slot.build);
      point = spec.design->point_name(slot.point);
    }
    run.slot.build = slot.build;
    return run.slot == slot && run.build == build && run.point_name == point;
  });
}

constexpr const char* kBrokenBlock = "netperfd ended during this run's block.";

std::vector<RunId> give_up_broken_block(std::vector<StoredRun>& runs) {
  std::vector<RunId> given_up;
  std::set<UnitOfRun> begun;
  for (const StoredRun& run : runs) {
    if (run.slot.block != 0 && has_ended(run.state)) begun.insert(unit_of(run));
  }
  for (StoredRun& run : runs) {
    if (run.state != RunState::pending || !begun.contains(unit_of(run))) continue;
    run.state = RunState::interrupted;
    run.error = kBrokenBlock;
    given_up.push_back(run.id);
  }
  return given_up;
}

// How many of the units that were begun last were interrupted, one after another.
int interruptions_in_a_row(const std::vector<StoredRun>& runs) {
  std::set<UnitOfRun> interrupted;
  for (const StoredRun& run : runs) {
    if (!has_ended(run.state)) break;
    if (run.state == RunState::interrupted) {
      interrupted.insert(unit_of(run));
    } else if (!interrupted.contains(unit_of(run))) {
      interrupted.clear();
    }
  }
  return static_cast<int>(interrupted.size());
}

bool is_pending(const StoredRun& run) {
  return run.state == RunState::pending;
}

Status store_given_up(RunStore& store, const std::vector<RunId>& runs) {
  for (const RunId run : runs) {
    RunRecord record;
    record.id = run;
    record.state = RunState::interrupted;
    record.error = kBrokenBlock;
    if (auto stored = store.finish(record); !stored) return stored;
  }
  return {};
}

}  // namespace

Result<Resumption> plan_resumption(UnfinishedJob job, Result<JobSpec> spec) {
  if (!job.damage.empty()) return cannot(fmt::format("what is stored of it is damaged: {}", job.damage));
  if (job.tied) return cannot("it was tied to its caller, whose connection ended with netperfd");
  if (!spec) {
    const char* const what = spec.error().kind == ErrorKind::access_denied ? "it is no longer allowed"
                                                                           : "its text can no longer be read";
    return cannot(fmt::format("{}: {}", what, spec.error().message));
  }
  if (spec->design) spec->design->seed = job.seed;
  if (spec->design.has_value() != job.seed.has_value() ||
      !is_drawn_again(draw_slots(*spec, job.seed.value_or(0)), *spec, job.runs)) {
    return cannot("this version of netperfd would draw another order of its runs");
  }
  // Boots are compared, not blocks: the runs that are left of one have another boot.
  std::vector<RunId> given_up;
  if (!spec->design || !spec->design->reboots) given_up = give_up_broken_block(job.runs);
  if (const int count = interruptions_in_a_row(job.runs); count >= kMostInterruptions) {
    return cannot(
        fmt::format("the last {} of its {} were interrupted", count, spec->design ? "blocks" : "runs"));
  }
  if (!std::ranges::is_partitioned(job.runs, std::not_fn(is_pending))) {
    return cannot("a run of it that was to come has ended before an earlier one");
  }
  return Resumption{.job = {.id = job.id,
                            .owner = job.owner,
                            .spec = std::move(*spec),
                            .runs = std::move(job.runs),
                            .held = job.held,
                            .budget = std::move(job.budget)},
                    .given_up = std::move(given_up)};
}

Result<std::vector<std::string>> resume_jobs(RunStore& store, ScenarioSource& scenarios, Scheduler& scheduler,
                                             std::optional<JobId> rebooted) {
  auto unfinished = store.unfinished_jobs();
  if (!unfinished) return std::unexpected(std::move(unfinished.error()));
  const auto place = [&](const UnfinishedJob& job) {
    return std::pair{job.id != rebooted, std::ranges::all_of(job.runs, is_pending)};
  };
  std::ranges::stable_sort(*unfinished, std::less<>{}, place);
  std::vector<std::string> lines;
  const auto tell = [&](JobId job, const std::string& what, const Status& stored) {
    lines.push_back(fmt::format("job {}: {}", job, what));
    if (!stored) lines.back() += fmt::format("; this could not be stored: {}", stored.error().message);
  };
  for (UnfinishedJob& job : *unfinished) {
    const JobId id = job.id;
    // Root may have changed what others may measure.
    job.options.limited = job.owner != 0;
    auto spec = scenarios.reread(job.text, fmt::format("job {}", id), job.options);
    auto plan = plan_resumption(std::move(job), std::move(spec));
    if (!plan) {
      const auto reason = fmt::format("not resumed after a restart of netperfd: {}", plan.error().message);
      tell(id, reason, store.cancel_pending(id, reason));
      continue;
    }
    const auto given_up = store_given_up(store, plan->given_up);
    if (!given_up) {
      tell(id, "not resumed", given_up);
    } else if (std::ranges::none_of(plan->job.runs, is_pending)) {
      tell(id, "it has ended, since its last block was broken off", {});
    } else {
      scheduler.resume(std::move(plan->job));
    }
  }
  return lines;
}

}  // namespace netperfd::core
