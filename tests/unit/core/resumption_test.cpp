// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/resumption.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/core/design_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SameText final : public ScenarioSource {
 public:
  std::vector<ScenarioRow> list() override { return {}; }
  Result<JobSpec> load(const std::string&, const JobOptions&) override { return job; }
  Result<JobSpec> parse(const std::string&, const std::string&, const JobOptions&) override { return job; }
  Result<JobSpec> reread(const std::string&, const std::string&, const JobOptions& options) override {
    limited = options.limited;
    if (refusal) return std::unexpected(*refusal);
    return job;
  }
  JobSpec job = a_job(4);
  bool limited = false;
  std::optional<Error> refusal;
};

// The fake store holds one job, as a daemon left it, and the scheduler is that of the next daemon.
class ResumptionTest : public DesignRuns {
 protected:
  static constexpr std::uint64_t kSeed = 7;

  // `states`: of the job's first runs; the others are pending.
  void leave(JobSpec spec, const std::vector<RunState>& states, uid_t owner = 1000) {
    const auto slots = draw_slots(spec, kSeed);
    const auto stored = store_.add_job(spec, slots, owner, clock_.now());
    UnfinishedJob& job = store_.unfinished.emplace_back();
    job.id = stored->id;
    job.owner = owner;
    if (spec.design) job.seed = kSeed;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      StoredRun& run = job.runs.emplace_back();
      run.id = stored->runs[i];
      run.index = static_cast<std::uint32_t>(i + 1);
      run.slot = slots[i];
      if (spec.design) run.point_name = spec.design->point_name(slots[i].point);
      if (i < states.size()) run.state = states[i];
      if (run.state == RunState::interrupted) run.error = "netperfd ended while this run was running.";
      store_.runs.at(run.id).state = run.state;
    }
    scenarios_.job = std::move(spec);
  }
  std::vector<std::string> resume(std::optional<JobId> rebooted = {}) {
    auto lines = resume_jobs(store_, scenarios_, scheduler_, rebooted);
    EXPECT_TRUE(lines) << lines.error().message;
    clock_.turn();
    return lines.value_or(std::vector<std::string>{});
  }

  SameText scenarios_;
};

TEST_F(ResumptionTest, a_job_goes_on_with_the_run_after_the_interrupted_one) {
  leave(a_job(4), {RunState::finished, RunState::interrupted});
  EXPECT_THAT(resume(), IsEmpty());
  const auto job = scheduler_.job(1);
  ASSERT_TRUE(job);
  EXPECT_TRUE(job->resumed);
  EXPECT_EQ(job->owner, 1000U);
  EXPECT_EQ(job->runs_ended, 2U);
  EXPECT_EQ(job->runs_finished, 1U);
  EXPECT_EQ(job->current_run, 43);
  end_run();
  end_run();
  EXPECT_THAT(states(),
              ElementsAre(RunState::finished, RunState::interrupted, RunState::finished, RunState::finished));
  EXPECT_EQ(scheduler_.job(1)->state, JobState::failed) << "a run of it has no measurement";
}

TEST_F(ResumptionTest, jobs_keep_their_order_and_come_before_new_ones) {
  leave(a_job(1), {});
  leave(a_job(1), {});
  EXPECT_THAT(resume(), IsEmpty());
  EXPECT_EQ(submit(a_job(1)), 3);
  EXPECT_EQ(scheduler_.job(1)->current_run, 41);
  EXPECT_EQ(scheduler_.job(2)->queue_position, 1U);
  EXPECT_EQ(scheduler_.job(3)->queue_position, 2U);
}

// Owners take turns, so the job that was under way need not have the lowest number.
TEST_F(ResumptionTest, the_job_that_had_begun_goes_on_before_those_of_other_owners) {
  leave(a_job(2), {}, 1000);
  leave(a_job(2), {}, 1000);
  leave(a_job(2), {RunState::interrupted}, 2000);
  EXPECT_THAT(resume(), IsEmpty());
  EXPECT_EQ(scheduler_.job(3)->queue_position, 0U);
  EXPECT_EQ(scheduler_.job(3)->state, JobState::running);
  EXPECT_EQ(scheduler_.job(1)->queue_position, 1U);
  EXPECT_EQ(scheduler_.job(2)->queue_position, 2U);
}

