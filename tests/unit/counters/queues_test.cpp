// SPDX-License-Identifier: GPL-2.0-or-later
// Answers of the kernel about queueing disciplines, recorded and damaged.
#include "daemon/counters/queues.hpp"

#include <gmock/gmock.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace netperfd::counters {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string recorded() {
  std::ifstream file(NETPERFD_TEST_DATA "/queues/tbf_pfifo_mq.bin", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// In memory that ends with the bytes, up to the alignment of netlink.
std::vector<Queue> parsed(const std::string& bytes) {
  std::vector<std::uint32_t> memory((bytes.size() / 4) + 1);  // never null
  std::memcpy(memory.data(), bytes.data(), bytes.size());
  std::vector<Queue> queues;
  // The kernel's messages have true lengths; libmnl takes one of 2 GiB for a negative number.
  int left = static_cast<int>(bytes.size());
  const auto* message = reinterpret_cast<const nlmsghdr*>(memory.data());
  while (mnl_nlmsg_ok(message, left) && std::cmp_less_equal(message->nlmsg_len, left)) {
    if (auto queue = parse_queue(message)) queues.push_back(*queue);
    message = mnl_nlmsg_next(message, &left);
  }
  return queues;
}

std::string words_of(const Queue& queue) {
  return fmt::format("{} {} {} {}", queue.device, queue.kind, handle_text(queue.handle),
                     parent_text(queue.parent));
}

TEST(Queues, are_those_that_tc_shows_and_that_hold_packets) {
  std::vector<std::string> found;
  for (const Queue& queue : parsed(recorded())) found.push_back(words_of(queue));
  EXPECT_THAT(found, ElementsAre("2 mq 2: root", "2 pfifo_fast 0: 2:1", "3 tbf 1: root", "3 pfifo 10: 1:1"))
      << "neither noqueue nor clsact";
}

TEST(Queues, have_the_figures_that_tc_shows) {
  const auto queues = parsed(recorded());
  ASSERT_THAT(queues, SizeIs(4));
  const Queue& tbf = queues[2];
  EXPECT_EQ(tbf.backlog_bytes, 20'000U);
  EXPECT_EQ(tbf.backlog_packets, 20U);
  EXPECT_EQ(tbf.sent_bytes, 2'000U);
  EXPECT_EQ(tbf.sent_packets, 2U);
  EXPECT_EQ(tbf.drops, 8U);
  EXPECT_EQ(tbf.overlimits, 28U);
  EXPECT_EQ(tbf.requeues, 0U);
  EXPECT_EQ(queues[3].overlimits, 0U);
  EXPECT_EQ(queues[0].sent_packets, 0U);
}

// An answer by hand, for what the recording does not have.
class Answer {
 public:
  explicit Answer(const char* kind) : memory_(256) {
    message_ = mnl_nlmsg_put_header(memory_.data());
    message_->nlmsg_type = RTM_NEWQDISC;
    tcmsg head{};
    head.tcm_parent = TC_H_ROOT;
    std::memcpy(mnl_nlmsg_put_extra_header(message_, sizeof head), &head, sizeof head);
    mnl_attr_put_strz(message_, TCA_KIND, kind);
    nested_ = mnl_attr_nest_start(message_, TCA_STATS2);
  }
  template <class Value>
  Answer& with(std::uint16_t type, const Value& value) {
    mnl_attr_put(message_, type, sizeof value, &value);
    return *this;
  }
  std::optional<Queue> parse() {
    mnl_attr_nest_end(message_, nested_);
    return parse_queue(message_);
  }

 private:
  std::vector<std::uint32_t> memory_;
  nlmsghdr* message_ = nullptr;
  nlattr* nested_ = nullptr;
};

TEST(Queues, have_more_packets_than_32_bits_hold) {
  gnet_stats_basic basic{};
  basic.bytes = 5'000'000'000'000;
  basic.packets = 7;
  const std::uint64_t packets = 5'000'000'007;
  // In either order.
  const auto one = Answer{"fq"}.with(TCA_STATS_BASIC, basic).with(TCA_STATS_PKT64, packets).parse();
  const auto other = Answer{"fq"}.with(TCA_STATS_PKT64, packets).with(TCA_STATS_BASIC, basic).parse();
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->sent_packets, packets);
  EXPECT_EQ(other->sent_packets, packets);
  EXPECT_EQ(one->sent_bytes, 5'000'000'000'000U);
}

TEST(Queues, below_0_for_a_moment_are_empty) {
  gnet_stats_queue stats{};
  stats.qlen = static_cast<std::uint32_t>(-1);
  stats.backlog = static_cast<std::uint32_t>(-1514);
  stats.drops = 4'294'967'295;
  const auto queue = Answer{"pfifo_fast"}.with(TCA_STATS_QUEUE, stats).parse();
  ASSERT_TRUE(queue);
  EXPECT_EQ(queue->backlog_packets, 0U);
  EXPECT_EQ(queue->backlog_bytes, 0U);
  EXPECT_EQ(queue->drops, 4'294'967'295U);
}

TEST(Queues, of_a_kernel_that_sends_less_have_what_it_sent) {
  const auto queue = Answer{"tbf"}.with(TCA_STATS_QUEUE, std::uint64_t{0x0000'0BB8'0000'0002}).parse();
  ASSERT_TRUE(queue);
  EXPECT_EQ(queue->backlog_packets, 2U);
  EXPECT_EQ(queue->backlog_bytes, 3'000U);
  EXPECT_EQ(queue->drops, 0U);
  EXPECT_FALSE(Answer{""}.parse()) << "without a kind";
}

TEST(Queues, of_an_answer_that_is_cut_anywhere_are_the_whole_ones_before) {
  const std::string whole = recorded();
  const auto all = parsed(whole);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto some = parsed(whole.substr(0, length));
    ASSERT_LE(some.size(), all.size()) << length;
    for (std::size_t i = 0; i < some.size(); ++i) ASSERT_EQ(words_of(some[i]), words_of(all[i])) << length;
  }
}

// The lengths of messages and attributes are as damaged as the rest.
TEST(Queues, of_a_damaged_answer_never_make_it_read_beyond) {
  const std::string whole = recorded();
  std::mt19937 random{20};
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = whole.substr(random() % 4 * 4);
    for (unsigned changes = 1 + random() % 8; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    for (const Queue& queue : parsed(bytes)) ASSERT_LE(queue.kind.size(), 16U);
  }
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 512, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    // Else almost no message is long enough to be looked at.
    if (bytes.size() >= sizeof(nlmsghdr)) {
      const nlmsghdr head{static_cast<std::uint32_t>(bytes.size()), RTM_NEWQDISC, 0, 0, 0};
      std::memcpy(bytes.data(), &head, sizeof head);
    }
    for (const Queue& queue : parsed(bytes)) ASSERT_LE(queue.kind.size(), 16U);
  }
}

TEST(Queues, have_handles_as_tc_writes_them) {
  EXPECT_EQ(handle_text(0x0001'0000), "1:");
  EXPECT_EQ(handle_text(0x8021'0000), "8021:");
  EXPECT_EQ(handle_text(0), "0:");
  EXPECT_EQ(parent_text(0xFFFF'FFFF), "root");
  EXPECT_EQ(parent_text(0x0001'000A), "1:a");
}

}  // namespace
}  // namespace netperfd::counters
