// SPDX-License-Identifier: GPL-2.0-or-later
// The samples of a run, as `show --samples` and `show --stacks` list them.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "client/pages/render.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using testing::HasSubstr;
using testing::Not;

ShowView sampled() {
  ShowView view = samples::tcp();
  view.with_page = false;
  view.list_samples = true;
  view.trace_lists.stacks = true;
  SampledDetails& details = view.sampled.emplace();
  details.profile.rate = 199;
  details.profile.event = "cpu-clock";
  details.profile.sees_interrupts_off = false;
  details.profile.cpus = 2;
  details.profile.duration_s = 10.1;
  details.profile.samples = 4'020;
  details.profile.idle = 1'020;
  details.profile.busy = 3'000;
  details.profile.lost = 12;
  details.profile.due = 4'532;
  details.profile.missed = 500;
  details.profile.throttled = details.profile.unknown = details.profile.cut = details.profile.damaged = 0;
  details.profile.resolution = 0.0072;
  details.profile.ns_per_sample = 5e6;
  details.profile.work = "transaction";
  details.profile.work_amount = 100'000;
  details.functions = {
      {"[user]", {}, {}, 900, 900, 300, 0.3, 0.284, 0.317, 0.3, {}},
      {"_raw_spin_unlock_irqrestore", {}, {}, 600, 600, 150, 0.2, 0.186, 0.215, 0.2, true},
      {"xmit", "hsr", 2, 30, 1'200, 30, 0.01, 0.007, 0.0142, 0.4, {}},
      {"once", {}, {}, 1, 1, 0, 0.0003, 0.00006, 0.0019, 0.0003, {}},
  };
  details.stacks = {
      {"iperf3", 600, 0.2, std::vector<std::string>{"_raw_spin_unlock_irqrestore", "xmit [hsr]"}},
      {{}, 600, 0.2, std::vector<std::string>{"[user]"}}};
  return view;
}

TEST(SamplePages, list_functions_and_stacks_where_asked) {
  expect_golden("show_profile_80.txt", show_text(samples::terminal(80), sampled()));
  expect_golden("show_profile_pipe.txt", show_text(samples::pipe(), sampled()));
  expect_golden("show_profile.json", show_json(sampled()));
  expect_golden("show_profile.csv", show_csv(sampled()));
  ShowView stacks = sampled();
  stacks.list_samples = false;
  expect_golden("show_sampled_stacks.csv", show_csv(stacks));
}

TEST(SamplePages, say_why_nothing_was_sampled) {
  ShowView view = sampled();
  view.sampled->profile = {};
  view.sampled->profile.rate = 199;
  view.sampled->profile.skipped = "the kernel refuses";
  EXPECT_THAT(show_text(samples::terminal(80), view), HasSubstr("none: the kernel refuses"));
  view.sampled.reset();
  EXPECT_THAT(show_text(samples::terminal(80), view), HasSubstr("This run was not sampled."));
}

TEST(SamplePages, mark_functions_only_if_a_timer_took_the_samples) {
  EXPECT_THAT(show_text(samples::pipe(), sampled()), HasSubstr("functions with *"));
  ShowView view = sampled();
  view.sampled->profile.sees_interrupts_off = true;
  EXPECT_THAT(show_text(samples::pipe(), view), Not(HasSubstr("functions with *")));
}

TEST(SamplePages, escape_the_name_of_a_program) {
  ShowView view = sampled();
  view.sampled->stacks[0].program = "a\x1b[2J";
  const std::string page = show_text(samples::pipe(), view);
  EXPECT_THAT(page, HasSubstr("2J"));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
}

TEST(SamplePages, are_not_there_unasked) {
  ShowView view = sampled();
  view.list_samples = view.trace_lists.stacks = false;
  view.with_page = true;
  EXPECT_EQ(show_text(samples::terminal(80), view), show_text(samples::terminal(80), samples::tcp()));
}

}  // namespace
}  // namespace netperfctl