TEST_F(ResumptionTest, the_job_for_which_the_machine_was_booted_goes_on_first) {
  leave(a_job(2), {}, 1000);
  leave(a_job(2), {}, 2000);
  EXPECT_THAT(resume(2), IsEmpty());
  EXPECT_EQ(scheduler_.job(2)->queue_position, 0U);
  EXPECT_EQ(scheduler_.job(1)->queue_position, 1U);
}

TEST_F(ResumptionTest, a_design_goes_on_with_its_next_block) {
  JobSpec spec = a_design();
  spec.repeat = 3;
  leave(spec, {RunState::finished, RunState::finished, RunState::finished, RunState::finished,
               RunState::finished, RunState::interrupted});
  EXPECT_THAT(resume(), IsEmpty());
  const auto job = scheduler_.job(1);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->current_run, 49) << "the ninth run begins the third block";
  EXPECT_EQ(job->design->seed, kSeed);
  EXPECT_EQ(job->slots, draw_slots(spec, kSeed));
  for (const RunId run : {47, 48}) {
    EXPECT_EQ(store_.runs.at(run).state, RunState::interrupted);
    EXPECT_THAT(error_of(run), HasSubstr("block"));
  }
  const std::string side = name_of(job->slots[8]);
  end_commands("list");
  EXPECT_EQ(now_on_, side);
  EXPECT_EQ(workload_.runs.size(), 1U);
}

TEST_F(ResumptionTest, a_block_that_had_not_begun_is_measured) {
  JobSpec spec = a_design();
  spec.repeat = 2;
  leave(spec, std::vector(4, RunState::finished));
  EXPECT_THAT(resume(), IsEmpty());
  EXPECT_EQ(scheduler_.job(1)->current_run, 45);
}

TEST_F(ResumptionTest, a_design_whose_last_block_was_broken_off_has_ended) {
  leave(a_design(), {RunState::finished, RunState::interrupted});
  EXPECT_THAT(resume(), ElementsAre(HasSubstr("last block")));
  EXPECT_FALSE(scheduler_.job(1));
  EXPECT_THAT(states(), ElementsAre(RunState::finished, RunState::interrupted, RunState::interrupted,
                                    RunState::interrupted));
}

TEST_F(ResumptionTest, a_job_tied_to_its_caller_ends_with_the_reason) {
  leave(a_job(2), {RunState::interrupted});
  store_.unfinished.front().tied = true;
  EXPECT_THAT(resume(), ElementsAre(HasSubstr("tied to its caller")));
  EXPECT_FALSE(scheduler_.job(1));
  EXPECT_EQ(store_.runs.at(42).state, RunState::canceled);
  EXPECT_THAT(error_of(42), HasSubstr("tied to its caller"));
}

TEST_F(ResumptionTest, a_damaged_job_ends_with_the_reason_and_the_others_go_on) {
  leave(a_job(2), {});
  leave(a_job(2), {});
  store_.unfinished.front().damage = "job 1: table budgets is damaged";
  EXPECT_THAT(resume(), ElementsAre(HasSubstr("damaged: job 1: table budgets is damaged")));
  EXPECT_FALSE(scheduler_.job(1));
  EXPECT_EQ(store_.runs.at(41).state, RunState::canceled);
  EXPECT_THAT(error_of(42), HasSubstr("table budgets is damaged"));
  EXPECT_EQ(scheduler_.job(2)->current_run, 43);
}

TEST_F(ResumptionTest, a_text_that_this_version_refuses_ends_the_job_with_the_reason) {
  leave(a_job(2), {});
  scenarios_.refusal = Error{ErrorKind::invalid_argument, "job 1:3: no such key"};
  EXPECT_THAT(resume(), ElementsAre(HasSubstr("job 1:3: no such key")));
  EXPECT_EQ(store_.runs.at(41).state, RunState::canceled);
}

