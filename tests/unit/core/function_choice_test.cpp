// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/function_choice.hpp"

#include <gmock/gmock.h>

#include "tests/unit/core/design_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Names = std::vector<std::string>;

TEST(FunctionsOfOneSide, are_those_that_the_other_has_under_no_name) {
  EXPECT_THAT(functions_of_one_side({"a", "b", "c"}, {"b", "c", "d"}), ElementsAre("a", "d"));
  EXPECT_THAT(functions_of_one_side({"a"}, {"a"}), IsEmpty());
}

TEST(FunctionsOfOneSide, are_not_those_that_a_compiler_renamed) {
  EXPECT_THAT(functions_of_one_side({"node.isra.0", "walk"}, {"node", "walk.part.2", "hash.constprop.0"}),
              ElementsAre("hash.constprop.0"));
}

TEST(FunctionsOfOneSide, are_parts_that_a_compiler_split_off_on_that_side) {
  EXPECT_THAT(functions_of_one_side({"walk", "walk.part.0"}, {"walk"}), ElementsAre("walk.part.0"));
  EXPECT_THAT(functions_of_one_side({"walk.part.0", "walk.part.1"}, {"walk.isra.0"}),
              ElementsAre("walk.isra.0", "walk.part.0", "walk.part.1"));
}

JobSpec a_traced_design() {
  JobSpec spec = without_checks(a_design());
  spec.trace.emplace().function_graph.emplace().module = "hsr";
  return spec;
}

class CommonFunctionsOfAJob : public DesignRuns {
 protected:
  void run_all() {
    for (std::size_t run = 0; run < 4; ++run) {
      while (commands_.is_running()) end_command();
      workload_.last().become_prepared();
      workload_.last().end(a_measurement());
      tracer_.last().end({});
      clock_.turn();
    }
    while (commands_.is_running()) end_command();
  }
};

TEST_F(CommonFunctionsOfAJob, are_what_all_runs_trace_and_the_rest_is_named) {
  const Names list{"hsr_get_node", "hsr_xmit"};
  const Names hash{"hsr_get_node", "hsr_hash", "hsr_xmit"};
  // The side of the first run is asked last.
  tracer_.function_lists = {list, hash};
  submit(a_traced_design());
  run_all();
  ASSERT_EQ(tracer_.specs.size(), 4U);
  for (const TraceSpec& spec : tracer_.specs) {
    EXPECT_THAT(spec.function_graph->left_out, ElementsAre("hsr_hash"));
  }
  for (const auto& [id, run] : store_.runs) {
    ASSERT_EQ(run.record->flags.size(), 1U);
    EXPECT_EQ(run.record->flags[0].code, kFunctionsLeftOut);
    EXPECT_THAT(run.record->flags[0].message, HasSubstr("hsr_hash"));
  }
}

TEST_F(CommonFunctionsOfAJob, are_all_where_both_sides_have_the_same) {
  tracer_.function_lists = {{"hsr_xmit"}};
  submit(a_traced_design());
  run_all();
  for (const TraceSpec& spec : tracer_.specs) EXPECT_THAT(spec.function_graph->left_out, IsEmpty());
  for (const auto& [id, run] : store_.runs) EXPECT_THAT(run.record->flags, IsEmpty());
}

TEST_F(CommonFunctionsOfAJob, are_not_asked_for_where_no_function_is_traced) {
  JobSpec spec = a_traced_design();
  spec.trace->function_graph.reset();
  submit(std::move(spec));
  run_all();
  EXPECT_EQ(tracer_.functions_asked, 0U);
}

TEST_F(CommonFunctionsOfAJob, leave_nothing_out_where_a_side_cannot_tell) {
  tracer_.function_lists = {{}, {"hsr_xmit"}};
  submit(a_traced_design());
  run_all();
  for (const TraceSpec& spec : tracer_.specs) EXPECT_THAT(spec.function_graph->left_out, IsEmpty());
}

TEST_F(CommonFunctionsOfAJob, end_with_the_job_that_is_stopped_meanwhile) {
  tracer_.function_lists = {{"hsr_xmit"}};
  const JobId job = submit(a_traced_design());
  ASSERT_TRUE(commands_.is_running());
  ASSERT_TRUE(scheduler_.stop(job, "enough"));
  while (commands_.is_running()) end_command();
  EXPECT_THAT(states(), Each(RunState::canceled));
  EXPECT_EQ(tracer_.functions_asked, 0U);
}

}  // namespace
}  // namespace netperfd::core
