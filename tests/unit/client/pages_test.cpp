// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "client/pages/render.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

TEST(Pages, runs_are_whole_in_a_pipe) {
  expect_golden("runs_pipe.txt", runs_text(samples::pipe(), samples::runs(), false, true));
}

TEST(Pages, runs_fit_80_columns) {
  expect_golden("runs_80.txt", runs_text(samples::terminal(80), samples::runs(), false, true));
}

TEST(Pages, no_runs_say_what_to_do) {
  EXPECT_EQ(runs_text(samples::pipe(), {}, true, false), "No run matches.\n");
  EXPECT_NE(runs_text(samples::pipe(), {}, false, false).find("netperfctl start"), std::string::npos);
}

TEST(Pages, jobs_and_scenarios) {
  expect_golden("jobs_80.txt", jobs_text(samples::terminal(80), samples::jobs()));
  expect_golden("scenarios_80.txt", scenarios_text(samples::terminal(80), samples::scenarios()));
}

TEST(Pages, a_job_that_waits_says_for_what_below_its_row) {
  std::vector<LiveJobView> jobs = samples::jobs();
  jobs.front().error.reset();
  jobs.front().waiting = "is held before the reboot into side hash";
  jobs.front().boots = 2;
  EXPECT_NE(jobs_text(samples::pipe(), jobs).find("is held before the reboot into side hash (boot 2)"),
            std::string::npos);
  jobs.front().error = "no route to host";
  EXPECT_NE(jobs_text(samples::pipe(), jobs).find("no route to host; is held before"), std::string::npos);
}

TEST(Pages, log_names_users_and_counts_what_was_alike) {
  expect_golden("log_80.txt", audit_text(samples::terminal(80), samples::audit_log(), false));
  expect_golden("log_pipe.txt", audit_text(samples::pipe(), samples::audit_log(), false));
  EXPECT_EQ(audit_text(samples::pipe(), {}, true), "No entry matches.\n");
  EXPECT_EQ(audit_text(samples::pipe(), {}, false), "The log is empty.\n");
}

TEST(Pages, show_of_tcp) {
  expect_golden("show_tcp_80.txt", show_text(samples::terminal(80), samples::tcp()));
  expect_golden("show_tcp_pipe.txt", show_text(samples::pipe(), samples::tcp()));
}

TEST(Pages, show_of_both_directions_with_a_flag) {
  expect_golden("show_both_80.txt", show_text(samples::terminal(80), samples::both()));
}

TEST(Pages, show_of_udp_with_loss) {
  expect_golden("show_udp_80.txt", show_text(samples::terminal(80), samples::udp()));
}

TEST(Pages, show_of_a_failed_run) {
  expect_golden("show_failed_80.txt", show_text(samples::terminal(80), samples::failed()));
}

TEST(Pages, show_of_what_nobody_knows_says_so) {
  const std::string page = show_text(samples::terminal(80), samples::unknown());
  expect_golden("show_unknown_80.txt", page);
  EXPECT_EQ(page.find(" 0 "), std::string::npos) << "unknown is never 0";
}

TEST(Pages, show_lists_intervals_and_streams_where_asked) {
  ShowView view = samples::both();
  view.list_intervals = view.list_streams = true;
  expect_golden("show_listing_80.txt", show_text(samples::terminal(80), view));
}

TEST(Pages, a_terminal_without_utf8_gets_ascii_only) {
  Screen screen = samples::terminal(80);
  screen.glyphs = false;
  const std::string page =
      show_text(screen, samples::both()) + runs_text(screen, samples::runs(), false, false);
  for (const char c : page) ASSERT_LT(static_cast<unsigned char>(c), 0x80) << page;
}

TEST(Pages, colour_adds_nothing_but_colour) {
  Screen screen = samples::terminal(80);
  screen.colour = true;
  std::string page = show_text(screen, samples::failed());
  EXPECT_NE(page.find("\x1b[31mfailed\x1b[0m"), std::string::npos);
  for (std::size_t at = page.find('\x1b'); at != std::string::npos; at = page.find('\x1b')) {
    page.erase(at, page.find('m', at) - at + 1);
  }
  EXPECT_EQ(page, show_text(samples::terminal(80), samples::failed()));
}

// Every page about tracing, with `evil` in each of its strings.
std::string evil_trace(const Screen& screen, const std::string& evil) {
  ShowView view = samples::traced();
  TraceDetails& trace = *view.trace;
  trace.trace.broken = evil;
  trace.trace.missing_functions = {evil};
  trace.events.front().event = evil;
  trace.drops.front() = {evil, evil, 3};
  trace.marks.push_back({1, evil, true});
  view.stacks.stacks.push_back({evil, 1, {{evil}}});
  view.samples.push_back({evil, 1, 1, 0, 1, evil, {{{evil, evil, evil}, {evil, evil, ""}}}});
  std::string text = show_text(screen, view);
  view.trace_lists = {true, true, true, true, true, true};
  text += show_text(screen, view);
  view.trace->trace.skipped = evil;
  text += show_text(screen, view);
  text += doctor_text(screen, std::vector<CapabilityView>{{evil, evil, evil, evil}});
  text += modules_text(screen, std::vector<ModuleView>{{evil, true, false, 3, evil}}, evil);
  text += functions_text(screen, {{{evil, evil}}, 2, {}}, "") + functions_text(screen, {{}, 0, {evil}}, evil);
  text += events_text(screen, std::vector<EventView>{{evil + ":" + evil, {}, {}, {}}});
  text += event_text(screen, {{evil, 1, evil, {}}, {{evil, evil, 0, 0, true, {{evil}}}}});
  return text + tracers_text(screen, std::vector<TracerView>{{evil, true}});
}

