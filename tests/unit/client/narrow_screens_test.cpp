// SPDX-License-Identifier: GPL-2.0-or-later
// Every page on terminals of four widths, through an emulator: no line is wider than the screen, and what is
// drawn over leaves nothing behind.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>

#include "client/pages/live_line.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/drawn_lines.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/design_samples.hpp"
#include "tests/unit/client/emulator.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using std::chrono::milliseconds;

constexpr std::array<std::size_t, 4> kWidths{40, 60, 80, 200};
constexpr std::size_t kRows = 24;

std::vector<LiveJobView> design_jobs() {
  LiveJobView waits = samples::interleaved();
  waits.job = 34;
  waits.state = "pending";
  waits.current_run.reset();
  waits.queue_position = 1;
  return {samples::interleaved(), waits};
}

using Page = std::function<std::string(const Screen&)>;

// By hand: what the verbs show.
const std::map<std::string, Page>& pages() {
  static const std::map<std::string, Page> all{
      {"runs", [](const Screen& s) { return runs_text(s, samples::runs(), false, true); }},
      {"runs of a trace", [](const Screen& s) { return runs_text(s, samples::traced_runs(), false, false); }},
      {"runs of a design",
       [](const Screen& s) { return runs_text(s, samples::interleaved_runs(), false, false); }},
      {"jobs", [](const Screen& s) { return jobs_text(s, samples::jobs()); }},
      {"jobs of a design", [](const Screen& s) { return jobs_text(s, design_jobs()); }},
      {"scenarios", [](const Screen& s) { return scenarios_text(s, samples::scenarios()); }},
      {"log", [](const Screen& s) { return audit_text(s, samples::audit_log(), false); }},
      {"show", [](const Screen& s) { return show_text(s, samples::tcp()); }},
      {"show, both ways", [](const Screen& s) { return show_text(s, samples::both()); }},
      {"show, failed", [](const Screen& s) { return show_text(s, samples::failed()); }},
      {"show, traced", [](const Screen& s) { return show_text(s, samples::traced()); }},
      {"show, losses", [](const Screen& s) { return show_text(s, samples::traced_losses()); }},
      {"show, functions", [](const Screen& s) { return show_text(s, samples::ring()); }},
      {"show, two modules", [](const Screen& s) { return show_text(s, samples::mixed()); }},
      {"show, imported", [](const Screen& s) { return show_text(s, samples::imported()); }},
      {"compare", [](const Screen& s) { return compare_text(s, samples::hash_table()); }},
      {"compare, witness", [](const Screen& s) { return compare_text(s, samples::witnessed()); }},
      {"compare, refused", [](const Screen& s) { return compare_text(s, samples::offload_differs()); }},
      {"compare, sides", [](const Screen& s) { return compare_text(s, samples::ring_sides()); }},
      {"selftest", [](const Screen& s) { return selftest_text(s, samples::self_fooled()); }},
      {"plan", [](const Screen& s) { return plan_text(s, samples::block_plan()); }},
      {"plan of boots", [](const Screen& s) { return plan_text(s, samples::boot_plan()); }},
      {"doctor", [](const Screen& s) { return doctor_text(s, samples::locked_down()); }},
      {"modules", [](const Screen& s) { return modules_text(s, samples::modules(), ""); }},
      {"functions", [](const Screen& s) { return functions_text(s, samples::functions(), ""); }},
      {"events", [](const Screen& s) { return events_text(s, samples::events()); }},
      {"event", [](const Screen& s) { return event_text(s, samples::event()); }},
      {"tracers", [](const Screen& s) { return tracers_text(s, samples::tracers()); }},
      {"start",
       [](const Screen&) {
         return started_text(samples::interleaved(), 1, false, false, "") +
                job_end_text(samples::interleaved_start(), "");
       }},
      {"end of a run", [](const Screen& s) { return run_end_text(s, samples::failed().details, nullptr); }},
  };
  return all;
}

TEST(NarrowScreens, no_page_has_a_line_that_is_wider) {
  for (const std::size_t width : kWidths) {
    for (const bool colour : {false, true}) {
      Screen screen = samples::terminal(width);
      screen.colour = colour;
      for (const auto& [name, page] : pages()) {
        Emulator terminal{width, kRows};
        terminal.write(fitted(screen, page(screen)));
        EXPECT_FALSE(terminal.wrapped()) << name << " at " << width << ":\n" << page(screen);
      }
    }
  }
}

