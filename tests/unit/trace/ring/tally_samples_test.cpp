// SPDX-License-Identifier: GPL-2.0-or-later
// The complete records that are kept in a flood: the first and last ones, and the stacks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "daemon/trace/ring/tally.hpp"
#include "tests/unit/trace/ring/tally_maker.hpp"

namespace netperfd::trace {
namespace {

using test::feed;
using test::finish;
using test::kSecond;
using test::kStart;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::uint64_t length_of(const EventSample& sample) {
  return std::get<std::uint64_t>(sample.fields.at(0).value);
}

// ---- samples ----------------------------------------------------------------------------------------------

TEST(TallySamples, have_time_cpu_task_and_fields) {
  Tally tally(test::settings());
  feed(tally, 0, {test::release_at(kStart + 500)});
  feed(tally, 2, {{kStart, test::send_record(1448, 4711)}, {kStart + 1'000, test::send_record(52)}});
  feed(tally, 2, {{kStart + 2'000, test::send_record(7, 99)}});
  const auto samples = test::samples_of(finish(tally, "1 init\n4711 iperf3 worker\n99 <...>\n"), "net:send");
  ASSERT_THAT(samples, SizeIs(3));
  EXPECT_EQ(samples[0].ordinal, 1U);
  EXPECT_EQ(samples[0].time_ns, -500);
  EXPECT_EQ(samples[0].cpu, 2U);
  EXPECT_EQ(samples[0].pid, 4711);
  EXPECT_EQ(samples[0].task, "iperf3 worker");
  ASSERT_THAT(samples[0].fields, SizeIs(1));
  EXPECT_EQ(samples[0].fields[0].name, "len");
  EXPECT_EQ(length_of(samples[0]), 1448U);
  EXPECT_EQ(samples[1].time_ns, 500);
  EXPECT_EQ(samples[1].pid, 0);
  EXPECT_EQ(samples[1].task, "<idle>");
  EXPECT_EQ(samples[2].task, "") << "the kernel has forgotten it";
}

TEST(TallySamples, hold_no_address) {
  Tally tally(test::settings());
  feed(tally, 0, {{kStart, test::drop_record(3, test::kUdpRcv + 0x10)}});
  const auto samples = test::samples_of(finish(tally), "skb:kfree_skb");
  ASSERT_THAT(samples, SizeIs(1));
  std::map<std::string, std::string> texts;
  for (const auto& field : samples[0].fields) {
    texts[field.name] =
        std::holds_alternative<std::string>(field.value) ? std::get<std::string>(field.value) : field.text;
  }
  EXPECT_THAT(texts["skbaddr"], testing::MatchesRegex("p:[0-9a-f]{8}"));
  EXPECT_EQ(texts["location"], "udp_rcv+0x10");
  EXPECT_EQ(texts["reason"], "NO_SOCKET");
}

TEST(TallySamples, are_the_first_and_last_by_time_in_whatever_order_cpus_are_read) {
  auto settings = test::settings();
  settings.samples_first = 3;
  settings.samples_last = 4;
  std::mt19937_64 random(7);
  std::vector<std::uint32_t> order{0, 1, 2, 3, 4};
  for (int round = 0; round < 10; ++round) {
    Tally tally(settings);
    // Event i is on CPU i % 5 and has i as its length: each CPU has 400, in several sub-buffers.
    std::vector<std::vector<test::TimedRecord>> cpus(5);
    for (std::uint32_t i = 0; i < 2'000; ++i) {
      cpus[i % 5].push_back({kStart + 1'000 * i, test::send_record(i)});
    }
    for (const auto cpu : order) feed(tally, cpu, cpus[cpu]);
    std::vector<std::uint64_t> lengths;
    std::vector<std::uint64_t> ordinals;
    for (const auto& sample : test::samples_of(finish(tally), "net:send")) {
      lengths.push_back(length_of(sample));
      ordinals.push_back(sample.ordinal);
    }
    EXPECT_THAT(lengths, ElementsAre(0, 1, 2, 1'996, 1'997, 1'998, 1'999));
    EXPECT_THAT(ordinals, ElementsAre(1, 2, 3, 1'997, 1'998, 1'999, 2'000));
    std::shuffle(order.begin(), order.end(), random);
  }
}

TEST(TallySamples, that_are_first_and_last_at_once_appear_once) {
  auto settings = test::settings();
  settings.samples_first = 4;
  settings.samples_last = 4;
  for (std::uint32_t count = 1; count <= 10; ++count) {
    Tally tally(settings);
    for (std::uint32_t i = 0; i < count; ++i) feed(tally, i % 2, {{kStart + i, test::send_record(i)}});
    std::vector<std::uint64_t> ordinals;
    for (const auto& sample : finish(tally).samples) {
      EXPECT_EQ(length_of(sample) + 1, sample.ordinal);
      ordinals.push_back(sample.ordinal);
    }
    std::vector<std::uint64_t> wanted(count);
    std::iota(wanted.begin(), wanted.end(), 1U);
    if (count > 8) wanted.erase(wanted.begin() + 4, wanted.end() - 4);
    EXPECT_EQ(ordinals, wanted);
  }
}

TEST(TallySamples, of_one_time_are_in_the_order_of_their_cpus) {
  Tally tally(test::settings());
  feed(tally, 1, {{kStart, test::send_record(3)}});
  feed(tally, 0, {{kStart, test::send_record(1)}, {kStart, test::send_record(2)}});
  std::vector<std::uint64_t> lengths;
  for (const auto& sample : finish(tally).samples) lengths.push_back(length_of(sample));
  EXPECT_THAT(lengths, ElementsAre(1, 2, 3));
}

TEST(TallySamples, can_be_none) {
  auto settings = test::settings();
  settings.samples_first = 0;
  settings.samples_last = 0;
  Tally tally(std::move(settings));
  feed(tally, 0, {{kStart, test::send_record(3)}});
  EXPECT_THAT(finish(tally).samples, IsEmpty());
}

// ---- stacks -----------------------------------------------------------------------------------------------

TEST(TallyStacks, belong_to_the_event_before_them_on_their_cpu) {
  Tally tally(test::settings());
  feed(tally, 0,
       {{kStart, test::send_record(1, 5)},
        {kStart, test::stack_record({test::kUdpRcv + 4, test::kIpRcv + 0x1c, ~std::uint64_t{0}}, 5)},
        {kStart, test::drop_record(2, test::kIpRcv, 5)},
        {kStart, test::stack_record({test::kUdpRcv + 4, test::kIpRcv + 0x1c}, 5)}});
  feed(tally, 1,
       {{kStart, test::send_record(1, 6)},
        {kStart, test::stack_record({test::kUdpRcv + 4, test::kIpRcv + 0x1c}, 6)},
        {kStart, test::send_record(1, 6)},
        {kStart, test::stack_record({test::kSoftirq}, 6)}});
  const auto record = finish(tally);
  ASSERT_THAT(record.stacks, SizeIs(3));
  EXPECT_EQ(record.stacks[0].event, "net:send");
  EXPECT_THAT(record.stacks[0].frames, ElementsAre("udp_rcv+0x4", "ip_rcv+0x1c"));
  EXPECT_EQ(record.stacks[0].count, 2U);
  EXPECT_EQ(record.stacks[1].event, "net:send");
  EXPECT_THAT(record.stacks[1].frames, ElementsAre("do_softirq+0x0"));
  EXPECT_EQ(record.stacks[2].event, "skb:kfree_skb");
  EXPECT_EQ(record.stacks[2].count, 1U);
  EXPECT_EQ(test::count_of(record, "ftrace:kernel_stack"), nullptr) << "counted with its event";
  EXPECT_THAT(test::samples_of(record, "ftrace:kernel_stack"), IsEmpty());
}

TEST(TallyStacks, of_an_interrupted_event_find_it_behind_the_interrupt) {
  constexpr std::uint8_t kHardIrq = 0x08;
  constexpr std::uint8_t kSoftIrq = 0x10;
  Tally tally(test::settings());
  feed(tally, 0,
       {{kStart, test::send_record(1, 5)},
        {kStart, test::drop_record(2, test::kIpRcv, 5, kSoftIrq)},
        {kStart, test::RecordMaker(test::kConsumeId, 5, kHardIrq).put(16, test::kIpRcv)},
        {kStart, test::stack_record({test::kIpRcv}, 5, kHardIrq)},
        {kStart, test::stack_record({test::kSoftirq}, 5, kSoftIrq)},
        {kStart, test::stack_record({test::kUdpRcv}, 5)}});
  const auto record = finish(tally);
  ASSERT_THAT(record.stacks, SizeIs(3));
  EXPECT_EQ(record.stacks[0].event, "net:send");
  EXPECT_THAT(record.stacks[0].frames, ElementsAre("udp_rcv+0x0"));
  EXPECT_EQ(record.stacks[1].event, "skb:consume_skb");
  EXPECT_THAT(record.stacks[1].frames, ElementsAre("ip_rcv+0x0"));
  EXPECT_EQ(record.stacks[2].event, "skb:kfree_skb");
}

TEST(TallyStacks, are_of_no_known_event_where_theirs_was_lost) {
  Tally tally(test::settings());
  feed(tally, 0, {{kStart, test::send_record(1, 5)}});
  test::SubbufferMaker maker(kStart);
  ASSERT_TRUE(maker.add(kStart, test::stack_record({test::kIpRcv}, 5)));
  tally.add(0, maker.finish(3));
  feed(tally, 1, {{kStart, test::send_record(1, 5)}, {kStart, test::stack_record({test::kIpRcv}, 6)}});
  const auto record = finish(tally);
  ASSERT_THAT(record.stacks, SizeIs(1));
  EXPECT_EQ(record.stacks[0].event, "unknown");
  EXPECT_EQ(record.stacks[0].count, 2U);
}

TEST(TallyStacks, have_as_many_frames_as_the_record_says_not_its_format) {
  std::vector<std::uint64_t> frames;
  for (std::uint64_t i = 0; i < 40; ++i) frames.push_back(test::kIpRcv + i);
  Tally tally(test::settings());
  feed(tally, 0, {{kStart, test::send_record(1)}, {kStart, test::stack_record(frames)}});
  // A record that is longer than its size field has stale bytes after the frames; a shorter one ends early.
  frames.resize(3);
  test::Bytes stale = test::stack_record(frames);
  const std::int32_t two = 2;
  std::memcpy(stale.data() + 8, &two, sizeof two);
  test::Bytes cut = test::stack_record(frames);
  cut.resize(16 + 8);
  feed(
      tally, 0,
      {{kStart, test::drop_record(2, 0)}, {kStart, stale}, {kStart, test::drop_record(2, 0)}, {kStart, cut}});
  const auto record = finish(tally);
  ASSERT_THAT(record.stacks, SizeIs(3));
  EXPECT_THAT(record.stacks[0].frames, SizeIs(40));
  EXPECT_THAT(record.stacks[1].frames, ElementsAre("ip_rcv+0x0"));
  EXPECT_THAT(record.stacks[2].frames, ElementsAre("ip_rcv+0x0", "ip_rcv+0x1"));
}

TEST(TallyStacks, beyond_the_limit_are_counted_as_left_out) {
  auto settings = test::settings();
  settings.stacks = 2;
  Tally tally(std::move(settings));
  for (std::uint64_t i = 0; i < 5; ++i) {
    for (int times = 0; times < 2; ++times) {
      feed(tally, 0, {{kStart, test::send_record(1)}, {kStart, test::stack_record({test::kIpRcv + i})}});
    }
  }
  const auto record = finish(tally);
  EXPECT_THAT(record.stacks, SizeIs(2));
  EXPECT_EQ(record.stacks[0].count, 2U);
  EXPECT_EQ(record.stacks_left_out, 6U);
}

TEST(TallyStacks, of_user_space_are_no_events_and_part_nothing_from_its_stack) {
  Tally tally(test::settings());
  feed(tally, 0,
       {{kStart, test::send_record(1)},
        {kStart, test::RecordMaker(test::kUserStackId).put(16, std::uint64_t{0x7f0012345678})},
        {kStart, test::stack_record({test::kIpRcv})}});
  const auto record = finish(tally);
  ASSERT_THAT(record.stacks, SizeIs(1));
  EXPECT_EQ(record.stacks[0].event, "net:send");
  EXPECT_EQ(test::count_of(record, "ftrace:user_stack"), nullptr);
  EXPECT_THAT(test::samples_of(record, "ftrace:user_stack"), IsEmpty());
}

}  // namespace
}  // namespace netperfd::trace