TEST_F(ResumptionTest, another_order_than_the_stored_one_ends_the_job) {
  JobSpec spec = a_design();
  spec.repeat = 2;
  leave(spec, {});
  auto& runs = store_.unfinished.front().runs;
  const auto other = std::ranges::find_if(
      runs, [&](const StoredRun& run) { return run.slot.variant != runs.front().slot.variant; });
  ASSERT_NE(other, runs.end());
  std::swap(runs.front().slot.variant, other->slot.variant);
  EXPECT_THAT(resume(), ElementsAre(HasSubstr("another order")));
}

TEST_F(ResumptionTest, another_build_than_the_stored_one_ends_the_job) {
  JobSpec spec = a_design();
  for (auto* variant : {&*spec.design->a, &*spec.design->b}) variant->builds = {"1", "2"};
  leave(spec, {});
  EXPECT_THAT(resume(), ElementsAre(HasSubstr("another order"))) << "the stored runs name no build";
}

TEST_F(ResumptionTest, a_sweep_goes_on_and_other_points_than_the_stored_ones_end_it) {
  JobSpec spec = a_design();
  spec.repeat = 2;
  spec.design->sweep = {{.key = "streams", .values = {"4", "16"}}};
  leave(spec, std::vector(8, RunState::finished));
  const std::vector<StoredRun> runs = store_.unfinished.front().runs;
  EXPECT_THAT(resume(), IsEmpty());
  EXPECT_EQ(scheduler_.job(1)->current_run, 49);

  store_.unfinished.front().runs[9].slot.point = 3 - runs[9].slot.point;
  EXPECT_THAT(resume(), ElementsAre(HasSubstr("another order")));
  store_.unfinished.front().runs = runs;
  scenarios_.job.design->sweep.front().values.back() = "64";
  EXPECT_THAT(resume(), ElementsAre(HasSubstr("another order"))) << "the text gives the point another value";
}

TEST_F(ResumptionTest, a_deleted_run_does_not_shift_the_others) {
  JobSpec spec = a_design();
  spec.repeat = 2;
  leave(spec, std::vector(4, RunState::finished));
  store_.unfinished.front().runs.erase(store_.unfinished.front().runs.begin());
  EXPECT_THAT(resume(), IsEmpty());
  EXPECT_EQ(scheduler_.job(1)->current_run, 45);
}

TEST_F(ResumptionTest, a_job_whose_runs_end_the_daemon_again_and_again_is_given_up) {
  const auto end = RunState::interrupted;
  leave(a_job(9), {end, end, RunState::finished, end, end});
  EXPECT_THAT(resume(), IsEmpty()) << "two in a row are not three";
  store_.unfinished.clear();
  leave(a_job(9), {RunState::finished, end, end, end});
  EXPECT_THAT(resume(), ElementsAre(HasSubstr("the last 3 of its runs were interrupted")));
  store_.unfinished.clear();
  JobSpec design = a_design();
  design.repeat = 4;
  leave(design, std::vector(12, end));
  EXPECT_THAT(resume(), ElementsAre(HasSubstr("the last 3 of its blocks were interrupted")));
}

JobSpec until_decided() {
  JobSpec spec = a_design();
  spec.repeat = 40;
  spec.until_decided = true;
  return spec;
}

// Looks are at 8, 12, 18, 27 and 40 blocks.
TEST_F(ResumptionTest, a_job_that_was_to_be_looked_at_is_looked_at_before_its_next_block) {
  leave(until_decided(), std::vector(12 * 4, RunState::finished));
  judge_.verdicts = {Verdict::regression};
  EXPECT_THAT(resume(), IsEmpty());
  EXPECT_THAT(judge_.asked, ElementsAre(1));
  EXPECT_EQ(scheduler_.job(1)->state, JobState::finished);
  EXPECT_EQ(scheduler_.job(1)->runs_finished, 48U);
  EXPECT_EQ(error_of(41 + 48), "not needed: decided after 12 blocks");
  EXPECT_TRUE(workload_.runs.empty());
}

