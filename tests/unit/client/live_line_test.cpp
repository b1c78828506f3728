// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/live_line.hpp"

#include <gtest/gtest.h>

#include "client/pages/slots.hpp"
#include "client/terminal/text.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using std::chrono::milliseconds;

constexpr LiveLine::Time kStart{};

// `progress` of the second of three runs.
LiveJobView running(double progress) {
  LiveJobView job = samples::jobs().front();
  job.progress = (1 + progress) / 3;
  job.expected_end_us.reset();
  return job;
}

IntervalView interval(double megabits, Direction direction = Direction::send) {
  IntervalView row;
  row.direction = direction;
  row.bits_per_second = megabits * 1e6;
  row.retransmits = 1;
  return row;
}

TEST(LiveLine, tells_which_run_of_how_many) {
  const LiveLine line{running(0), kStart};
  EXPECT_EQ(line.state_text(), "run 42  2/3  running");
  EXPECT_TRUE(line.moves());
}

TEST(LiveLine, says_that_the_server_is_waited_for) {
  LiveJobView job = running(0);
  job.run_state = "preparing";
  job.waiting = "server busy, 3 attempts in 7 s, gives up after 60 s";
  LiveLine line{job, kStart};
  EXPECT_EQ(line.text(samples::terminal(80), kStart),
            "run 42  2/3  server busy, 3 attempts in 7 s, gives up after 60 s");
  job.run_state = "running";
  job.waiting.reset();
  line.job_changed(job, kStart);
  EXPECT_EQ(line.state_text(), "run 42  2/3  running");
}

// Four boots of two runs each.
LiveJobView rebooting() {
  LiveJobView job = running(0);
  job.runs = {41, 42, 43, 44, 45, 46, 47, 48};
  job.block = {1, 1, 1, 1, 1, 1, 1, 1};
  job.letter = {1, 1, 2, 2, 3, 3, 4, 4};
  job.boots_planned = 4;
  job.run_state = "pending";
  job.waiting = "reboots into side hash in 2 min";
  return job;
}

TEST(LiveLine, says_in_which_of_its_boots_a_job_waits) {
  LiveJobView job = rebooting();
  EXPECT_EQ(LiveLine(job, kStart).state_text(), "run 42  2/8  block 1  reboots into side hash in 2 min");
  job.boots = 3;
  EXPECT_EQ(LiveLine(job, kStart).state_text(),
            "run 42  2/8  block 1  reboots into side hash in 2 min (boot 3 of 4)");
  job.current_run.reset();
  job.runs_ended = 8;
  job.boots = 5;
  EXPECT_EQ(LiveLine(job, kStart).state_text(),
            "job 12  8 of 8 runs ended  reboots into side hash in 2 min (boot 5, 4 planned)");
}

TEST(WaitingWords, name_a_boot_without_a_wait_and_need_no_plan) {
  LiveJobView job = rebooting();
  job.boots = 4;
  job.waiting.reset();
  EXPECT_EQ(waiting_words(job), "boot 4 of 4");
  job.side = "hash";
  EXPECT_EQ(waiting_words(job), "boot 4 of 4, on side hash");
  job.side.reset();
  job.boots_planned.reset();
  EXPECT_EQ(waiting_words(job), "boot 4");
  job.boots.reset();
  EXPECT_EQ(waiting_words(job), "");
}

TEST(LiveLine, goes_on_by_the_clock_between_two_reports) {
  LiveLine line{running(0.5), kStart};
  const Screen screen = samples::terminal(80);
  EXPECT_EQ(line.text(screen, kStart), "run 42  2/3  running  ▕████    ▏  5.5 s of 11 s");
  EXPECT_EQ(line.text(screen, kStart + milliseconds{700}), "run 42  2/3  running  ▕████▌   ▏  6.2 s of 11 s");
  line.job_changed(running(0.6), kStart + milliseconds{1000});
  EXPECT_EQ(line.text(screen, kStart + milliseconds{1000}),
            "run 42  2/3  running  ▕████▊   ▏  6.6 s of 11 s");
}

