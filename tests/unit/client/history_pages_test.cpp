// SPDX-License-Identifier: GPL-2.0-or-later
// The history of jobs, the page of one job, and the order of runs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/pages/render.hpp"
#include "client/pages/run_order.hpp"
#include "client/terminal/table.hpp"
#include "tests/unit/client/design_samples.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

JobView ended(JobView job, std::uint64_t minutes_ago, double seconds) {
  job.ended_us = samples::kNow - minutes_ago * samples::kMinute;
  job.started_us = *job.ended_us - static_cast<std::uint64_t>(seconds * 1e6);
  job.state = job.failed.value_or(0) > 0 ? "failed" : "finished";
  return job;
}

std::vector<JobView> history() {
  JobView live = samples::started().job.job;
  live.state = "live";
  live.job = 40;
  live.finished = 1;
  JobView pilot = ended(samples::started().job.job, 70, 96.4);
  pilot.job = 36;
  pilot.label = pilot.purpose = "pilot";
  JobView failed = ended(samples::started().job.job, 26 * 60, 33.1);
  failed.finished = 1;
  failed.failed = 2;
  return {live, pilot, ended(samples::interleaved_start().job.job, 90, 191.5), failed};
}

TEST(HistoryPages, list_jobs_newest_first) {
  expect_golden("history_80.txt", history_text(samples::terminal(80), history(), false, true));
  expect_golden("history_60.txt", history_text(samples::terminal(60), history(), false, false));
  expect_golden("history_pipe.txt", history_text(samples::pipe(), history(), false, false));
  expect_golden("history.json", history_json(history(), true));
  expect_golden("history.csv", history_csv(history()));
  EXPECT_LE(table_width(history_text(samples::terminal(60), history(), false, false)), 60U);
  EXPECT_EQ(history_text(samples::pipe(), {}, true, false), "No job matches.\n");
}

TEST(HistoryPages, show_one_job_with_its_runs) {
  StartView view = samples::started();
  view.job.job = ended(view.job.job, 70, 35.2);
  view.runs.back().note = "cable replaced";
  expect_golden("job_80.txt", job_text(samples::terminal(80), view, nullptr));
  expect_golden("job_60.txt", job_text(samples::terminal(60), view, nullptr));
  expect_golden("job.json", job_json(view));
  StartView sides = samples::interleaved_start();
  sides.job.job = ended(sides.job.job, 70, 191.5);
  const std::string page = job_text(samples::terminal(80), sides, nullptr);
  expect_golden("job_design_80.txt", page);
  EXPECT_TRUE(has(page, "netperfctl compare job:33\n"));
  EXPECT_FALSE(has(page, "median")) << "of runs of two sides";
}

std::vector<BootView> some_boots() {
  BootView came;
  came.number = 1;
  came.block = 1;
  came.letter = 1;
  came.side = "B";
  came.variant = "hash";
  came.asked_us = samples::kNow - 50 * samples::kMinute;
  came.settled_us = *came.asked_us + 95'000'000;
  came.seconds = 95;
  came.kernel = "6.12.9-amd64";
  came.boot_id = "4c1c9d0e-0000-4000-8000-000000000001";
  BootView failed = came;
  failed.number = 2;
  failed.letter = 2;
  failed.side = "A";
  failed.variant = "list";
  failed.settled_us.reset();
  failed.seconds.reset();
  failed.kernel.reset();
  failed.boot_id.reset();
  failed.failure = "the machine did not reboot";
  BootView back = failed;
  back.number = 3;
  back.block.reset();
  back.letter.reset();
  back.failure.reset();
  return {came, failed, back};
}

TEST(HistoryPages, list_the_boots_of_a_job) {
  StartView view = samples::interleaved_start();
  view.job.job = ended(view.job.job, 70, 191.5);
  view.boots = some_boots();
  const std::string page = job_text(samples::terminal(80), view, nullptr);
  expect_golden("job_boots_80.txt", page);
  EXPECT_TRUE(has(page, "6.12.9-amd64")) << page;
  EXPECT_TRUE(has(page, "failed: the machine did not reboot")) << page;
  expect_golden("job_boots.json", job_json(view));
  view.boots[1].failure = "\x1b[2J";
  EXPECT_FALSE(has(job_text(samples::pipe(), view, nullptr), "\x1b"));
}

// After a failed switch the other runs were not begun: nothing is to be seen on their pages.
TEST(HistoryPages, point_to_a_run_with_results_or_to_the_one_that_says_why_there_are_none) {
  StartView view = samples::started();
  view.runs[0].state = "failed";
  view.runs[1].state = view.runs[2].state = "canceled";
  EXPECT_TRUE(has(job_text(samples::one_line(), view, nullptr), "netperfctl show 41\n"));
  view.runs[1].state = "finished";
  EXPECT_TRUE(has(job_text(samples::one_line(), view, nullptr), "netperfctl show 42\n"));
}

