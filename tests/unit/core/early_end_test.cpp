// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs that measure until their comparison is decided.
#include "daemon/core/queue/early_end.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "daemon/core/comparison/job_comparison.hpp"
#include "daemon/core/queue/feasibility.hpp"
#include "tests/unit/core/design_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Up to 40 blocks, so that the looks are at 8, 12, 18, 27 and 40.
JobSpec until_decided() {
  JobSpec spec = a_design();
  spec.forced = false;
  spec.design->a = Variant{.name = "list", .apply = {}, .verify = {}, .builds = {}};
  spec.design->b = Variant{.name = "hash", .apply = {}, .verify = {}, .builds = {}};
  spec.repeat = 40;
  spec.until_decided = true;
  return spec;
}

class EarlyEnd : public DesignRuns {
 protected:
  void end_blocks(int blocks) {
    for (int run = 0; run < 4 * blocks; ++run) end_run();
  }
  [[nodiscard]] JobStatus status() const { return *scheduler_.job(1); }
};

TEST_F(EarlyEnd, comes_at_the_first_look_if_that_decides) {
  judge_.verdicts = {Verdict::improvement};
  submit(until_decided());
  end_blocks(7);
  EXPECT_THAT(judge_.asked, IsEmpty());
  end_blocks(1);
  EXPECT_THAT(judge_.asked, ElementsAre(1));
  EXPECT_EQ(status().state, JobState::finished);
  EXPECT_EQ(status().runs_finished, 32U);
  EXPECT_EQ(status().runs_ended, 160U);
  EXPECT_EQ(status().error, "");
  EXPECT_EQ(status().look, "received +1.2 % (-0.3 to +2.9 %), decided at 8 of at most 40 blocks");
  EXPECT_EQ(workload_.runs.size(), 32U);
  for (const RunId run : {41 + 32, 41 + 159}) {
    EXPECT_EQ(store_.runs.at(run).state, RunState::canceled);
    EXPECT_EQ(error_of(run), "not needed: decided after 8 blocks");
  }
}

TEST_F(EarlyEnd, comes_at_the_third_look_if_that_decides) {
  judge_.verdicts = {Verdict::inconclusive, Verdict::too_few, Verdict::equivalent};
  submit(until_decided());
  end_blocks(8);
  EXPECT_EQ(status().look,
            "received +1.2 % (-0.3 to +2.9 %), undecided at 8 of at most 40 blocks; next look at 12");
  EXPECT_EQ(status().state, JobState::running);
  end_blocks(9);
  EXPECT_THAT(judge_.asked, SizeIs(2));
  EXPECT_EQ(status().state, JobState::running);
  end_blocks(1);
  EXPECT_THAT(judge_.asked, SizeIs(3));
  EXPECT_EQ(status().state, JobState::finished);
  EXPECT_EQ(status().runs_finished, 72U);
  EXPECT_EQ(error_of(41 + 72), "not needed: decided after 18 blocks");
}

TEST_F(EarlyEnd, does_not_come_if_nothing_decides) {
  judge_.verdicts = std::vector(4, Verdict::inconclusive);
  submit(until_decided());
  end_blocks(40);
  EXPECT_THAT(judge_.asked, SizeIs(4)) << "after the last block nothing is left to cancel";
  EXPECT_EQ(status().state, JobState::finished);
  EXPECT_EQ(status().runs_finished, 160U);
}

TEST_F(EarlyEnd, does_not_come_if_the_sides_cannot_be_compared) {
  judge_.refusal = Error{ErrorKind::not_found, "side A has no finished run"};
  submit(until_decided());
  end_blocks(8);
  EXPECT_EQ(status().look,
            "not compared at 8 of at most 40 blocks: side A has no finished run; next look at 12");
  EXPECT_EQ(status().state, JobState::running);
  EXPECT_EQ(status().error, "");
}

TEST_F(EarlyEnd, is_not_of_a_job_with_a_fixed_number_of_blocks) {
  JobSpec spec = until_decided();
  spec.until_decided = false;
  judge_.verdicts = std::vector(5, Verdict::improvement);
  submit(spec);
  end_blocks(40);
  EXPECT_THAT(judge_.asked, IsEmpty());
  EXPECT_EQ(status().look, "");
}

