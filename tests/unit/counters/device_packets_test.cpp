// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/device_packets.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "daemon/workload/job/traits.hpp"
#include "tests/unit/counters/namespace_pair.hpp"

namespace netperfd::counters {
namespace {

constexpr const char* kNetDev =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls "
    "carrier compressed\n"
    "    lo:     100       2    0    0    0     0          0         0      100       2    0    0    0     0 "
    "      "
    "0          0\n"
    "  eth0:12345678901 987654    1    2    3     4          5         6 22345678901 887654    7    8    9   "
    " 10"
    "      11         12\n"
    "eth0.5: 1 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0\n";

TEST(NetDev, has_both_directions_of_a_device) {
  const auto sent = parse_net_dev(kNetDev, "eth0", true);
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->packets, 887'654U);
  EXPECT_EQ(sent->bytes, 22'345'678'901U);
  const auto received = parse_net_dev(kNetDev, "eth0", false);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->packets, 987'654U);
  EXPECT_EQ(received->bytes, 12'345'678'901U);
  EXPECT_EQ(parse_net_dev(kNetDev, "eth0.5", true)->packets, 4U);
}

TEST(NetDev, has_nothing_of_a_device_that_is_not_there_or_not_whole) {
  EXPECT_FALSE(parse_net_dev(kNetDev, "eth", true));
  EXPECT_FALSE(parse_net_dev(kNetDev, "eth1", true));
  EXPECT_FALSE(parse_net_dev("", "eth0", true));
  EXPECT_FALSE(parse_net_dev("eth0: 1 2 3\n", "eth0", false));
}

class DevicePackets : public NamespacePair {
 protected:
  std::unique_ptr<core::ActivePacketCount> open(Direction direction,
                                                const std::string& server = "10.78.0.2") {
    JobSpec spec;
    spec.workload = workload::traits_of("iperf3");
    spec.test.path.server = server;
    spec.test.path.netns = "left";
    spec.test.traffic.direction = direction;
    return counter_.open(spec, {client_.pid(), server_.pid()});
  }

  DevicePacketCounter counter_;
};

TEST_F(DevicePackets, are_those_sent_since_it_was_opened) {
  client_.send_datagrams("10.78.0.2", 3);
  const auto count = open(Direction::send);
  ASSERT_TRUE(count);
  client_.send_datagrams("10.78.0.2", 10);
  const auto counted = count->count();
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->device, "wire");
  EXPECT_EQ(counted->netns, "left");
  EXPECT_TRUE(counted->sent);
  EXPECT_EQ(counted->packets, 10U);
  EXPECT_EQ(counted->bytes, 1'420U);
  client_.send_datagrams("10.78.0.2", 1);
  EXPECT_EQ(count->count()->packets, 11U);
}

TEST_F(DevicePackets, are_those_received_where_the_client_receives) {
  const auto count = open(Direction::receive);
  ASSERT_TRUE(count);
  server_.send_datagrams("10.78.0.1", 7);
  const auto counted = count->count();
  ASSERT_TRUE(counted);
  EXPECT_FALSE(counted->sent);
  EXPECT_EQ(counted->packets, 7U);
}

TEST_F(DevicePackets, can_be_read_when_the_last_process_of_the_namespace_has_ended) {
  const auto count = open(Direction::both);
  ASSERT_TRUE(count);
  client_.send_datagrams("10.78.0.2", 5);
  client_.end();
  const auto counted = count->count();
  ASSERT_TRUE(counted);
  EXPECT_TRUE(counted->sent);
  EXPECT_EQ(counted->packets, 5U);
}

TEST_F(DevicePackets, are_unknown_when_the_device_went_away) {
  const auto count = open(Direction::send);
  ASSERT_TRUE(count);
  client_.ip({"link", "delete", "wire"});
  EXPECT_FALSE(count->count());
}

TEST_F(DevicePackets, pass_the_loopback_device_to_an_address_of_the_client_itself) {
  const auto count = open(Direction::send, "10.78.0.1");
  ASSERT_TRUE(count);
  client_.send_datagrams("10.78.0.1", 4);
  EXPECT_EQ(count->count()->device, "lo");
  // Includes the four ICMP answers, since nobody listens.
  wait_until([&] { return count->count()->packets >= 8; });
  EXPECT_EQ(count->count()->packets, 8U);
}

TEST_F(DevicePackets, are_not_counted_without_a_route_an_address_or_a_process) {
  EXPECT_FALSE(open(Direction::send, "10.99.0.1"));
  EXPECT_FALSE(open(Direction::send, "server.example"));
  JobSpec spec;
  spec.workload = workload::traits_of("iperf3");
  spec.test.path.server = "10.78.0.2";
  EXPECT_FALSE(counter_.open(spec, {}));
  spec.workload = workload::traits_of("none");
  EXPECT_FALSE(counter_.open(spec, {client_.pid()}));
  spec.workload = workload::traits_of("iperf3");
  const pid_t ended = client_.pid();
  client_.end();
  EXPECT_FALSE(counter_.open(spec, {ended}));
}

}  // namespace
}  // namespace netperfd::counters
