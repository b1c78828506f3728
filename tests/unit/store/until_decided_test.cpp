// SPDX-License-Identifier: GPL-2.0-or-later
// Stored jobs that measured until they were decided.
#include <gmock/gmock.h>

#include <chrono>
#include <string>

#include "daemon/model/run_state.hpp"
#include "tests/unit/store/design_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::Contains;
using testing::Not;
using testing::StartsWith;

JobSpec until_decided() {
  JobSpec spec = a_design();
  spec.repeat = 40;
  spec.until_decided = true;
  spec.design->changed = {"iperf3"};  // a change of code would have to be beyond the luck of builds
  spec.text = "name: hsr\nuntil:\n  decided: ~\n  most: 40\n";
  return spec;
}

class UntilDecided : public Designs {
 protected:
  // A job whose first blocks are measured; B is 5 % faster.
  core::NewJob measured(const JobSpec& spec, std::uint32_t blocks) {
    const auto slots = draw_slots(spec, spec.design->seed.value_or(0));
    core::NewJob job = must(store->add_job(spec, slots, kOwner, kMorning));
    for (std::size_t i = 0; i < slots.size() && slots[i].block <= blocks; ++i) {
      bring_to_collecting(*store, job.runs[i]);
      RunRecord record = a_record(job.runs[i], 1, 2);
      record.started = kMorning + std::chrono::minutes{i};
      record.ended = *record.started + std::chrono::seconds{10};
      record.workload.report.sums.front().received_bits_per_second =
          kRate * (slots[i].variant == 'B' ? 1.05 : 1) * (1 + 1e-4 * static_cast<double>(i));
      must(store->finish(record));
    }
    return job;
  }
};

TEST_F(UntilDecided, are_compared_at_the_level_of_their_looks) {
  const JobId job = measured(until_decided(), 12).id;
  const Comparison looked = compared(job).comparison;
  EXPECT_EQ(looked.effect.n_a, 12U);
  EXPECT_GE(looked.effect.level, 0.99);
  EXPECT_THAT(looked.caveats, Contains(StartsWith("Look 2 of 5, after 12 of at most 40 blocks.")));
  JobSpec fixed = until_decided();
  fixed.text = "name: hsr\nlabel: \"until:\"\nrepeat: 40\n";
  const Comparison of_fixed = compared(measured(fixed, 12).id).comparison;
  EXPECT_LT(of_fixed.effect.level, 0.98);
  EXPECT_THAT(of_fixed.caveats, Not(Contains(StartsWith("Look"))));
}

TEST_F(UntilDecided, are_judged_as_they_are_compared) {
  const JobId job = measured(until_decided(), 12).id;
  core::StoredJobJudge judge(*store);
  const Comparison judged = must(judge.judge(job));
  const Comparison answer = compared(job).comparison;
  EXPECT_EQ(judged.verdict, Verdict::improvement);
  EXPECT_EQ(judged.verdict, answer.verdict);
  EXPECT_EQ(judged.effect.low, answer.effect.low);
  EXPECT_EQ(judged.effect.high, answer.effect.high);
}

TEST_F(UntilDecided, cannot_be_judged_before_a_run_of_each_side_has_finished) {
  core::StoredJobJudge judge(*store);
  EXPECT_FALSE(judge.judge(measured(until_decided(), 0).id));
}

TEST_F(UntilDecided, count_runs_that_were_not_needed_apart) {
  const core::NewJob job = measured(until_decided(), 12);
  must(store->cancel_pending(job.id, std::string(kNotNeeded) + "decided after 12 blocks"));
  const core::JobRow row = must(store->jobs({}, "", 1)).rows.at(0);
  EXPECT_EQ(std::ranges::count(row.runs, false, &core::JobRow::Run::needed), 28 * 4);
  EXPECT_EQ(core::ended_blocks(must(store->runs_of_job(job.id))), 12U);
  const core::NewJob stopped = measured(until_decided(), 12);
  must(store->cancel_pending(stopped.id, "stopped by uid 1000"));
  EXPECT_EQ(
      std::ranges::count(must(store->jobs({}, "", 1)).rows.at(0).runs, false, &core::JobRow::Run::needed), 0);
}

TEST_F(UntilDecided, tell_their_most_blocks_even_as_pilots) {
  EXPECT_EQ(must(store->until_of_job(measured(until_decided(), 1).id)), 40U);
  JobSpec pilot = until_decided();
  pilot.purpose = JobPurpose::pilot;
  pilot.repeat = 6;
  EXPECT_EQ(must(store->until_of_job(measured(pilot, 1).id)), 40U);
  for (const char* text : {"name: hsr\nlabel: \"until:\"\nrepeat: 40\n", "name: hsr\nother:\n  most: 40\n",
                           "until:\n  decided: ~\nother:\n  most: 40\n", "until:\n  most: 4x\n", ""}) {
    JobSpec other = until_decided();
    other.text = text;
    EXPECT_FALSE(must(store->until_of_job(measured(other, 1).id))) << text;
  }
  EXPECT_FALSE(must(store->until_of_job(999)));
}

TEST_F(UntilDecided, are_no_pilots_and_self_tests) {
  JobSpec pilot = until_decided();
  pilot.purpose = JobPurpose::pilot;
  EXPECT_FALSE(must(store->runs_of_job(measured(pilot, 1).id)).front().spec.until_decided);
  EXPECT_TRUE(must(store->runs_of_job(measured(until_decided(), 1).id)).front().spec.until_decided);
}

}  // namespace
}  // namespace netperfd::store
