// SPDX-License-Identifier: GPL-2.0-or-later
// The commands of a plan stay within what the daemon accepts.
#include "client/pages/plan_steps.hpp"

#include <gtest/gtest.h>

#include "client/pages/render.hpp"
#include "tests/unit/client/design_samples.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using Commands = std::vector<std::string>;

PlanView plan_of(const char* pairing, std::optional<std::uint32_t> needed) {
  PlanView plan;
  plan.pairing = pairing;
  plan.needed = needed;
  return plan;
}

PlanQuestion question(std::uint32_t runs_each, std::uint32_t repeat_limit) {
  return {.start = "netperfctl start hsr-ab",
          .label = "plan-36",
          .name_a = "list",
          .name_b = "a hash",
          .size = {.runs_each = runs_each, .repeat_limit = repeat_limit}};
}

TEST(PlanSteps, of_a_job_until_decided_are_one_command_if_the_daemon_takes_it) {
  PlanView plan = plan_of("blocks", 14);
  plan.until_most = 40;
  EXPECT_EQ(steps_of(plan, question(8, 125)).commands,
            (Commands{"netperfctl start hsr-ab --until-decided 40"}));
  EXPECT_EQ(steps_of(plan, question(8, 39)).commands, (Commands{"netperfctl start hsr-ab --repeat 14"}));
  plan.needed.reset();
  EXPECT_FALSE(steps_of(plan, question(8, 125)).most) << "the effect may be beyond a fixed number";
}

TEST(PlanSteps, blocks_of_one_job_are_one_command) {
  EXPECT_EQ(steps_of(plan_of("blocks", 125), question(8, 125)).commands,
            (Commands{"netperfctl start hsr-ab --repeat 125"}));
}

TEST(PlanSteps, more_blocks_than_a_job_takes_are_jobs_that_are_compared_together) {
  const PlanSteps steps = steps_of(plan_of("blocks", 201), question(8, 100));
  EXPECT_EQ(steps.commands,
            (Commands{"netperfctl start hsr-ab --repeat 67 --label plan-36",
                      "netperfctl start hsr-ab --repeat 67 --label plan-36",
                      "netperfctl start hsr-ab --repeat 67 --label plan-36",
                      "netperfctl compare 'label:plan-36 variant:list' 'label:plan-36 variant:\"a hash\"'"}));
  EXPECT_FALSE(steps.most);
}

TEST(PlanSteps, are_never_more_than_a_job_or_a_comparison_takes) {
  for (const std::uint32_t needed : {1U, 99U, 100U, 101U, 249U, 250U}) {
    const PlanSteps steps = steps_of(plan_of("blocks", needed), question(8, 100));
    ASSERT_FALSE(steps.commands.empty());
    std::uint32_t sum = 0;
    for (const std::string& command : steps.commands) {
      const auto at = command.find("--repeat ");
      if (at == std::string::npos) continue;
      const auto repeat = static_cast<std::uint32_t>(std::stoul(command.substr(at + 9)));
      EXPECT_LE(repeat, 100U);
      sum += repeat;
    }
    EXPECT_EQ(sum, needed);
  }
  const PlanSteps beyond = steps_of(plan_of("blocks", 251), question(8, 100));
  EXPECT_TRUE(beyond.commands.empty());
  EXPECT_EQ(beyond.most, 250U) << "1,000 runs a side, four of them in each block";
}

TEST(PlanSteps, of_runs_a_side_have_both_sides_and_their_comparison) {
  EXPECT_EQ(steps_of(plan_of("runs", 14), question(1, 10)).commands,
            (Commands{"netperfctl start hsr-ab --repeat 7 --label before",
                      "netperfctl start hsr-ab --repeat 7 --label before",
                      "netperfctl start hsr-ab --repeat 7 --label after",
                      "netperfctl start hsr-ab --repeat 7 --label after",
                      "netperfctl compare label:before label:after"}));
  EXPECT_EQ(steps_of(plan_of("runs", 10'869), question(1, 1000)).most, 1000U);
}

TEST(PlanSteps, of_boots_a_side_are_blocks_of_two_and_go_on_without_the_command) {
  PlanQuestion reboots = question(12, 1000);
  reboots.reboots = true;
  EXPECT_EQ(steps_of(plan_of("boots", 13), reboots).commands,
            (Commands{"netperfctl start hsr-ab --repeat 7 --detach"}));
  const PlanSteps most = steps_of(plan_of("boots", 1000), reboots);
  EXPECT_TRUE(most.commands.empty());
  EXPECT_EQ(most.most, 332U) << "166 blocks of 12 runs are what one comparison takes";
  EXPECT_EQ(steps_of(plan_of("boots", 600), question(4, 1000)).commands.size(), 3U)
      << "no job has more than 1,000 boots";
}

TEST(PlanSteps, that_are_unknown_are_not_made_up) {
  const PlanSteps beyond_a_million = steps_of(plan_of("blocks", {}), question(8, 125));
  EXPECT_TRUE(beyond_a_million.commands.empty());
  EXPECT_EQ(beyond_a_million.most, 250U);
  EXPECT_EQ(steps_of(plan_of("blocks", 6), question(8, 0)).most, 0U) << "not one block fits into a job";
  PlanView boots = plan_of("boots of blocks", 6);
  boots.blocks_each = 6;
  EXPECT_TRUE(steps_of(boots, question(8, 125)).commands.empty());
  EXPECT_FALSE(steps_of(boots, question(8, 125)).most);
  PlanQuestion nameless = question(4, 100);
  nameless.name_b.clear();
  EXPECT_EQ(steps_of(plan_of("blocks", 101), nameless).commands.size(), 2U) << "sides without names";
}

TEST(PlanPages, say_what_this_host_cannot_and_what_it_can) {
  PlanPageView page = samples::block_plan();
  page.plan.needed = 10'869;
  page.steps = {.commands = {}, .before_change = 0, .most = 250, .most_detectable = 1.021};
  expect_golden("plan_cannot_80.txt", plan_text(samples::terminal(80), page));
  expect_golden("plan_cannot.json", plan_json(page));
  page.steps = {.commands = {}, .before_change = 0, .most = 0, .most_detectable = {}};
  EXPECT_TRUE(has(plan_text(samples::terminal(80), page), "limits.repeat"));
}

TEST(PlanPages, never_break_a_command) {
  PlanPageView page = samples::block_plan();
  page.steps = steps_of(plan_of("blocks", 201), question(8, 100));
  const std::string text = plan_text(samples::terminal(60), page);
  for (const std::string& command : page.steps.commands) EXPECT_TRUE(has(text, command + "\n")) << text;
}

}  // namespace
}  // namespace netperfctl