// What is asked most: nothing of it needs the last resort, which breaks rows into lines.
TEST(NarrowScreens, the_lists_fit_by_their_columns) {
  for (const std::size_t width : kWidths) {
    const Screen screen = samples::terminal(width);
    for (const std::string name :
         {"runs of a trace", "runs of a design", "jobs", "jobs of a design", "scenarios"}) {
      const std::string page = pages().at(name)(screen);
      EXPECT_LE(table_width(page), width) << name << "\n" << page;
    }
  }
}

TEST(NarrowScreens, the_lists_of_a_design_keep_its_sides_whole) {
  const std::string runs = runs_text(samples::terminal(80), samples::interleaved_runs(), false, false);
  EXPECT_TRUE(has(runs, "1B traced hash")) << runs;
  const std::string jobs = jobs_text(samples::terminal(80), std::vector{samples::interleaved()});
  EXPECT_TRUE(has(jobs, "block 1, B hash, traced")) << jobs;
}

TEST(NarrowScreens, a_page_for_pasting_has_80_columns_in_a_pipe_too) {
  for (const CompareView& view : {samples::hash_table(), samples::witnessed(), samples::one_run_a_side()}) {
    Screen pipe = samples::pipe();
    EXPECT_LE(table_width(fitted(samples::terminal(80), compare_text(pipe, view))), 80U);
    pipe.prose = 60;
    const std::string page = compare_text(pipe, view);
    EXPECT_LE(table_width(page.substr(0, page.find("\nwhere"))), 60U) << page;
  }
}

TEST(NarrowScreens, a_word_that_is_too_long_is_broken_and_its_line_goes_on_below_its_begin) {
  Screen screen = samples::terminal(40);
  EXPECT_EQ(fitted(screen, "  " + std::string(50, 'a') + "\n"),
            "  " + std::string(38, 'a') + "\n  " + std::string(12, 'a') + "\n");
  EXPECT_EQ(fitted(screen, "    one two three four five six seven eight nine"),
            "    one two three four five six seven\n    eight nine");
  screen.colour = true;
  EXPECT_EQ(fitted(screen, paint(screen, Style::bad, std::string(40, 'a'))),
            paint(screen, Style::bad, std::string(40, 'a')));
  EXPECT_EQ(fitted(Screen{}, std::string(90, 'a')), std::string(90, 'a')) << "nothing in a pipe";
}

std::map<std::uint64_t, LiveLine> live_jobs() {
  std::map<std::uint64_t, LiveLine> lines;
  for (LiveJobView job : {samples::interleaved(), samples::tracing_job()}) {
    job.run_state = "running";
    job.scenario = "a-scenario-with-quite-a-long-name";
    lines.insert_or_assign(job.job, LiveLine{job, LiveLine::Time{}});
  }
  return lines;
}

TEST(NarrowScreens, what_is_drawn_over_leaves_one_copy) {
  for (const std::size_t width : kWidths) {
    const Screen screen = samples::terminal(width);
    Emulator terminal{width, kRows};
    DrawnLines drawn;
    const auto lines = live_jobs();
    for (int i = 0; i < 30; ++i) {
      terminal.write(
          drawn.draw(screen, watched_text(screen, lines, LiveLine::Time{} + milliseconds{i * 250})));
      EXPECT_FALSE(terminal.wrapped()) << width;
    }
    for (const std::string part : {"run 103", "run 112", "Ctrl-C leaves"})
      EXPECT_EQ(terminal.count(part), 1U) << part << " at " << width;
    terminal.write(drawn.erase());
    terminal.write("run 101  finished\n");
    terminal.write(drawn.draw(screen, watched_text(screen, lines, LiveLine::Time{})));
    EXPECT_EQ(terminal.lines().front(), "run 101  finished") << width;
    EXPECT_EQ(terminal.count("run 103"), 1U) << width;
    terminal.write(drawn.erase());
    EXPECT_EQ(terminal.lines().size(), 1U) << width;
  }
}

// Whatever a page hands in.
TEST(NarrowScreens, lines_too_many_or_too_wide_are_not_left_behind_either) {
  Screen screen = samples::terminal(40);
  screen.height = 6;
  Emulator terminal{40, 6};
  DrawnLines drawn;
  std::string text;
  for (int i = 0; i < 20; ++i) text += "job " + std::string(60, 'x') + "\n";
  for (int i = 0; i < 5; ++i) terminal.write(drawn.draw(screen, text + "Ctrl-C leaves"));
  EXPECT_EQ(terminal.count("job x"), 3U);
  EXPECT_EQ(terminal.count("17 more lines"), 1U);
  EXPECT_EQ(terminal.count("Ctrl-C leaves"), 1U);
}

}  // namespace
}  // namespace netperfctl
