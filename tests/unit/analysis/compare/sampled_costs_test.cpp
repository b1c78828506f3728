// SPDX-License-Identifier: GPL-2.0-or-later
// What the samples of one run mean for a comparison.
#include "daemon/analysis/compare/sampled_costs.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/analysis/compare/profile_of_stacks.hpp"

namespace netperfd::analysis {
namespace {

using testing::UnorderedElementsAre;

std::vector<std::string> costs(const SampleProfile& profile, const std::set<FunctionKey>& traced) {
  std::vector<std::string> shown;
  for (const SampledCost& cost : sampled_costs(profile, traced, {})->functions) {
    shown.push_back(cost.name + " " + std::to_string(cost.samples) +
                    (cost.below.empty() ? "" : " below " + cost.below));
  }
  return shown;
}

TEST(SampledCosts, count_to_the_innermost_traced_function) {
  ProfileOfStacks stacks;
  stacks.add(5, {kIperf3, function("send"), function("xmit", "hsr")})
      .add(7, {kIperf3, function("send"), function("xmit", "hsr"), function("memcpy")})
      .add(11, {kIperf3, function("send"), function("xmit", "hsr"), function("memcpy"),
                function("lookup", "hsr")})
      .add(13, {kIperf3, function("send")});
  EXPECT_THAT(costs(stacks.profile(), {{"xmit", "hsr"}, {"lookup", "hsr"}}),
              UnorderedElementsAre("xmit 12", "lookup 11", "memcpy 7 below xmit", "send 13"));
}

TEST(SampledCosts, take_a_function_of_another_module_for_another_one) {
  ProfileOfStacks stacks;
  stacks.add(5, {kIperf3, function("xmit", "bridge")});
  EXPECT_THAT(costs(stacks.profile(), {{"xmit", "hsr"}}), UnorderedElementsAre("xmit 5"));
}

TEST(SampledCosts, count_a_recursion_once) {
  ProfileOfStacks stacks;
  stacks.add(5, {kIperf3, function("xmit", "hsr"), function("queue"), function("xmit", "hsr")});
  EXPECT_THAT(costs(stacks.profile(), {{"xmit", "hsr"}}), UnorderedElementsAre("xmit 5"));
}

TEST(SampledCosts, leave_out_what_the_programs_of_others_do) {
  ProfileOfStacks stacks;
  stacks.add(5, {kIperf3, kUser}).add(7, {kOthers, kUser}).add(11, {kOthers, function("net_rx_action")});
  EXPECT_THAT(costs(stacks.profile(), {}), UnorderedElementsAre("[user] 5", "net_rx_action 11"));
  EXPECT_EQ(sampled_costs(stacks.profile(), {}, {})->busy, 23);
}

TEST(SampledCosts, name_a_caller_only_if_it_has_most_of_the_samples) {
  ProfileOfStacks stacks;
  stacks.add(5, {kIperf3, function("xmit", "hsr"), function("memcpy")}).add(5, {kIperf3, function("memcpy")});
  EXPECT_THAT(costs(stacks.profile(), {{"xmit", "hsr"}}), UnorderedElementsAre("xmit 5", "memcpy 10"));
}

TEST(SampledCosts, divide_the_time_of_all_cpus_by_the_samples_of_a_timer) {
  ProfileOfStacks stacks;
  stacks.add(1000, {kIperf3, kUser}).idle(900);
  stacks.profile().lost = 100;
  EXPECT_EQ(sampled_costs(stacks.profile(), {}, {})->ns_per_sample, 10'000'000);
}

TEST(SampledCosts, divide_the_busy_time_by_the_samples_of_a_counter_of_cycles) {
  ProfileOfStacks stacks;
  stacks.profile().event = "cycles";
  stacks.add(900, {kIperf3, kUser});
  stacks.profile().lost = 100;
  EXPECT_EQ(sampled_costs(stacks.profile(), {}, 5'000'000'000)->ns_per_sample, 5'000'000);
  EXPECT_FALSE(sampled_costs(stacks.profile(), {}, {}));
}

TEST(SampledCosts, are_unknown_if_nothing_was_sampled) {
  EXPECT_FALSE(sampled_costs(SampleProfile{}, {}, 5'000'000'000));
}

}  // namespace
}  // namespace netperfd::analysis
