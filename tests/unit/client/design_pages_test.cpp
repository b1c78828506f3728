// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs with a design: the output of start, runs, jobs and show, and the pages of plan and selftest.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>
#include <string>

#include "client/base/command_words.hpp"
#include "client/pages/live_line.hpp"
#include "client/pages/render.hpp"
#include "client/pages/slots.hpp"
#include "client/terminal/table.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/design_samples.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

const Screen kTerminal = samples::terminal(80);

TEST(DesignPages, start_says_the_design_the_time_and_what_so_many_find) {
  const LiveJobView job = samples::interleaved();
  const std::string power = power_text(samples::block_plan().plan, "hsr-ab");
  std::string text = started_text(job, 0, false, false, power) + started_text(job, 1, false, false, "");
  text += started_text(samples::tracing_job(), 0, false, false, "");
  text += started_text(samples::selftest_job(), 0, false, false, "");
  text += started_text(samples::pilot_job(), 0, false, false, "");
  for (const std::size_t place : {0U, 1U, 2U}) {
    RunDetails details{samples::interleaved_start().runs.at(place), samples::tcp().details.sums, {}};
    text += run_end_text(kTerminal, details, &job) + run_end_text(kTerminal, details, nullptr);
  }
  text += job_end_text(samples::interleaved_start(), "");
  expect_golden("start_design_80.txt", text);
}

TEST(DesignPages, what_so_many_find_is_left_out_where_nobody_knows_it) {
  EXPECT_EQ(power_text({}, "hsr-ab"), "");
}

TEST(DesignPages, a_job_that_was_decided_early_is_done) {
  StartView view = samples::interleaved_start();
  for (RunView& run : view.runs) run.state = "finished";
  RunView& last = view.runs.back();
  last.state = "canceled";
  last.started_us.reset();
  last.error = "not needed: decided after 12 blocks";
  const auto finished = static_cast<std::uint32_t>(view.runs.size() - 1);
  view.job.job.finished = finished;
  view.job.job.failed = view.job.job.interrupted = view.job.job.canceled = 0;
  view.job.job.not_needed = 1;
  const std::string text = job_end_text(view, "");
  EXPECT_TRUE(has(
      text, fmt::format(" done: {} of {} runs finished, 1 not needed to decide it.", finished, finished + 1)))
      << text;
  EXPECT_FALSE(has(text, "not begun")) << text;
  EXPECT_TRUE(
      has(job_text(samples::one_line(), view, nullptr), fmt::format("{} finished, 1 not needed", finished)));
}

TEST(DesignPages, a_job_of_two_sides_has_no_median_of_both) {
  EXPECT_FALSE(has(job_end_text(samples::interleaved_start(), ""), "median"));
  EXPECT_TRUE(has(job_end_text(samples::started(), ""), "median"));
}

TEST(DesignPages, say_when_the_daemon_expects_the_end_of_a_job) {
  LiveJobView job = samples::interleaved();
  job.expected_end_us.reset();
  constexpr std::uint64_t kNow = 1'700'000'000'000'000;
  EXPECT_THAT(started_text(job, 0, false, false, "", kNow), testing::HasSubstr("done in about 3 min 12 s"));
  job.expected_end_us = kNow + 480'000'000;
  EXPECT_THAT(started_text(job, 0, false, false, "", kNow), testing::HasSubstr("done in about 8 min"));
}

TEST(DesignPages, live_line_names_the_arm) {
  const LiveLine line{samples::interleaved(), {}};
  EXPECT_EQ(line.state_text(), "run 103  3/16  block 1, B hash, traced  running");
}

TEST(DesignPages, sides_are_said_by_letter_and_name) {
  EXPECT_EQ(side_words('A', "list"), "A list");
  EXPECT_EQ(side_words('B', "B"), "B");
  EXPECT_EQ(side_words('B', ""), "B");
  EXPECT_EQ(slot_words(samples::runs().front()), "");
  EXPECT_EQ(slot_words(samples::jobs().front(), 0), "");
  EXPECT_EQ(slot_words(samples::interleaved(), 99), "");
  EXPECT_EQ(design_words(samples::jobs().front()), "");
}