TEST(LiveLine, does_not_go_past_what_was_planned) {
  const LiveLine line{running(0.9), kStart};
  EXPECT_NE(line.text(samples::terminal(80), kStart + milliseconds{60'000}).find("11.0 s of 11 s"),
            std::string::npos);
}

TEST(LiveLine, shows_rate_and_newest_intervals) {
  LiveLine line{running(0.5), kStart};
  for (const double megabits : {10.0, 20.0, 30.0}) line.interval(42, interval(megabits));
  line.interval(41, interval(999));
  EXPECT_EQ(line.text(samples::terminal(100), kStart),
            "run 42  2/3  running  ▕████    ▏  5.5 s of 11 s  30.0 Mbit/s  ▃▆█  3 retr");
}

TEST(LiveLine, of_both_directions_shows_both_rates) {
  LiveLine line{running(0.5), kStart};
  line.interval(42, interval(78.4));
  line.interval(42, interval(80.1, Direction::receive));
  EXPECT_EQ(line.text(samples::terminal(100), kStart),
            "run 42  2/3  running  ▕████    ▏  5.5 s of 11 s  78.4 Mbit/s out  80.1 Mbit/s in");
}

TEST(LiveLine, is_narrower_than_any_screen) {
  LiveLine line{running(0.5), kStart};
  for (int i = 0; i < 100; ++i) line.interval(42, interval(78.4 + i));
  for (std::size_t width = 40; width < 200; ++width) {
    EXPECT_LE(display_width(line.text(samples::terminal(width), kStart, "a-scenario  ")), width - 3);
  }
}

TEST(LiveLine, of_a_job_without_a_planned_time_counts_seconds) {
  LiveJobView job = running(0);
  job.planned_s.reset();
  const LiveLine line{job, kStart};
  EXPECT_EQ(line.text(samples::terminal(80), kStart + milliseconds{2500}), "run 42  2/3  running  2.5 s");
}

TEST(LiveLine, begins_anew_with_each_run) {
  LiveLine line{running(0.5), kStart};
  line.interval(42, interval(78.4));
  LiveJobView next = running(0);
  next.current_run = 43;
  next.run_state = "preparing";
  line.job_changed(next, kStart + milliseconds{100});
  EXPECT_EQ(line.text(samples::terminal(80), kStart), "run 43  3/3  preparing");
  next.run_state = "running";
  line.job_changed(next, kStart + milliseconds{2000});
  EXPECT_EQ(line.text(samples::terminal(80), kStart + milliseconds{3000}),
            "run 43  3/3  running  ▕▊       ▏  1.0 s of 11 s");
}

TEST(LiveLine, of_a_traced_run_shows_rates_by_event_and_what_was_lost) {
  LiveLine line{running(0.5), kStart};
  line.interval(42, interval(78.4));
  TraceProgressView progress = samples::trace_progress();
  progress.events.pop_back();
  line.trace_progress(41, progress);
  EXPECT_EQ(line.text(samples::terminal(100), kStart).find("lost"), std::string::npos);
  line.trace_progress(42, progress);
  progress.lost = 12'004;
  progress.events.front().count = 2'408;
  progress.seconds = 0.2;
  line.trace_progress(42, progress);
  EXPECT_EQ(line.text(samples::terminal(88), kStart),
            "run 42  2/3  running  5.5 s of 11 s  78.4 Mbit/s  skb:kfree_skb 12.0k/s, 12.0k lost");
  EXPECT_NE(
      line.text(samples::terminal(110), kStart).find("▏  5.5 s of 11 s  78.4 Mbit/s  skb:kfree_skb 12.0k/s"),
      std::string::npos)
      << "a bar where there is room";
  EXPECT_EQ(line.text(samples::terminal(80), kStart),
            "run 42  2/3  5.5 s of 11 s  78.4 Mbit/s  skb:kfree_skb 12.0k/s, 12.0k lost  █");
  EXPECT_EQ(line.text(samples::terminal(65), kStart),
            "run 42  2/3  running  ▕████    ▏  5.5 s of 11 s  78.4 Mbit/s")
      << "what does not fit at all is left out";
}

TEST(LiveLine, of_a_second_without_events_says_so) {
  LiveLine line{running(0.5), kStart};
  line.trace_progress(42, {.seconds = 1, .lost = 0, .events = {}, .functions = {}});
  EXPECT_NE(line.text(samples::terminal(80), kStart).find("  0 events/s, 0 lost"), std::string::npos);
  TraceProgressView still = samples::trace_progress();
  for (TraceEventView& event : still.events) event.count = 0;
  line.trace_progress(42, still);
  EXPECT_NE(line.text(samples::terminal(80), kStart).find("  0 events/s, 0 lost"), std::string::npos);
}

TEST(LiveLine, of_many_events_names_them_where_there_is_room) {
  LiveLine line{running(0.5), kStart};
  line.trace_progress(42, samples::trace_progress());
  EXPECT_EQ(line.text(samples::terminal(120), kStart).find("1,221 events/s"), std::string::npos);
  EXPECT_NE(line.text(samples::terminal(120), kStart)
                .find("skb:kfree_skb 1,204/s, tcp:tcp_retransmit_skb 17/s, 0 lost"),
            std::string::npos);
  EXPECT_NE(
      line.text(samples::terminal(95), kStart).find("  kfree_skb 1,204/s, tcp_retransmit_skb 17/s, 0 lost"),
      std::string::npos);
  EXPECT_NE(line.text(samples::terminal(80), kStart).find("  kfree_skb 1,204/s, …, 0 lost"),
            std::string::npos);
  EXPECT_NE(line.text(samples::terminal(55), kStart).find("  1,221 events/s, 0 lost"), std::string::npos);
}

TEST(LiveLine, of_traced_functions_tells_calls_and_not_the_records_of_them) {
  LiveLine line{running(0.5), kStart};
  line.trace_progress(42, samples::function_progress());
  EXPECT_EQ(line.text(samples::terminal(90), kStart),
            "run 42  2/3  running  5.5 s of 11 s  233k calls/s, skb:kfree_skb 1,204/s, 0 lost");
  EXPECT_EQ(line.text(samples::terminal(72), kStart),
            "run 42  2/3  5.5 s of 11 s  233k calls/s, kfree_skb 1,204/s, 0 lost");
  // In the next second there are no calls and no named events.
  line.trace_progress(42, {.seconds = 1, .lost = 0, .events = {}, .functions = {}});
  EXPECT_NE(line.text(samples::terminal(80), kStart).find("  0 calls/s, 0 lost"), std::string::npos);
}

TEST(LiveLine, names_as_many_of_the_busiest_functions_as_have_room) {
  LiveLine line{running(0.5), kStart};
  EXPECT_EQ(line.functions_text(samples::terminal(80), "  "), "");
  line.trace_progress(42, samples::trace_progress());
  EXPECT_EQ(line.functions_text(samples::terminal(80), "  "), "");
  line.trace_progress(42, samples::function_progress());
  EXPECT_EQ(line.functions_text(samples::terminal(80), "  "),
            "  hsr_port_get_hsr 38.9k/s, hsr_addr_is_self 19.5k/s");
  for (std::size_t width = 40; width < 200; ++width)
    EXPECT_LE(display_width(line.functions_text(samples::terminal(width), "a-scenario  ")), width - 3);
  TraceProgressView two_seconds = samples::function_progress();
  two_seconds.seconds = 2;
  two_seconds.functions.resize(1);
  line.trace_progress(42, two_seconds);
  EXPECT_EQ(line.functions_text(samples::terminal(80), ""), "hsr_port_get_hsr 19.5k/s");
}

TEST(LiveLine, forgets_the_losses_of_the_run_before) {
  LiveLine line{running(0.5), kStart};
  TraceProgressView progress = samples::trace_progress();
  progress.lost = 5;
  line.trace_progress(42, progress);
  LiveJobView next = running(0.1);
  next.current_run = 43;
  line.job_changed(next, kStart);
  EXPECT_EQ(line.text(samples::terminal(120), kStart).find("lost"), std::string::npos);
  progress.lost = 0;
  line.trace_progress(43, progress);
  EXPECT_NE(line.text(samples::terminal(120), kStart).find("0 lost"), std::string::npos);
}

TEST(LiveLine, of_a_traced_run_is_narrower_than_any_screen) {
  LiveLine line{running(0.5), kStart};
  for (int i = 0; i < 100; ++i) line.interval(42, interval(78.4 + i));
  line.trace_progress(42, samples::trace_progress());
  for (std::size_t width = 40; width < 200; ++width) {
    EXPECT_LE(display_width(line.text(samples::terminal(width), kStart, "a-scenario  ")), width - 3);
  }
}

TEST(LiveLine, does_not_show_a_run_whose_end_was_printed) {
  LiveLine line{running(0.5), kStart};
  line.run_ended(42);
  EXPECT_FALSE(line.moves());
  const std::string between = line.text(samples::terminal(80), kStart);
  EXPECT_EQ(between, "job 12  1 of 3 runs ended");
  line.job_changed(running(0.9), kStart);
  EXPECT_EQ(line.text(samples::terminal(80), kStart), between) << "a report from before its end";
  LiveJobView next = running(0);
  next.current_run = 43;
  next.runs_ended = 2;
  line.job_changed(next, kStart);
  EXPECT_EQ(line.state_text(), "run 43  3/3  running");
}

TEST(LiveLine, of_several_runs_tells_when_the_whole_job_may_end) {
  LiveJobView job = running(0.5);
  job.expected_end_us = samples::kNow + 20 * samples::kMinute;
  EXPECT_TRUE(has(LiveLine(job, kStart).text(samples::terminal(100), kStart), "  job ends today 12:50"));
  EXPECT_FALSE(has(LiveLine(job, kStart).text(samples::terminal(50), kStart), "job ends"))
      << "there is no room";
  job.runs = {42};
  EXPECT_FALSE(has(LiveLine(job, kStart).text(samples::terminal(100), kStart), "job ends"));
}

TEST(LiveLine, of_a_waiting_job_says_so) {
  const LiveLine line{samples::jobs().back(), kStart};
  EXPECT_EQ(line.text(samples::terminal(80), kStart), "job 13  waits for its turn");
  EXPECT_FALSE(line.moves());
}

}  // namespace
}  // namespace netperfctl
