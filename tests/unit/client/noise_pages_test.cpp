// SPDX-License-Identifier: GPL-2.0-or-later
// The noise of the host on the page of a run.
#include <gmock/gmock.h>

#include "client/pages/render.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using testing::HasSubstr;
using testing::Not;

CounterView noise_figure(const char* name, std::uint64_t value, const char* unit = nullptr) {
  CounterView counter{.source = "noise", .netns = {}, .name = name, .delta = value, .unit = {}};
  if (unit != nullptr) counter.unit = unit;
  return counter;
}

TEST(NoiseOnThePage, has_a_number_for_each_known_figure) {
  ShowView view = samples::traced();
  view.counters.emplace().counters = {noise_figure("window", 10'000'000'000, "ns"),
                                      noise_figure("cpus", 2),
                                      noise_figure("others", 5'000'000'000, "ns"),
                                      noise_figure("others_on_its_cpus", 3'000'000'000, "ns"),
                                      noise_figure("steal_on_its_cpus", 2'000'000'000, "ns"),
                                      noise_figure("throttled", 1'500'000'000, "ns"),
                                      noise_figure("frequency", 3'200'000'000, "Hz"),
                                      noise_figure("memory_stall", 0, "ns"),
                                      noise_figure("device_bytes", 1'000, "bytes"),
                                      noise_figure("foreign_bytes", 250, "bytes"),
                                      noise_figure("moved_irqs", 1),
                                      noise_figure("asked_rate", 100'000'000, "bits_per_second"),
                                      noise_figure("sent_rate", 93'100'000, "bits_per_second")};
  EXPECT_THAT(
      show_text(samples::one_line(), view),
      HasSubstr("noise      others took 15 % of 2 CPUs (5 s of CPU time in all), steal 10 %, held 1.5 s "
                "by a limit of its cgroup, 3.20 GHz, waits for memory 0 %, other traffic 25 % of its "
                "device's, 1 interrupt moved, sent 93.1 of 100.0 Mbit/s"));
}

CountersView busy_figures(std::uint64_t unknown, std::uint64_t busy) {
  CountersView view;
  view.counters = {noise_figure("busy", busy, "ns"),
                   noise_figure("workload", 3'014'400'000, "ns"),
                   noise_figure("netperfd", 14'400'000, "ns"),
                   noise_figure("others", 4'000'000, "ns"),
                   noise_figure("kernel", 204'400'000, "ns"),
                   noise_figure("unknown", unknown, "ns"),
                   noise_figure("unknown_error", 50'000'000, "ns")};
  return view;
}

TEST(NoiseOnThePage, says_what_the_busy_time_consists_of_in_parts_that_add_up) {
  ShowView view = samples::traced();
  // Rounded each, the parts would be 3.01 + 0.01 + 0.00 + 0.20 + 2.00 = 5.22 of 5.24.
  view.counters = busy_figures(2'004'800'000, 5'242'000'000);
  EXPECT_THAT(
      show_text(samples::one_line(), view),
      HasSubstr("CPU time   5.24 s busy = workload 3.02 + netperfd 0.01 + others 0.00 + kernel 0.20 + "
                "unknown 2.01, known to 0.05 s\n"));
}

TEST(NoiseOnThePage, has_no_sum_that_is_not_one) {
  ShowView view = samples::traced();
  view.counters = busy_figures(2'004'800'000, 5'242'000'001);
  EXPECT_THAT(show_text(samples::one_line(), view), Not(HasSubstr("busy =")));
  view.counters = busy_figures(~std::uint64_t{0}, 3'000'000'000);
  EXPECT_THAT(show_text(samples::one_line(), view), Not(HasSubstr("busy ="))) << "an overflow";
}

TEST(NoiseOnThePage, tells_unknown_tasks_beyond_their_error) {
  ShowView view = samples::traced();
  CountersView& counters = view.counters.emplace();
  counters.counters = {noise_figure("window", 10'000'000'000, "ns"), noise_figure("cpus", 2),
                       noise_figure("unknown", 3'000'000'000, "ns"),
                       noise_figure("unknown_error", 50'000'000, "ns"),
                       noise_figure("unknown_on_its_cpus", 2'000'000'000, "ns")};
  EXPECT_THAT(show_text(samples::one_line(), view), HasSubstr("noise      unknown tasks 10 %\n"));
  counters.counters[2].delta = 40'000'000;
  EXPECT_THAT(show_text(samples::one_line(), view), Not(HasSubstr("unknown tasks")));
}

TEST(NoiseOnThePage, is_silent_about_what_is_unknown) {
  ShowView view = samples::traced();
  view.counters.emplace().counters = {noise_figure("window", 10'000'000'000, "ns"), noise_figure("cpus", 2),
                                      noise_figure("steal_on_its_cpus", 0, "ns")};
  const std::string text = show_text(samples::one_line(), view);
  EXPECT_THAT(text, HasSubstr("noise      steal 0 %\n"));
  view.counters->counters.clear();
  EXPECT_THAT(show_text(samples::one_line(), view), Not(HasSubstr("noise  ")));
}

}  // namespace
}  // namespace netperfctl