TEST(DesignPages, name_the_point_of_a_sweep) {
  RunView run;
  run.block = 2;
  run.letter = 3;
  run.side = "B";
  run.variant = "hash";
  run.traced = false;
  EXPECT_EQ(slot_words(run), "block 2, B hash, plain");
  run.point = 4;
  run.point_name = "streams=16, length=512";
  EXPECT_EQ(slot_words(run), "block 2, streams=16, length=512, B hash, plain");
  EXPECT_EQ(short_slot_words(run), "2B plain hash streams=16, length=512");
  run.variant = "B";
  EXPECT_EQ(short_slot_words(run), "2B plain streams=16, length=512");
  EXPECT_THAT(runs_json({&run, 1}, false), testing::HasSubstr(R"("point": 4)"));
}

TEST(DesignPages, runs_jobs_and_show_name_the_arm) {
  const std::vector<LiveJobView> jobs{samples::interleaved(), samples::jobs().back()};
  expect_golden("runs_design_80.txt", runs_text(kTerminal, samples::interleaved_runs(), false, false));
  expect_golden("runs_design_pipe.txt",
                runs_text(samples::pipe(), samples::interleaved_runs(), false, false));
  expect_golden("jobs_design_pipe.txt", jobs_text(samples::pipe(), jobs));
  expect_golden("show_design_80.txt", show_text(kTerminal, samples::interleaved_run()));
}

TEST(DesignPages, only_runs_of_a_design_have_a_column_for_it) {
  EXPECT_FALSE(has(runs_text(samples::pipe(), samples::runs(), false, false), "ARM"));
  EXPECT_FALSE(has(jobs_text(samples::pipe(), samples::jobs()), "ARM"));
}

TEST(DesignPages, sides_of_a_job_are_compared_by_name) {
  const std::string page = compare_text(kTerminal, samples::ring_sides());
  expect_golden("compare_job_80.txt", page);
  EXPECT_TRUE(has(page, "A: list, 24 runs   B: hash, 24 runs"));
  EXPECT_TRUE(has(page, "hsr_addr_is_self #2"));
}

TEST(DesignPages, without_variants_the_headline_is_what_tracing_costs) {
  const std::string page = compare_text(kTerminal, samples::tracing_cost());
  expect_golden("compare_tracing_cost_80.txt", page);
  EXPECT_TRUE(has(page, "A: plain, 6 runs   B: traced, 6 runs"));
  EXPECT_FALSE(has(page, "ABBA"));
}

TEST(DesignPages, a_self_test_that_fooled_itself_stands_beside_every_result) {
  CompareView view = samples::hash_table();
  view.details.comparison.selftest.verdict = "regression";
  EXPECT_TRUE(has(compare_text(samples::pipe(), view), "regression, where nothing differs")) << "not hidden";
  EXPECT_FALSE(has(compare_text(samples::pipe(), view), "netperfctl selftest"));
  EXPECT_TRUE(has(compare_text(samples::pipe(), samples::noisy()), "netperfctl selftest veth-tcp"));
}

TEST(SelftestPages, say_what_this_host_resolves) {
  expect_golden("selftest_equivalent_80.txt", selftest_text(kTerminal, samples::self_equivalent()));
  expect_golden("selftest_inconclusive_80.txt", selftest_text(kTerminal, samples::self_inconclusive()));
}

TEST(SelftestPages, say_clearly_where_the_host_fools_itself) {
  const std::string page = selftest_text(kTerminal, samples::self_fooled());
  expect_golden("selftest_fooled_80.txt", page);
  EXPECT_TRUE(has(page, "This host fools itself, or chance does"));
  CompareView unknown = samples::self_fooled();
  unknown.details.comparison.effect.level.reset();
  EXPECT_FALSE(has(selftest_text(samples::pipe(), unknown), "one self-test in"));
  EXPECT_FALSE(has(selftest_text(kTerminal, samples::self_equivalent()), "fools"));
}

