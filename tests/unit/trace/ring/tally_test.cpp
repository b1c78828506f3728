// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/tally.hpp"

#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <algorithm>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/trace/ring/tally_maker.hpp"

namespace netperfd::trace {
namespace {

using test::count_of;
using test::feed;
using test::finish;
using test::kSecond;
using test::kStart;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Pair;

// ---- counts -----------------------------------------------------------------------------------------------

TEST(Tally, nothing_read_is_a_record_of_nothing) {
  Tally tally(test::settings());
  const auto record = finish(tally);
  EXPECT_THAT(record.cpus, IsEmpty());
  EXPECT_THAT(record.events, Each(Field(&EventCount::count, 0U))) << "what was asked for and never came";
  EXPECT_THAT(record.samples, IsEmpty());
  EXPECT_EQ(record.stacks_left_out, 0U);
}

TEST(Tally, counts_events_by_name_the_most_frequent_first_and_ties_by_name) {
  Tally tally(test::settings());
  feed(tally, 0,
       {{kStart, test::send_record(1)},
        {kStart, test::drop_record(2, test::kIpRcv)},
        {kStart, test::RecordMaker(test::kConsumeId).put(16, test::kIpRcv)},
        {kStart + 1, test::send_record(2)}});
  const auto record = finish(tally);
  ASSERT_EQ(record.events.size(), 3U);
  EXPECT_EQ(record.events[0].name, "net:send");
  EXPECT_EQ(record.events[0].count, 2U);
  EXPECT_EQ(record.events[1].name, "skb:consume_skb");
  EXPECT_EQ(record.events[2].name, "skb:kfree_skb");
}

TEST(Tally, an_event_without_a_format_counts_by_its_id_and_has_no_samples) {
  Tally tally(test::settings());
  feed(tally, 0, {{kStart, test::RecordMaker(999)}, {kStart, test::RecordMaker(999)}});
  const auto record = finish(tally);
  ASSERT_FALSE(record.events.empty());
  EXPECT_EQ(record.events[0].name, "unknown:999");
  EXPECT_EQ(record.events[0].count, 2U);
  EXPECT_THAT(record.samples, IsEmpty());
}

TEST(Tally, ids_without_a_format_are_kept_apart_up_to_a_limit) {
  Tally tally(test::settings());
  for (std::uint16_t id = 10'000; id < 11'000; ++id) feed(tally, 0, {{kStart, test::RecordMaker(id)}});
  const auto record = finish(tally);
  EXPECT_EQ(std::ranges::count_if(record.events, [](const EventCount& event) { return event.count > 0; }),
            257);
  EXPECT_EQ(record.events[0].name, "unknown:others");
  EXPECT_EQ(record.events[0].count, 1'000U - 256U);
}

// ---- CPUs -------------------------------------------------------------------------------------------------

TEST(Tally, counts_events_and_bytes_of_each_cpu) {
  Tally tally(test::settings());
  feed(tally, 3, {{kStart, test::send_record(1)}});
  feed(tally, 1, {{kStart, test::send_record(1)}, {kStart, test::send_record(2)}});
  feed(tally, 1, {{kStart + 5, test::send_record(3)}});
  const auto record = finish(tally);
  ASSERT_EQ(record.cpus.size(), 2U);
  EXPECT_EQ(record.cpus[0].cpu, 1U);
  EXPECT_EQ(record.cpus[0].records, 3U);
  EXPECT_EQ(record.cpus[0].bytes, 2 * 4096U);
  EXPECT_EQ(record.cpus[0].damaged, 0U);
  EXPECT_EQ(record.cpus[1].cpu, 3U);
  EXPECT_EQ(record.cpus[1].records, 1U);
}

TEST(Tally, lost_events_are_those_the_kernel_tells_and_at_least_one_where_it_does_not) {
  Tally tally(test::settings());
  test::SubbufferMaker maker(kStart);
  ASSERT_TRUE(maker.add(kStart, test::send_record(1)));
  tally.add(0, maker.finish(41));
  tally.add(1, maker.finish(-1));
  tally.add(2, maker.finish());
  const auto record = finish(tally);
  EXPECT_EQ(record.cpus[0].lost_events, 41U);
  EXPECT_EQ(record.cpus[1].lost_events, 1U);
  EXPECT_EQ(record.cpus[2].lost_events, 0U);
  EXPECT_THAT(tally.uncounted_losses(), ElementsAre(1U));
}

TEST(Tally, a_damaged_subbuffer_is_counted_with_what_could_be_read_and_the_next_one_is_read) {
  Tally tally(test::settings());
  test::SubbufferMaker maker(kStart);
  ASSERT_TRUE(maker.add(kStart, test::send_record(1)));
  ASSERT_TRUE(maker.add(kStart, test::send_record(2)));
  auto bytes = maker.finish();
  bytes[16 + 16] = std::byte{28};  // the second event's length exceeds the rest
  tally.add(0, bytes);
  tally.add(0, std::span(bytes).first(7));
  tally.add(0, maker.finish());
  const auto record = finish(tally);
  EXPECT_EQ(record.cpus[0].damaged, 2U);
  EXPECT_EQ(record.cpus[0].records, 3U);
}

TEST(Tally, a_record_too_short_for_its_common_fields_is_damage_and_no_event) {
  Tally tally(test::settings());
  feed(tally, 0, {{kStart, test::Bytes(4)}, {kStart, test::send_record(1)}});
  const auto record = finish(tally);
  EXPECT_EQ(record.cpus[0].damaged, 1U);
  EXPECT_EQ(record.cpus[0].records, 1U);
}

// ---- progress ---------------------------------------------------------------------------------------------

TEST(Tally, a_progress_has_what_happened_since_the_one_before) {
  Tally tally(test::settings());
  feed(tally, 0, {{kStart, test::send_record(1)}, {kStart + kSecond, test::send_record(1)}});
  const auto first = tally.take_progress(1.0);
  EXPECT_THAT(first.events, ElementsAre(Pair("net:send", 2U)));
  EXPECT_DOUBLE_EQ(first.seconds, 1.0);
  EXPECT_EQ(first.lost, 0U);

  test::SubbufferMaker maker(kStart + kSecond);
  ASSERT_TRUE(maker.add(kStart + 3 * kSecond / 2, test::drop_record(2, test::kIpRcv)));
  tally.add(1, maker.finish(7));
  const auto second = tally.take_progress(0.5);
  EXPECT_THAT(second.events, ElementsAre(Pair("skb:kfree_skb", 1U)));
  EXPECT_EQ(second.lost, 7U);
  EXPECT_EQ(second.seconds, 0.5);

  const auto third = tally.take_progress(1.0);
  EXPECT_THAT(third.events, IsEmpty());
  EXPECT_EQ(third.lost, 0U);
}

// ---- drops ------------------------------------------------------------------------------------------------

TEST(Tally, drops_are_counted_by_reason_and_function) {
  Tally tally(test::settings());
  std::vector<test::TimedRecord> events;
  for (std::uint64_t i = 0; i < 5; ++i) {
    events.push_back({kStart + i, test::drop_record(3, test::kUdpRcv + 4 * i)});  // five places, one function
  }
  events.push_back({kStart + 10, test::drop_record(2, test::kUdpRcv)});
  events.push_back({kStart + 11, test::drop_record(2, test::kIpRcv)});
  feed(tally, 0, events);
  const auto record = finish(tally);
  ASSERT_EQ(record.drops.size(), 3U);
  EXPECT_EQ(record.drops[0].reason, "NO_SOCKET");
  EXPECT_EQ(record.drops[0].location, "udp_rcv");
  EXPECT_EQ(record.drops[0].count, 5U);
  EXPECT_EQ(record.drops[1].location, "ip_rcv") << "ties by name";
  EXPECT_EQ(record.drops[2].location, "udp_rcv");
}

TEST(Tally, a_consumed_packet_is_no_drop) {
  Tally tally(test::settings());
  feed(tally, 0, {{kStart, test::RecordMaker(test::kConsumeId).put(16, test::kIpRcv)}});
  EXPECT_THAT(finish(tally).drops, IsEmpty());
}

TEST(Tally, a_place_outside_the_known_code_is_a_token) {
  Tally tally(test::settings());
  feed(tally, 0, {{kStart, test::drop_record(2, 0xffffffffc0000000)}, {kStart, test::drop_record(2, 0)}});
  const auto record = finish(tally);
  ASSERT_EQ(record.drops.size(), 2U);
  EXPECT_THAT(record.drops[0].location, testing::MatchesRegex("p:[0-9a-f]{8}"));
  EXPECT_EQ(record.drops[1].location, "unknown");
}

TEST(Tally, a_kernel_that_tells_no_reason_has_drops_of_unknown_reason) {
  TallySettings settings;
  settings.events = {test::make_event("skb", "kfree_skb", test::kDropId,
                                      "\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
                                      "\tfield:void * location;\toffset:16;\tsize:8;\tsigned:0;\n\n"
                                      "print fmt: \"location=%p\", REC->location\n")};
  Tally tally(std::move(settings));
  feed(tally, 0, {{kStart, test::drop_record(3, test::kIpRcv)}});
  const auto record = finish(tally);
  ASSERT_EQ(record.drops.size(), 1U);
  EXPECT_EQ(record.drops[0].reason, "unknown");
  EXPECT_EQ(record.drops[0].location, "ip_rcv");
}

TEST(Tally, drops_beyond_the_limit_are_others_and_none_is_missing) {
  auto settings = test::settings();
  settings.drops = 2;
  Tally tally(std::move(settings));
  for (std::uint32_t reason = 1; reason <= 5; ++reason) {
    feed(tally, 0, {{kStart, test::drop_record(reason, test::kIpRcv)}});
  }
  const auto record = finish(tally);
  ASSERT_EQ(record.drops.size(), 3U);
  EXPECT_EQ(record.drops[0].reason, "others");
  EXPECT_EQ(record.drops[0].count, 3U);
}

// ---- marks ------------------------------------------------------------------------------------------------

TEST(Tally, marks_are_read_back_with_their_time_and_author) {
  Tally tally(test::settings());
  feed(tally, 0,
       {{kStart, test::print_record(mark_line("start", false) + "\n")},
        test::release_at(kStart + kSecond),
        {kStart + 2 * kSecond, test::print_record(mark_line("my phase two", true) + "\n")},
        {kStart + 2 * kSecond, test::print_record("somebody else's line\n")}});
  const auto record = finish(tally);
  ASSERT_EQ(record.marks.size(), 3U);
  EXPECT_EQ(record.marks[0].text, "start");
  EXPECT_EQ(record.marks[0].time_ns, -static_cast<std::int64_t>(kSecond));
  EXPECT_FALSE(record.marks[0].user);
  EXPECT_EQ(record.marks[1].text, kReleaseMark);
  EXPECT_EQ(record.marks[1].time_ns, 0);
  EXPECT_EQ(record.marks[2].text, "my phase two");
  EXPECT_TRUE(record.marks[2].user);
  ASSERT_NE(count_of(record, "ftrace:print"), nullptr);
  EXPECT_EQ(count_of(record, "ftrace:print")->count, 1U) << "a mark is no event";
}

TEST(Tally, a_user_cannot_release) {
  Tally tally(test::settings());
  feed(tally, 0,
       {{kStart, test::send_record(1)},
        {kStart + kSecond, test::print_record(mark_line(kReleaseMark, true))},
        {kStart + kSecond, test::print_record(mark_line("\nnetperfd: release", true))}});
  const auto record = finish(tally);
  ASSERT_EQ(record.marks.size(), 2U);
  EXPECT_EQ(record.marks[0].time_ns, static_cast<std::int64_t>(kSecond)) << "time 0 is the first event";
  EXPECT_TRUE(record.marks[0].user);
  EXPECT_TRUE(record.marks[1].user);
}

TEST(Tally, only_the_first_release_is_time_zero) {
  Tally tally(test::settings());
  feed(tally, 0, {test::release_at(kStart), test::release_at(kStart + kSecond)});
  const auto record = finish(tally);
  ASSERT_EQ(record.marks.size(), 2U);
  EXPECT_EQ(record.marks[0].time_ns, 0);
  EXPECT_EQ(record.marks[1].time_ns, static_cast<std::int64_t>(kSecond));
}

TEST(Tally, a_mark_is_one_line_of_bounded_length_and_whole_characters) {
  EXPECT_EQ(mark_line("a\nb\tc\x7f", true), "netperfd user: a b c ");
  EXPECT_EQ(mark_line("not \xff utf-8", true), "netperfd user: not ? utf-8");
  const std::string long_text = std::string(199, 'x') + "\u00e4" + "y";
  EXPECT_EQ(mark_line(long_text, false), "netperfd: " + std::string(199, 'x'));
  EXPECT_EQ(mark_line(std::string(200, 'x'), false), "netperfd: " + std::string(200, 'x'));
}

TEST(Tally, the_release_is_seen_however_many_marks_were_before_it) {
  Tally tally(test::settings());
  std::vector<test::TimedRecord> events;
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    events.push_back({kStart + i, test::print_record(mark_line("again", true))});
  }
  events.push_back(test::release_at(kStart + kSecond));
  feed(tally, 0, events);
  const auto record = finish(tally);
  EXPECT_EQ(record.marks.size(), 1'101U);
  EXPECT_EQ(record.marks.back().text, kReleaseMark);
  EXPECT_EQ(record.marks.back().time_ns, 0);
}

}  // namespace
}  // namespace netperfd::trace
