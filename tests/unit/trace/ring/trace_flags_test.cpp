// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/trace_flags.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

namespace netperfd::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<QualityFlag> flags_of(const TraceRecord& record) {
  return trace_flags(record, {}, {});
}

std::vector<std::string> codes_of(const TraceRecord& record) {
  std::vector<std::string> codes;
  for (const QualityFlag& flag : flags_of(record)) codes.push_back(flag.code);
  return codes;
}

TraceCpu cpu_with(std::uint32_t number, std::uint64_t records) {
  TraceCpu cpu;
  cpu.cpu = number;
  cpu.records = records;
  return cpu;
}

FunctionStats function_with(const std::string& name, std::uint64_t hits, std::uint64_t p50_ns) {
  FunctionStats function;
  function.name = name;
  function.hits = hits;
  function.p50_ns = p50_ns;
  return function;
}

// A run without defects: 3000 calls of two functions on two CPUs, with an entry cost of 100 ns.
TraceRecord good_record() {
  TraceRecord record;
  record.cpus = {cpu_with(0, 4'000), cpu_with(1, 2'000)};
  record.profile.emplace();
  record.profile->functions = {function_with("hsr_forward_skb", 1'000, 900),
                               function_with("hsr_get_node", 2'000, 100)};
  record.profile->calibration.emplace();
  record.profile->calibration->entry_ns = 100;
  return record;
}

TEST(TraceFlags, has_none_for_a_run_in_which_nothing_is_wrong) {
  EXPECT_THAT(codes_of(good_record()), IsEmpty());
  EXPECT_THAT(codes_of(TraceRecord{}), IsEmpty());
}

TEST(TraceFlags, tells_what_broke_the_trace) {
  TraceRecord record = good_record();
  record.broken = "the module hsr was unloaded";
  const auto flags = flags_of(record);
  ASSERT_THAT(codes_of(record), ElementsAre("trace-broken"));
  EXPECT_EQ(flags.front().message, "the module hsr was unloaded");
}

TEST(TraceFlags, tells_the_losses_of_each_cpu_that_has_some) {
  TraceRecord record = good_record();
  record.cpus[1].overrun = 500;
  record.cpus[1].lost_events = 400;  // the same records
  record.cpus.push_back(cpu_with(2, 30));
  record.cpus.back().dropped_events = 7;
  record.cpus.back().commit_overrun = 3;
  const auto flags = flags_of(record);
  ASSERT_THAT(codes_of(record), ElementsAre("events-lost"));
  EXPECT_EQ(flags.front().message,
            "records lost: 500 of 2500 on cpu 1 (20 %), 10 of 40 on cpu 2 (25 %); counts are of what was "
            "read");
}

TEST(TraceFlags, tells_where_nobody_knows_how_many_records_were_lost) {
  TraceRecord record = good_record();
  record.cpus[1].lost_events = 3;
  const auto flags = trace_flags(record, {}, {}, {1});
  ASSERT_EQ(flags.size(), 2U);
  EXPECT_EQ(flags[0].message, "records lost: at least 3 on cpu 1; counts are of what was read");
  EXPECT_EQ(flags[1].code, "losses-uncounted");
  EXPECT_THAT(flags[1].message, HasSubstr("on cpu 1 is not known"));
  record.cpus[1].overrun = 500;  // the kernel's statistics have the number
  const auto counted = trace_flags(record, {}, {}, {1});
  ASSERT_EQ(counted.size(), 1U);
  EXPECT_THAT(counted[0].message, HasSubstr("500 of 2500 on cpu 1 (20 %)"));
}

TEST(TraceFlags, has_no_exponent_in_a_share) {
  TraceRecord record = good_record();
  record.cpus = {cpu_with(0, 4), cpu_with(1, 4'000'000'000), cpu_with(2, 0)};
  record.cpus[0].lost_events = 5'321;
  record.cpus[1].lost_events = 1;
  record.cpus[2].lost_events = 7;
  EXPECT_EQ(flags_of(record).front().message,
            "records lost: 5321 of 5325 on cpu 0 (99.9 %), 1 of 4000000001 on cpu 1 (0.000000025 %), 7 of 7 "
            "on cpu 2 (100 %); counts are of what was read");
}

TEST(TraceFlags, adds_up_the_subbuffers_that_could_not_be_decoded) {
  TraceRecord record = good_record();
  record.cpus[0].damaged = 2;
  record.cpus[1].damaged = 1;
  const auto flags = flags_of(record);
  ASSERT_THAT(codes_of(record), ElementsAre("trace-damaged"));
  EXPECT_THAT(flags.front().message, HasSubstr("3 sub-buffers"));
}

TEST(TraceFlags, bears_one_call_in_a_thousand_that_is_not_whole) {
  TraceRecord record = good_record();
  record.profile->damage.unmatched_exits = 1;
  record.profile->damage.unmatched_entries = 1;
  record.profile->damage.over_losses = 1;
  EXPECT_THAT(codes_of(record), IsEmpty());  // 3 of 3000
  record.profile->damage.over_losses = 2;
  const auto flags = flags_of(record);
  ASSERT_THAT(codes_of(record), ElementsAre("calls-unmatched"));
  EXPECT_EQ(
      flags.front().message,
      "1 exits without an entry, 1 entries without an exit, 2 calls over losses, beside 3000 whole calls");
}

TEST(TraceFlags, counts_each_kind_of_call_that_is_not_whole) {
  for (std::uint64_t CallDamage::* kind :
       {&CallDamage::unmatched_exits, &CallDamage::unmatched_entries, &CallDamage::over_losses}) {
    TraceRecord record = good_record();
    record.profile->damage.*kind = 3;
    EXPECT_THAT(codes_of(record), IsEmpty());
    record.profile->damage.*kind = 4;
    EXPECT_THAT(codes_of(record), ElementsAre("calls-unmatched"));
  }
}

TEST(TraceFlags, tells_a_trace_without_a_single_whole_call) {
  TraceRecord record = good_record();
  record.profile->functions.clear();
  record.profile->damage.unmatched_exits = 1;
  EXPECT_THAT(codes_of(record), ElementsAre("calls-unmatched"));
}

TEST(TraceFlags, takes_calls_that_the_ends_of_the_trace_cut_for_no_damage) {
  TraceRecord record = good_record();
  record.profile->damage.open_at_start = 1'000;
  record.profile->damage.open_at_end = 1'000;
  record.profile->damage.clipped = 1'000;
  record.profile->damage.tree_overflow = 1'000;
  EXPECT_THAT(codes_of(record), IsEmpty());
}

TEST(TraceFlags, tells_a_single_call_that_was_nested_too_deep) {
  TraceRecord record = good_record();
  record.profile->damage.depth_overruns = 1;
  const auto flags = flags_of(record);
  ASSERT_THAT(codes_of(record), ElementsAre("depth-overrun"));
  EXPECT_THAT(flags.front().message, HasSubstr("1 calls"));
}

TEST(TraceFlags, tells_a_single_record_out_of_order) {
  TraceRecord record = good_record();
  record.profile->damage.out_of_order = 1;
  const auto flags = flags_of(record);
  ASSERT_THAT(codes_of(record), ElementsAre("events-out-of-order"));
  EXPECT_THAT(flags.front().message, HasSubstr("1 records"));
}

TEST(TraceFlags, doubts_a_calibration_that_calls_undercut) {
  TraceRecord record = good_record();
  record.profile->functions[1].p50_ns = 75;
  EXPECT_THAT(codes_of(record), IsEmpty());  // three quarters of an entry's cost: still tolerated
  record.profile->functions[1].p50_ns = 74;
  const auto flags = flags_of(record);
  ASSERT_THAT(codes_of(record), ElementsAre("calibration-disagrees"));
  EXPECT_EQ(flags.front().message,
            "half of the calls of hsr_get_node took less than 74 ns, the tracer's own cost was measured as "
            "100 ns");
}

TEST(TraceFlags, doubts_a_calibration_once_and_names_the_first_function) {
  TraceRecord record = good_record();
  record.profile->functions[0].p50_ns = 20;
  record.profile->functions[1].p50_ns = 10;
  const auto flags = flags_of(record);
  ASSERT_THAT(codes_of(record), ElementsAre("calibration-disagrees"));
  EXPECT_THAT(flags.front().message, HasSubstr("hsr_forward_skb"));
}

TEST(TraceFlags, doubts_no_calibration_for_a_few_calls) {
  TraceRecord record = good_record();
  record.profile->functions[1] = function_with("hsr_get_node", 999, 10);
  EXPECT_THAT(codes_of(record), IsEmpty());
  record.profile->functions[1].hits = 1'000;
  EXPECT_THAT(codes_of(record), ElementsAre("calibration-disagrees"));
}

TEST(TraceFlags, doubts_no_calibration_that_there_is_not) {
  TraceRecord record = good_record();
  record.profile->functions[1].p50_ns = 1;
  record.profile->calibration.reset();
  EXPECT_THAT(codes_of(record), IsEmpty());
}

TEST(TraceFlags, names_those_who_traced_at_the_same_time) {
  const auto flags = trace_flags(
      good_record(),
      {"events are enabled in instances/theirs (sched:sched_switch)", "events are enabled in instances/more"},
      {});
  ASSERT_EQ(flags.size(), 1U);
  EXPECT_EQ(flags.front().code, "other-tracer");
  EXPECT_EQ(
      flags.front().message,
      "other instances of tracefs were in use when the run began: events are enabled in instances/theirs "
      "(sched:sched_switch); events are enabled in instances/more");
}

TEST(TraceFlags, tells_what_could_not_be_put_back) {
  const auto flags = trace_flags(good_record(), {}, fail(ErrorKind::io, "rmdir instances/x: in use"));
  ASSERT_EQ(flags.size(), 1U);
  EXPECT_EQ(flags.front().code, "tracefs-not-restored");
  EXPECT_EQ(flags.front().message, "rmdir instances/x: in use");
}

TEST(TraceFlags, tells_all_that_is_wrong) {
  TraceRecord record = good_record();
  record.broken = "somebody switched tracing off";
  record.cpus[0].overrun = 1;
  record.cpus[0].damaged = 1;
  record.profile->damage = {.unmatched_exits = 100, .depth_overruns = 1, .out_of_order = 1};
  record.profile->functions[1].p50_ns = 1;
  std::vector<std::string> codes;
  for (const auto& flag : trace_flags(record, {"somebody"}, fail(ErrorKind::io, "no")))
    codes.push_back(flag.code);
  EXPECT_THAT(codes, ElementsAre("trace-broken", "events-lost", "trace-damaged", "calls-unmatched",
                                 "depth-overrun", "events-out-of-order", "calibration-disagrees",
                                 "other-tracer", "tracefs-not-restored"));
}

}  // namespace
}  // namespace netperfd::trace