TEST(PlanPages, say_how_many_and_how_long) {
  expect_golden("plan_blocks_80.txt", plan_text(kTerminal, samples::block_plan()));
  expect_golden("plan_runs_80.txt", plan_text(kTerminal, samples::run_plan()));
  expect_golden("plan_runs_pipe.txt", plan_text(samples::pipe(), samples::run_plan()));
}

TEST(PlanPages, of_a_job_until_decided_say_when_it_ends) {
  PlanPageView plan = samples::until_plan();
  const std::string page = plan_text(kTerminal, plan);
  expect_golden("plan_until_80.txt", page);
  EXPECT_TRUE(has(page, "UNTIL DECIDED")) << page;
  EXPECT_FALSE(has(page, "so far")) << "these 40 blocks are no fixed number";
  EXPECT_FALSE(has(plan_text(kTerminal, samples::block_plan()), "UNTIL DECIDED"));
  EXPECT_LE(table_width(page), 80U);
  plan.plan.figures = {"received", "sent"};
  const auto on_one_line = [&plan] {
    return std::regex_replace(plan_text(samples::pipe(), plan), std::regex("\n +"), " ");
  };
  EXPECT_TRUE(has(on_one_line(), "The other figures may take more")) << on_one_line();
  plan.plan.until_seconds.reset();
  plan.plan.until_seconds_same.reset();
  plan.plan.until_most_seconds.reset();
  EXPECT_TRUE(has(
      on_one_line(),
      "takes 10 blocks on average if there is a difference of 2 % (92 % of such jobs are decided); 11 blocks "
      "if there is none (>99 %); 40 blocks at worst"))
      << on_one_line();
}

TEST(PlanPages, of_boots_say_how_many_a_side_and_how_long) {
  const std::string page = plan_text(kTerminal, samples::boot_plan());
  expect_golden("plan_boots_80.txt", page);
  EXPECT_TRUE(has(page, "14 boots a side find it")) << page;
  EXPECT_TRUE(has(page, "with 80 % power, 28")) << page;
  EXPECT_TRUE(has(page, "planned from scenario:kernels last:1000"));
}

TEST(PlanPages, tell_what_a_pilot_does_to_the_machine) {
  EXPECT_EQ(
      pilot_with_boots_text("kernels", {.boots = 24, .seconds = 7800}),
      "kernels reboots this machine, and the store has not enough of its boots to plan from.\n"
      "A pilot takes 24 boots, about 2 h 10 min. It goes on by itself after each boot; `netperfctl stop JOB` "
      "ends it.\n");
  EXPECT_TRUE(
      has(pilot_with_boots_text("kernels", {.boots = 24, .seconds = {}}), "A pilot takes 24 boots. It"));
  EXPECT_FALSE(has(pilot_with_boots_text("\x1b[2J", {.boots = 24, .seconds = {}}), "\x1b"));
}

TEST(PlanPages, of_an_effect_below_the_threshold_name_the_option) {
  PlanPageView plan = samples::run_plan();
  plan.plan.effect = plan.plan.threshold;
  const std::string page = plan_text(samples::one_line(), plan);
  EXPECT_TRUE(has(page, "is not above the threshold of 1 %")) << page;
  EXPECT_TRUE(has(page, "--threshold sets another")) << page;
}

TEST(PlanPages, without_a_number_name_none) {
  const std::string page = plan_text(kTerminal, samples::wild_plan());
  expect_golden("plan_unknown_80.txt", page);
  EXPECT_FALSE(has(page, "netperfctl start"));
}