TEST(Pages, strings_of_the_daemon_cannot_steer_the_terminal) {
  ShowView view = samples::both();
  const std::string evil =
      "\x1b]0;x\x07\r\n\xc2\x9b"
      "31m\xe2\x80\xae";
  RunView& run = view.details.run;
  for (auto* text : {&run.scenario, &run.label, &run.error, &run.client_netns, &run.server_host,
                     &run.congestion, &run.iperf3_version, &run.protocol, &run.state}) {
    *text = evil;
  }
  run.documents = {evil};
  view.details.flags = {{evil, evil}};
  LiveJobView job = samples::jobs().front();
  job.scenario = job.label = job.error = job.state = job.run_state = evil;
  const Screen screen = samples::terminal(80);
  const std::string shown = show_text(screen, view) + run_end_text(screen, view.details, nullptr) +
                            jobs_text(screen, std::vector{job}) + started_text(job, 1, false, false, "") +
                            detached_text(job, true) +
                            scenarios_text(screen, std::vector<ScenarioView>{{evil, evil, evil, evil}}) +
                            evil_trace(screen, evil);
  for (const char* steering : {"\x1b", "\x07", "\r", "\xc2\x9b", "\xe2\x80\xae"}) {
    EXPECT_EQ(shown.find(steering), std::string::npos);
  }
  EXPECT_NE(shown.find("\\x1b]0;x\\x07"), std::string::npos) << "shown, not dropped";
}

TEST(Pages, runs_with_traces_have_their_events) {
  expect_golden("runs_traced_80.txt", runs_text(samples::terminal(80), samples::traced_runs(), false, false));
  expect_golden("runs_traced_pipe.txt", runs_text(samples::pipe(), samples::traced_runs(), false, false));
}

TEST(Pages, start_in_lines) {
  const Screen screen = samples::terminal(80);
  LiveJobView job = samples::jobs().front();
  const StartView view = samples::started();
  std::string text = started_text(job, 0, false, false, "") + started_text(job, 2, true, false, "") +
                     detached_text(job, false);
  LiveJobView endless = job;
  endless.planned_s.reset();
  text += started_text(endless, 0, false, false, "") + started_text(endless, 0, false, true, "") +
          started_text(endless, 1, true, true, "") + detached_text(endless, true);
  text += run_end_text(screen, samples::tcp().details, nullptr) +
          run_end_text(screen, samples::both().details, nullptr);
  text += run_end_text(screen, samples::udp().details, nullptr) +
          run_end_text(screen, samples::failed().details, nullptr);
  text += run_end_text(samples::pipe(), samples::failed().details, nullptr);
  text += run_end_text(screen, samples::unknown().details, nullptr) + job_end_text(view, "");
  expect_golden("start_80.txt", text);
}

TEST(Pages, the_end_of_a_job_points_to_a_run_that_measured) {
  StartView view = samples::started();
  view.runs.pop_back();
  EXPECT_NE(job_end_text(view, "").find("`netperfctl show 41`"), std::string::npos);
  view.runs.erase(view.runs.begin());
  view.job.job.finished = 0;
  view.job.spreads.clear();
  EXPECT_EQ(job_end_text(view, ""),
            "job 12 failed: 0 of 1 run finished. Why run 42 failed: `netperfctl show 42`.\n");
}

TEST(Pages, the_end_of_a_job_whose_switch_failed_names_the_run_that_failed) {
  StartView view = samples::started();
  view.runs[0].state = "failed";
  view.runs[0].error = "side off: its check failed: exit code 4";
  view.runs[1].state = view.runs[2].state = "canceled";
  view.job.job.finished = 0;
  view.job.job.failed = 1;
  view.job.job.canceled = 2;
  view.job.spreads.clear();
  EXPECT_EQ(job_end_text(view, *view.runs[0].error),
            "job 12 failed: 0 of 3 runs finished. Why run 41 failed: `netperfctl show 41`.\n")
      << "the run's error was said at its end";
}

TEST(Pages, the_end_of_a_job_says_that_the_machine_was_not_brought_back) {
  StartView view = samples::started();
  view.runs.erase(view.runs.begin() + 1);
  view.job.job.failed = 0;
  view.job.spreads.clear();
  EXPECT_EQ(job_end_text(view, "not brought \x1b back"),
            "job 12 failed: 2 runs finished. See `netperfctl show 43`.\nnot brought \\x1b back\n");
  view.runs[0].state = "failed";
  view.runs[0].error = "no server";
  view.job.job.finished = view.job.job.failed = 1;
  EXPECT_EQ(job_end_text(view, "no server; not brought back"),
            "job 12 failed: 1 of 2 runs finished. Why run 41 failed: `netperfctl show 41`. See "
            "`netperfctl show 43`.\nnot brought back\n");
}

}  // namespace
}  // namespace netperfctl
