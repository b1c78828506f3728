// SPDX-License-Identifier: GPL-2.0-or-later
// The tally's handling of function calls among other events; tests/unit/analysis covers the pairing itself.
#include <gmock/gmock.h>

#include <array>

#include "tests/unit/trace/ring/tally_maker.hpp"

namespace netperfd::trace::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr std::uint16_t kTallyExitId = 10;
constexpr std::uint16_t kTallyEntryId = 11;
constexpr std::uint16_t kSwitchId = 300;

TallySettings settings_with_calls() {
  TallySettings result = settings();
  result.events.push_back(make_event("ftrace", "funcgraph_entry", kTallyEntryId,
                                     "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
                                     "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"));
  result.events.push_back(
      make_event("ftrace", "funcgraph_exit", kTallyExitId,
                 "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
                 "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
                 "\tfield:unsigned int overrun;\toffset:20;\tsize:4;\tsigned:0;\n"
                 "\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"
                 "\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n"));
  result.events.push_back(make_event("sched", "sched_switch", kSwitchId,
                                     "\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
                                     "\tfield:pid_t next_pid;\toffset:12;\tsize:4;\tsigned:1;\n"));
  result.graph = GraphFormat::make(result.events).value();
  result.hidden = {"sched:sched_switch"};
  return result;
}

TimedRecord enter(std::uint64_t time, std::uint64_t function, std::int32_t depth = 0, std::int32_t pid = 7) {
  return {time, RecordMaker(kTallyEntryId, pid).put(8, function).put(16, depth)};
}
// Its times come from another clock, which drifts from that of the stamps.
TimedRecord leave(std::uint64_t time, std::uint64_t function, std::uint64_t duration, std::int32_t depth = 0,
                  std::int32_t pid = 7) {
  constexpr std::uint64_t kApart = 5'000;
  return {time, RecordMaker(kTallyExitId, pid)
                    .put(8, function)
                    .put(16, depth)
                    .put(20, std::uint32_t{0})
                    .put(24, time - duration + kApart)
                    .put(32, time + kApart)};
}
TimedRecord change(std::uint64_t time, std::int32_t from, std::int32_t to) {
  return {time, RecordMaker(kSwitchId, from).put(8, from).put(12, to)};
}

const FunctionStats& stats_of(const TraceRecord& record, const std::string& name) {
  const auto found = std::ranges::find(record.profile->functions, name, &FunctionStats::name);
  if (found == record.profile->functions.end()) throw std::runtime_error(name + " was not called");
  return *found;
}

TEST(TallyCalls, make_a_profile_beside_the_counts_of_events) {
  Tally tally(settings_with_calls());
  feed(tally, 0,
       {release_at(kStart),
        enter(kStart + 100, kIpRcv),
        {kStart + 150, send_record(9)},
        enter(kStart + 200, kUdpRcv, 1),
        leave(kStart + 260, kUdpRcv, 50, 1),
        leave(kStart + 400, kIpRcv, 300)});
  const auto record = finish(tally);
  ASSERT_TRUE(record.profile);
  EXPECT_EQ(stats_of(record, "ip_rcv").total_ns, 300U);
  EXPECT_EQ(stats_of(record, "ip_rcv").self_ns, 250U);
  EXPECT_EQ(stats_of(record, "udp_rcv").hits, 1U);
  EXPECT_EQ(count_of(record, "ftrace:funcgraph_entry")->count, 2U);
  EXPECT_EQ(count_of(record, "net:send")->count, 1U);
  EXPECT_EQ(record.cpus.front().records, 6U);
}

bool always() {
  return true;
}

TEST(TallyCalls, keep_no_record_of_a_call_whole) {
  Tally tally(settings_with_calls());
  feed(tally, 0, {enter(kStart, kIpRcv), leave(kStart + 100, kIpRcv, 90)});
  EXPECT_THAT(finish(tally).samples, IsEmpty());
}

