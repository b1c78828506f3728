// SPDX-License-Identifier: GPL-2.0-or-later
// A service whose run 41 has a function profile, and a caller.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/function_profile.hpp"
#include "dbus/compat.hpp"
#include "tests/unit/bus/bus_test.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {

using ProfileAnswer = Answered<dbus::Row, dbus::Rows>;
using PartAnswer = Answered<dbus::Rows, std::string, std::uint64_t>;  // rows, next, total

inline FunctionStats hsr_rx() {
  FunctionStats function;
  function.name = "hsr_rx";
  function.module = "hsr";
  function.duplicate = 2;
  function.hits = 10;
  function.total_ns = 9'000;
  function.self_ns = 6'000;
  function.recorded_ns = 9'500;
  function.interrupted_ns = 300;
  function.off_cpu_ns = 200;
  function.callees = 20;
  function.interruptions = 6;
  function.roots = 8;
  function.interrupt_roots = 7;
  function.min_ns = 500;
  function.max_ns = 1'900;
  function.p50_ns = 800;
  function.p90_ns = 1'200;
  function.p99_ns = 1'700;
  function.p999_ns = 1'800;
  function.histogram.buckets = {{100, 10}};
  function.corrected_self_ns = 5'000;
  function.slice_hits = {4, 0, 6};
  function.slice_self_ns = {2'500, 0, 3'500};
  return function;
}

inline FunctionProfile a_profile() {
  FunctionProfile profile;
  profile.functions = {hsr_rx(), {}};
  profile.functions.back().name = "skb_clone";
  profile.functions.back().hits = 20;
  profile.functions.back().self_ns = 3'000;
  profile.functions.back().corrected_self_ns = 1'000;
  profile.edges = {{.caller = 0, .callee = 1, .hits = 20, .total_ns = 3'000}};
  profile.tree = {
      {.parent = {}, .function = 0, .in_interrupt = true, .hits = 7, .total_ns = 70, .self_ns = 40},
      {.parent = 0, .function = 1, .in_interrupt = false, .hits = 14, .total_ns = 30, .self_ns = 30},
      {.parent = 1, .function = 0, .in_interrupt = false, .hits = 1, .total_ns = 9, .self_ns = 8},
      {.parent = 0, .function = 0, .in_interrupt = false, .hits = 2, .total_ns = 5, .self_ns = 5},
      {.parent = {}, .function = 1, .in_interrupt = false, .hits = 6, .total_ns = 4, .self_ns = 4}};
  profile.damage = {.open_at_start = 1,
                    .open_at_end = 2,
                    .unmatched_exits = 3,
                    .unmatched_entries = 4,
                    .over_losses = 5,
                    .depth_overruns = 6,
                    .clipped = 7,
                    .out_of_order = 8,
                    .tree_overflow = 9};
  profile.slice_ns = 50'000'000;
  profile.sleep_in_recorded = false;
  profile.depth = 3;
  profile.calibration = Calibration{.entry_ns = 38.5, .callee_ns = 91.25, .calls = 20'000};
  profile.builds = {{.module = "", .release = "6.12.1", .build_id = "c0ffee", .srcversion = ""},
                    {.module = "hsr", .release = "", .build_id = "dead", .srcversion = "A1"}};
  return profile;
}

class Functions : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    queries.stored = {a_run(41)};
    queries.stored_profile = a_profile();
    queries.stored_traffic.goodput_bytes = 100'000;
    queries.stored_traffic.packets =
        PacketCount{.device = "veth0", .netns = "a", .sent = true, .packets = 5, .bytes = 101'000};
  }

  ProfileAnswer get_profile(std::uint64_t run = 41) {
    return client->call<dbus::Row, dbus::Rows>("GetFunctionProfile", run);
  }
  PartAnswer list(const char* method, const std::string& cursor = "", std::uint32_t limit = 0,
                  std::uint64_t run = 41) {
    return client->call<dbus::Rows, std::string, std::uint64_t>(method, run, cursor, limit);
  }
  dbus::Rows rows_of(const char* method) {
    const auto answered = list(method);
    EXPECT_EQ(answered.error, "") << answered.text;
    EXPECT_EQ(std::get<1>(answered.values), "");
    EXPECT_EQ(std::get<2>(answered.values), std::get<0>(answered.values).size());
    return std::get<0>(answered.values);
  }
};

}  // namespace netperfd::bus
