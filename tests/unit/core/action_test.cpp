// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/action.hpp"

#include <gmock/gmock.h>

#include "tests/unit/core/fakes.hpp"

namespace netperfd::core {
namespace {

using testing::ElementsAre;

JobSpec tracing(const std::string& event) {
  JobSpec spec = a_job();
  spec.trace.emplace();
  spec.trace->events = {{.name = event, .filter = {}}};
  return spec;
}

bool is_of_skbs(const EventSpec& event) {
  return event.name.starts_with("skb:");
}

TEST(ActionsOf, a_plain_job_are_to_measure) {
  EXPECT_THAT(actions_of(a_job(), TraceSource::caller, is_of_skbs), ElementsAre(Action::measure));
}

TEST(ActionsOf, a_design_are_another_one_if_it_has_commands) {
  JobSpec spec = a_job();
  spec.design.emplace();
  EXPECT_THAT(actions_of(spec, TraceSource::root, {}), ElementsAre(Action::measure));
  spec.design->a.emplace();
  spec.design->b.emplace();
  EXPECT_THAT(actions_of(spec, TraceSource::root, {}), ElementsAre(Action::measure));
  spec.design->b->verify = {"/bin/true"};
  EXPECT_THAT(actions_of(spec, TraceSource::root, {}), ElementsAre(Action::measure_design, Action::measure));
}

TEST(ActionsOf, a_design_are_a_third_one_if_it_reboots_the_machine) {
  JobSpec spec = a_job();
  spec.design.emplace();
  spec.design->a = spec.design->b = {.name = "x", .apply = {"/x"}, .verify = {"/x"}, .builds = {}};
  spec.design->reboots.emplace();
  EXPECT_THAT(actions_of(spec, TraceSource::root, {}),
              ElementsAre(Action::measure_reboots, Action::measure_design, Action::measure));
  EXPECT_EQ(to_string(Action::measure_reboots), "measure-with-reboots");
}

TEST(ActionsOf, a_trace_of_functions_are_another_one) {
  JobSpec spec = tracing("skb:kfree_skb");
  spec.trace->function_graph.emplace();
  EXPECT_THAT(actions_of(spec, TraceSource::caller, is_of_skbs),
              ElementsAre(Action::trace_functions, Action::measure));
}

TEST(ActionsOf, events_outside_the_list_are_another_one_unless_root_wrote_them_down) {
  const JobSpec listed = tracing("skb:kfree_skb");
  const JobSpec other = tracing("printk:console");
  EXPECT_THAT(actions_of(listed, TraceSource::caller, is_of_skbs), ElementsAre(Action::measure));
  EXPECT_THAT(actions_of(other, TraceSource::caller, is_of_skbs),
              ElementsAre(Action::trace_events, Action::measure));
  EXPECT_THAT(actions_of(other, TraceSource::root, is_of_skbs), ElementsAre(Action::measure));
  EXPECT_THAT(actions_of(other, TraceSource::caller, {}), ElementsAre(Action::measure)) << "there is no list";
}

}  // namespace
}  // namespace netperfd::core