TEST_F(EarlyEnd, brings_the_machine_back) {
  JobSpec spec = without_checks(a_design());
  spec.repeat = 40;
  spec.until_decided = true;
  seed_ = 0;
  while (draw_slots(spec, seed_).at(31).variant != 'B') ++seed_;
  judge_.verdicts = {Verdict::regression};
  submit(spec);
  for (int run = 0; run < 32; ++run) {
    end_commands("list");
    end_run();
  }
  EXPECT_EQ(command(), "/x/switch list");
  EXPECT_EQ(status().state, JobState::running) << "the machine is not back yet";
  end_commands("hash");
  EXPECT_EQ(status().state, JobState::finished);
  EXPECT_EQ(status().runs_finished, 32U);
}

TEST_F(EarlyEnd, lets_the_next_job_begin) {
  judge_.verdicts = {Verdict::improvement};
  submit(until_decided());
  submit(a_job());
  end_blocks(8);
  EXPECT_EQ(scheduler_.job(2)->state, JobState::running);
}

TEST_F(EarlyEnd, is_no_cancellation_but_a_stop_is_one) {
  submit(until_decided());
  end_blocks(3);
  ASSERT_TRUE(scheduler_.stop(1, "stopped by uid 1000"));
  workload_.last().end(a_measurement());
  clock_.turn();
  EXPECT_EQ(status().state, JobState::canceled);
}

TEST_F(EarlyEnd, of_a_job_that_cannot_be_stored_is_told_as_a_failure) {
  judge_.verdicts = {Verdict::improvement};
  submit(until_decided());
  end_blocks(7);
  for (int run = 0; run < 3; ++run) end_run();
  workload_.last().become_prepared();
  workload_.last().end(a_measurement());
  store_.refusal = Error{ErrorKind::no_space, "disk full"};
  clock_.turn();
  EXPECT_EQ(status().state, JobState::failed);
  EXPECT_THAT(status().error, HasSubstr("disk full"));
}

Comparison of(const std::vector<Verdict>& verdicts) {
  Comparison comparison;
  for (const Verdict verdict : verdicts) comparison.figures.emplace_back().verdict = verdict;
  return comparison;
}

TEST(Decision, takes_each_figure) {
  EXPECT_TRUE(is_decided(of({Verdict::improvement})));
  EXPECT_TRUE(is_decided(of({Verdict::regression, Verdict::equivalent, Verdict::improvement})));
  EXPECT_FALSE(is_decided(of({Verdict::improvement, Verdict::inconclusive})))
      << "the other one could still be a regression";
  EXPECT_FALSE(is_decided(of({Verdict::refused})));
  EXPECT_FALSE(is_decided(of({Verdict::too_few})));
  EXPECT_FALSE(is_decided(of({})));
}

RunRow run_of(std::uint32_t block, RunState state) {
  RunRow run;
  run.slot.block = block;
  run.state = state;
  return run;
}

TEST(EndedBlocks, are_those_before_the_first_run_to_come) {
  using enum RunState;
  EXPECT_EQ(ended_blocks({run_of(1, finished), run_of(1, finished)}), 1U);
  EXPECT_EQ(ended_blocks({run_of(1, finished), run_of(1, failed), run_of(2, finished), run_of(2, running)}),
            1U);
  EXPECT_EQ(ended_blocks({run_of(1, interrupted), run_of(2, finished), run_of(3, canceled)}), 2U);
  EXPECT_EQ(ended_blocks({run_of(1, pending)}), 0U);
  EXPECT_EQ(ended_blocks({run_of(1, finished), run_of(2, canceled), run_of(2, canceled)}), 1U);
}

TEST(Feasibility, of_a_job_until_it_is_decided_is_that_of_its_first_look) {
  JobSpec spec = until_decided();
  EXPECT_EQ(fewest_blocks(spec), 8U);
  EXPECT_THAT(why_no_answer(spec), IsEmpty());
  spec.repeat = 6;
  EXPECT_EQ(fewest_blocks(spec), 6U) << "one look has the whole level";
  EXPECT_THAT(why_no_answer(spec), IsEmpty());
  spec.figures.resize(2);
  EXPECT_THAT(
      why_no_answer(spec),
      ElementsAre("6 blocks are too few: the intervals of 2 figures together take 7. Set `until.most: 7`"));
}

}  // namespace
}  // namespace netperfd::core
