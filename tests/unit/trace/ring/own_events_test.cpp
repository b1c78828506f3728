// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/own_events.hpp"

#include <gtest/gtest.h>

namespace netperfd::trace {
namespace {

const EventSpec kSwitches{"sched:sched_switch", "", false};
const EventSpec kSomeSwitches{"sched:sched_switch", "next_pid == 1", true};

TraceSpec function_spec() {
  TraceSpec spec;
  spec.function_graph.emplace();
  spec.function_graph->module = "hsr";
  spec.events = {{"skb:kfree_skb", "", true}};
  return spec;
}

TraceSpec function_spec_with(const EventSpec& event) {
  TraceSpec spec = function_spec();
  spec.events.push_back(event);
  return spec;
}

TEST(OwnEvents, add_every_switch_to_function_tracing) {
  const TraceSpec asked = function_spec();
  const TraceSpec applied = with_own_events(asked, true);
  EXPECT_EQ(applied, function_spec_with(kSwitches));
  EXPECT_TRUE(is_own_event(asked, kSwitchEvent));
  EXPECT_TRUE(shows_switches(applied));
}

TEST(OwnEvents, add_nothing_to_a_job_that_traces_no_functions) {
  TraceSpec asked = function_spec();
  asked.function_graph.reset();
  EXPECT_EQ(with_own_events(asked, true), asked);
  EXPECT_FALSE(shows_switches(asked));
}

TEST(OwnEvents, add_nothing_to_a_job_that_asks_for_switches_itself) {
  const TraceSpec asked = function_spec_with(kSwitches);
  EXPECT_EQ(with_own_events(asked, true), asked);
  EXPECT_FALSE(is_own_event(asked, kSwitchEvent));
  EXPECT_TRUE(shows_switches(asked));
}

TEST(OwnEvents, leave_the_filter_of_a_job_that_asks_for_some_switches) {
  const TraceSpec asked = function_spec_with(kSomeSwitches);
  EXPECT_EQ(with_own_events(asked, true), asked);
  EXPECT_FALSE(is_own_event(asked, kSwitchEvent));
  EXPECT_FALSE(shows_switches(asked)) << "its filter hides the others";
}

TEST(OwnEvents, do_without_switches_where_the_kernel_has_no_such_event) {
  const TraceSpec applied = with_own_events(function_spec(), false);
  EXPECT_EQ(applied, function_spec());
  EXPECT_FALSE(shows_switches(applied));
}

// A task may leave a traced CPU and continue on one that is not traced.
TEST(OwnEvents, show_not_every_switch_where_only_some_cpus_are_traced) {
  TraceSpec asked = function_spec();
  asked.cpus = {0};
  EXPECT_FALSE(shows_switches(with_own_events(asked, true)));
}

}  // namespace
}  // namespace netperfd::trace