TEST(HistoryPages, show_when_a_live_job_may_end) {
  StartView view = samples::started();
  view.job.job.state = "live";
  view.job.job.ended_us.reset();
  LiveJobView live = samples::jobs().back();
  live.queue_position = 2;
  live.expected_end_us = samples::kNow + 5 * samples::kMinute;
  const std::string page = job_text(samples::terminal(80), view, &live);
  EXPECT_TRUE(has(page, "now        waits, 2 jobs before it; ends about today 12:35\n")) << page;
  EXPECT_TRUE(has(page, "netperfctl wait 12\n")) << page;
}

TEST(HistoryPages, show_what_a_live_job_waits_for) {
  StartView view = samples::started();
  view.job.job.state = "live";
  view.job.job.ended_us.reset();
  LiveJobView live = samples::jobs().front();
  live.expected_end_us = samples::kNow + 5 * samples::kMinute;
  live.waiting = "is held before the reboot into side hash";
  live.boots = 2;
  const std::string page = job_text(samples::one_line(), view, &live);
  EXPECT_TRUE(has(page, "is held before the reboot into side hash (boot 2); ends about today 12:35\n"))
      << page;
}

TEST(HistoryPages, say_nothing_of_now_where_a_job_has_ended_and_is_still_on_the_bus) {
  StartView view = samples::started();
  view.job.job.ended_us = samples::kNow - samples::kMinute;
  LiveJobView live = samples::jobs().front();
  live.waiting = "boot 8 of 8";
  EXPECT_FALSE(has(job_text(samples::one_line(), view, &live), "boot 8 of 8"));
}

TEST(HistoryPages, cannot_steer_a_terminal) {
  const std::string evil = "\x1b[2J";
  StartView view = samples::started();
  view.job.job.scenario = view.job.job.label = view.job.job.state = view.job.job.variant_a =
      view.job.job.variant_b = evil;
  view.runs.front().note = evil;
  view.job.spreads.push_back(
      {.direction = evil, .runs = 1, .median = {}, .lowest = {}, .highest = {}, .cv_percent = {}});
  EXPECT_FALSE(has(job_text(samples::pipe(), view, nullptr), "\x1b"));
  EXPECT_FALSE(has(history_text(samples::pipe(), std::vector{view.job.job}, false, false), "\x1b"));
}

TEST(HistoryDocuments, of_words_are_small) {
  expect_golden("labelled.json", labelled_json(12, "before"));
  expect_golden("noted.json", noted_json(41, "cable replaced"));
}

std::vector<std::uint64_t> order_by(std::vector<RunView> runs, const char* key, bool reverse) {
  sort_runs(runs, key, reverse);
  std::vector<std::uint64_t> numbers;
  for (const RunView& run : runs) numbers.push_back(run.run);
  return numbers;
}

TEST(RunOrder, has_unknown_figures_last_whichever_way_round) {
  std::vector<RunView> runs(4);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].run = i + 1;
  runs[0].received_bits_per_second = 5;
  runs[2].received_bits_per_second = 9;
  runs[3].received_bits_per_second = 5;
  using Numbers = std::vector<std::uint64_t>;
  EXPECT_EQ(order_by(runs, "received", false), (Numbers{3, 1, 4, 2}));
  EXPECT_EQ(order_by(runs, "received", true), (Numbers{1, 4, 3, 2}));
  EXPECT_EQ(order_by(runs, "", false), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(order_by(runs, "", true), (Numbers{4, 3, 2, 1}));
}

TEST(RunOrder, knows_each_of_its_keys) {
  std::vector<RunView> runs(2);
  runs[0].run = 1;
  runs[1].run = 2;
  runs[0].sent_bits_per_second = runs[0].received_bits_per_second = runs[0].lost_percent = 1;
  runs[1].sent_bits_per_second = runs[1].received_bits_per_second = runs[1].lost_percent = 2;
  runs[0].retransmits = runs[0].started_us = 1;
  runs[1].retransmits = runs[1].started_us = 2;
  runs[0].scenario = runs[0].label = runs[0].state = "b";
  runs[1].scenario = runs[1].label = runs[1].state = "a";
  for (const std::string& key : sort_keys()) {
    EXPECT_EQ(order_by(runs, key.c_str(), false), (std::vector<std::uint64_t>{2, 1})) << key;
  }
}

}  // namespace
}  // namespace netperfctl