TEST_F(ResumptionTest, a_job_is_looked_at_though_the_block_before_was_broken_off) {
  std::vector<RunState> states(12 * 4 - 2, RunState::finished);
  states.push_back(RunState::interrupted);
  leave(until_decided(), states);
  judge_.verdicts = {Verdict::equivalent};
  EXPECT_THAT(resume(), IsEmpty());
  EXPECT_THAT(judge_.asked, ElementsAre(1));
  EXPECT_EQ(store_.runs.at(41 + 48).state, RunState::canceled);
  EXPECT_EQ(scheduler_.job(1)->state, JobState::failed) << "runs of it have no measurement";
}

TEST_F(ResumptionTest, a_job_between_two_looks_is_not_looked_at) {
  leave(until_decided(), std::vector(9 * 4, RunState::finished));
  judge_.verdicts = {Verdict::regression};
  EXPECT_THAT(resume(), IsEmpty());
  EXPECT_THAT(judge_.asked, IsEmpty());
  EXPECT_EQ(scheduler_.job(1)->current_run, 41 + 36);
}

TEST_F(ResumptionTest, a_first_run_that_cannot_be_prepared_ends_the_job) {
  leave(a_job(3), {RunState::finished});
  workload_.refusal = Error{ErrorKind::not_found, "no network namespace left"};
  EXPECT_THAT(resume(), IsEmpty());
  EXPECT_THAT(states(), ElementsAre(RunState::finished, RunState::failed, RunState::canceled));
  EXPECT_THAT(error_of(43), HasSubstr("no network namespace left"));
}

TEST_F(ResumptionTest, a_later_run_that_cannot_be_prepared_costs_only_itself) {
  leave(a_job(4), {RunState::finished});
  EXPECT_THAT(resume(), IsEmpty());
  workload_.refusal = Error{ErrorKind::not_found, "no network namespace left"};
  end_run();
  EXPECT_THAT(states(),
              ElementsAre(RunState::finished, RunState::finished, RunState::failed, RunState::failed));
}

TEST_F(ResumptionTest, a_store_that_refuses_is_told_and_does_not_keep_the_daemon_from_starting) {
  leave(a_design(), {RunState::finished});
  store_.refusal = Error{ErrorKind::no_space, "disk full"};
  EXPECT_THAT(resume(), ElementsAre(HasSubstr("disk full")));
  EXPECT_FALSE(scheduler_.job(1));
}

TEST_F(ResumptionTest, the_expected_end_counts_only_runs_since_the_restart) {
  leave(a_job(4), {RunState::finished, RunState::finished});
  EXPECT_THAT(resume(), IsEmpty());
  const WallTime began = clock_.now();
  EXPECT_EQ(scheduler_.job(1)->expected_end, began + 2 * std::chrono::seconds{10});
  clock_.advance(std::chrono::seconds{20});
  end_run();
  EXPECT_EQ(scheduler_.job(1)->expected_end, began + std::chrono::seconds{40});
}

TEST_F(ResumptionTest, a_job_that_root_no_longer_allows_is_not_resumed) {
  leave(a_job(2), {});
  scenarios_.refusal = Error{ErrorKind::access_denied, "allow.hosts"};
  EXPECT_THAT(resume(), ElementsAre(HasSubstr("it is no longer allowed: allow.hosts")));
  EXPECT_TRUE(scenarios_.limited) << "its owner is a member";
}

TEST_F(ResumptionTest, a_job_of_roots_is_not_limited) {
  leave(a_job(2), {});
  store_.unfinished.back().owner = 0;
  scenarios_.limited = true;
  EXPECT_THAT(resume(), IsEmpty());
  EXPECT_FALSE(scenarios_.limited);
}

}  // namespace
}  // namespace netperfd::core