TEST(TallyCalls, hide_the_switches_that_nobody_asked_for_and_take_sleep_out_by_them) {
  Tally tally(settings_with_calls());
  feed(tally, 0,
       {release_at(kStart), enter(kStart + 100, kIpRcv), change(kStart + 200, 7, 0),
        change(kStart + 900, 0, 7), leave(kStart + 1'000, kIpRcv, 900)});
  const auto record = finish(tally);
  EXPECT_EQ(count_of(record, "sched:sched_switch"), nullptr);
  EXPECT_EQ(record.cpus.front().records, 5U) << "they are records all the same";
  EXPECT_EQ(stats_of(record, "ip_rcv").off_cpu_ns, 700U);
  EXPECT_EQ(stats_of(record, "ip_rcv").self_ns, 200U);
}

TEST(TallyCalls, count_switches_that_were_asked_for_as_events_too) {
  auto asked = settings_with_calls();
  asked.hidden.clear();
  Tally tally(std::move(asked));
  feed(tally, 0,
       {enter(kStart + 100, kIpRcv), change(kStart + 200, 7, 0), change(kStart + 900, 0, 7),
        leave(kStart + 1'000, kIpRcv, 900)});
  const auto record = finish(tally);
  EXPECT_EQ(count_of(record, "sched:sched_switch")->count, 2U);
  EXPECT_EQ(stats_of(record, "ip_rcv").off_cpu_ns, 700U);
}

// The CPU with the exit is read first.
TEST(TallyCalls, match_a_call_that_moved_to_a_cpu_that_is_read_before) {
  Tally tally(settings_with_calls());
  const std::array<std::uint32_t, 0> nobody{};
  feed(tally, 0, {leave(kStart + 1'000, kIpRcv, 900)});
  feed(tally, 1, {release_at(kStart), enter(kStart + 100, kIpRcv)});
  tally.end_turn(nobody, always);
  tally.end_turn(nobody, always);
  const auto record = finish(tally);
  EXPECT_EQ(stats_of(record, "ip_rcv").hits, 1U);
  EXPECT_EQ(record.profile->damage, CallDamage{});
}

TEST(TallyCalls, wait_for_a_cpu_that_is_behind) {
  Tally tally(settings_with_calls());
  const std::array<std::uint32_t, 1> second{1};
  feed(tally, 0, {leave(kStart + 1'000, kIpRcv, 900)});
  for (int turn = 0; turn < 5; ++turn) tally.end_turn(second, always);
  feed(tally, 1, {enter(kStart + 100, kIpRcv)});
  EXPECT_EQ(stats_of(finish(tally), "ip_rcv").hits, 1U);
}

TEST(TallyCalls, wait_until_there_is_time_to_decode_them) {
  Tally tally(settings_with_calls());
  const std::array<std::uint32_t, 0> nobody{};
  const auto never = [] { return false; };
  for (std::uint64_t i = 0; i < 4; ++i) {
    feed(tally, 0, {enter(kStart + 1'000 * i, kIpRcv), leave(kStart + 1'000 * i + 500, kIpRcv, 400)});
  }
  tally.end_turn(nobody, never);
  tally.end_turn(nobody, never);
  const auto progress = tally.take_progress(10);
  EXPECT_THAT(progress.events,
              UnorderedElementsAre(Pair("ftrace:funcgraph_entry", 1U), Pair("ftrace:funcgraph_exit", 1U)));
  EXPECT_DOUBLE_EQ(progress.seconds, 500e-9) << "of the time that was decoded, not of that which has passed";
  EXPECT_FALSE(tally.end(never));
  EXPECT_TRUE(tally.end(always));
  EXPECT_EQ(stats_of(finish(tally), "ip_rcv").hits, 4U);
}

TEST(TallyCalls, are_marked_where_records_of_their_cpu_were_lost_meanwhile) {
  Tally tally(settings_with_calls());
  feed(tally, 0, {enter(kStart + 100, kIpRcv)});
  SubbufferMaker maker(kStart + 500);
  const auto last = leave(kStart + 1'000, kIpRcv, 900);
  ASSERT_TRUE(maker.add(last.time, last.record));
  tally.add(0, maker.finish(12));
  const auto record = finish(tally);
  EXPECT_EQ(record.profile->damage.over_losses, 1U);
  EXPECT_EQ(record.cpus.front().lost_events, 12U);
}

TEST(TallyCalls, tell_the_busiest_functions_of_each_progress) {
  auto named = settings_with_calls();
  named.function = [](std::uint64_t address) {
    return analysis::FunctionName{address == kIpRcv ? "ip_rcv" : "udp_rcv", "", 0};
  };
  Tally tally(std::move(named));
  const std::array<std::uint32_t, 0> nobody{};
  std::vector<TimedRecord> events;
  for (std::uint64_t i = 0; i < 5; ++i) {
    events.push_back(enter(kStart + 100 * i, i == 4 ? kUdpRcv : kIpRcv));
    events.push_back(leave(kStart + 100 * i + 50, i == 4 ? kUdpRcv : kIpRcv, 40));
  }
  feed(tally, 0, events);
  feed(tally, 0, {enter(kStart + 1'000, kIpRcv)});
  tally.end_turn(nobody, always);
  tally.end_turn(nobody, always);
  EXPECT_THAT(tally.take_progress(1).functions, ElementsAre(Pair("ip_rcv", 4U), Pair("udp_rcv", 1U)));
  EXPECT_THAT(tally.take_progress(1).functions, IsEmpty());
}

// Nothing after the entry can be decoded: the next record claims to be longer than the rest.
Bytes broken_after(const TimedRecord& record) {
  SubbufferMaker maker(record.time);
  EXPECT_TRUE(maker.add(record.time, record.record));
  Bytes bytes = maker.finish();
  std::uint64_t commit = 0;
  std::memcpy(&commit, bytes.data() + 8, sizeof commit);
  const std::uint32_t head = 28;  // of 112 bytes
  std::memcpy(bytes.data() + 16 + commit, &head, sizeof head);
  commit += sizeof head;
  std::memcpy(bytes.data() + 8, &commit, sizeof commit);
  return bytes;
}

TEST(TallyCalls, are_marked_where_their_cpu_could_not_be_decoded_meanwhile) {
  Tally tally(settings_with_calls());
  tally.add(0, broken_after(enter(kStart + 100, kIpRcv)));
  feed(tally, 0, {leave(kStart + 1'000, kIpRcv, 900)});
  const auto record = finish(tally);
  EXPECT_EQ(record.cpus.front().damaged, 1U);
  EXPECT_EQ(record.profile->damage.over_losses, 1U);
}

TEST(TallyCalls, of_a_record_that_is_too_short_are_damage) {
  Tally tally(settings_with_calls());
  feed(tally, 0, {{kStart, RecordMaker(kTallyEntryId, 7).put(8, std::uint32_t{1})}});
  EXPECT_EQ(finish(tally).cpus.front().damaged, 1U);
}

}  // namespace
}  // namespace netperfd::trace::test
