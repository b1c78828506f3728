// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/calls/profile_factors.hpp"

#include <gtest/gtest.h>

namespace netperfd::analysis {
namespace {

FunctionStats a_function(std::uint64_t hits, std::uint64_t self_ns,
                         std::optional<std::uint64_t> corrected_self_ns = {}) {
  FunctionStats function;
  function.hits = hits;
  function.self_ns = self_ns;
  function.corrected_self_ns = corrected_self_ns;
  return function;
}

TrafficCount traffic_of(std::optional<std::uint64_t> goodput_bytes, std::optional<std::uint64_t> packets) {
  TrafficCount traffic;
  traffic.goodput_bytes = goodput_bytes;
  if (packets) traffic.packets.emplace().packets = *packets;
  return traffic;
}

TEST(ProfileFactors, multiply_to_the_time_a_byte) {
  const auto factors = profile_factors(a_function(3000, 450'000), traffic_of(1'500'000, 1000));
  EXPECT_DOUBLE_EQ(factors.self_ns_per_byte.value(), 0.3);
  EXPECT_DOUBLE_EQ(factors.calls_per_packet.value(), 3);
  EXPECT_DOUBLE_EQ(factors.self_ns_per_call.value(), 150);
  const double packets_per_byte = 1000.0 / 1'500'000;
  EXPECT_DOUBLE_EQ(packets_per_byte * *factors.calls_per_packet * *factors.self_ns_per_call,
                   *factors.self_ns_per_byte);
}

TEST(ProfileFactors, take_the_corrected_self_time_where_it_is_known) {
  const auto factors = profile_factors(a_function(10, 1000, 600), traffic_of(100, 5));
  EXPECT_DOUBLE_EQ(factors.self_ns_per_byte.value(), 6);
  EXPECT_DOUBLE_EQ(factors.self_ns_per_call.value(), 60);
  EXPECT_DOUBLE_EQ(profile_factors(a_function(10, 1000, 0), {}).self_ns_per_call.value(), 0)
      << "corrected to 0 is known";
}

TEST(ProfileFactors, are_absent_where_nothing_is_known_to_divide_by) {
  const auto unknown = profile_factors(a_function(10, 1000), {});
  EXPECT_FALSE(unknown.self_ns_per_byte);
  EXPECT_FALSE(unknown.calls_per_packet);
  EXPECT_TRUE(unknown.self_ns_per_call);
  const auto nothing = profile_factors(a_function(0, 0), traffic_of(0, 0));
  EXPECT_FALSE(nothing.self_ns_per_byte);
  EXPECT_FALSE(nothing.calls_per_packet);
  EXPECT_FALSE(nothing.self_ns_per_call);
}

}  // namespace
}  // namespace netperfd::analysis