TEST(DesignPages, fit_into_80_columns_and_are_ascii) {
  for (const std::string& page :
       {compare_text(kTerminal, samples::ring_sides()), compare_text(kTerminal, samples::tracing_cost()),
        selftest_text(kTerminal, samples::self_fooled()), plan_text(kTerminal, samples::block_plan()),
        plan_text(kTerminal, samples::run_plan()), plan_text(kTerminal, samples::wild_plan())}) {
    EXPECT_LE(table_width(page), 80U) << page;
    EXPECT_EQ(page.find("%!"), std::string::npos);
  }
  const std::string plan = plan_text(samples::pipe(), samples::run_plan());
  EXPECT_TRUE(std::ranges::all_of(plan, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

TEST(DesignPages, cannot_steer_a_terminal) {
  const std::string evil = "\x1b[2J";
  LiveJobView job = samples::interleaved();
  job.variant_b = evil;
  for (std::string& name : *job.variant) name = evil;
  RunView run = samples::interleaved_runs().at(1);
  run.variant = evil;
  CompareView sides = samples::ring_sides();
  sides.name_b = sides.command = evil;
  PlanPageView plan = samples::block_plan();
  plan.scenario = evil;
  plan.steps.commands = {evil};
  plan.plan.pairing = evil;
  PlanPageView stored = samples::run_plan();
  stored.runs = evil;
  const RunDetails details{run, {}, {}};
  const std::string shown =
      started_text(job, 0, false, false, power_text(plan.plan, evil)) +
      run_end_text(kTerminal, details, &job) + run_end_text(kTerminal, details, nullptr) +
      jobs_text(kTerminal, std::vector{job}) + LiveLine{job, {}}.state_text() +
      runs_text(kTerminal, std::vector{run}, false, false) + compare_text(kTerminal, sides) +
      selftest_text(kTerminal, sides) + plan_text(kTerminal, plan) + plan_text(kTerminal, stored);
  EXPECT_FALSE(has(shown, "\x1b"));
}

TEST(DesignDocuments, have_the_arms_and_the_answer) {
  const CompareView sides = samples::ring_sides();
  expect_golden("runs_design.json", runs_json(samples::interleaved_runs(), false));
  expect_golden("jobs_design.json", jobs_json(std::vector{samples::interleaved()}));
  expect_golden("start_design.json", start_json(samples::interleaved_start(), &sides));
  expect_golden("compare_job.json", compare_json(sides));
  expect_golden("selftest.json", selftest_json(samples::self_equivalent()));
}

TEST(PlanDocuments, have_the_numbers) {
  expect_golden("plan.json", plan_json(samples::block_plan()));
  expect_golden("plan_until.json", plan_json(samples::until_plan()));
  expect_golden("plan_unknown.json", plan_json(samples::wild_plan()));
  EXPECT_FALSE(has(plan_json(samples::wild_plan()), "null"));
  expect_golden("plan.csv", plan_csv(samples::block_plan()));
}

TEST(DesignDocuments, as_csv_are_rows) {
  expect_golden("jobs_design.csv", jobs_csv(std::vector{samples::interleaved()}));
}

TEST(CommandWords, take_a_share_with_its_sign_only) {
  EXPECT_DOUBLE_EQ(share_of("--effect", "0.5 %").value(), 0.005);
  EXPECT_DOUBLE_EQ(share_of("--effect", "1%").value(), 0.01);
  for (const char* wrong : {"1", "0%", "100%", "-1%", "1 percent", ""}) {
    const auto refused = share_of("--effect", wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().exit, Exit::usage);
    EXPECT_TRUE(has(refused.error().message, "--effect: "));
  }
}

TEST(CommandWords, quote_for_a_shell_and_for_a_selection) {
  EXPECT_EQ(for_a_shell("label:a b"), "'label:a b'");
  EXPECT_EQ(for_a_shell("it's"), "'it'\\''s'");
  EXPECT_EQ(for_a_shell("hsr-ab"), "hsr-ab");
  EXPECT_EQ(selection_term("variant", "hash"), "variant:hash");
  EXPECT_EQ(selection_term("variant", "a hash"), "variant:\"a hash\"");
}

}  // namespace
}  // namespace netperfctl
