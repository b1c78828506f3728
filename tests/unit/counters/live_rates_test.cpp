// SPDX-License-Identifier: GPL-2.0-or-later
// The throughput that is shown while a run goes on, by the kernel's counts of its connections.
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "daemon/counters/run_counters.hpp"
#include "tests/unit/counters/counted_pair.hpp"

namespace netperfd::counters {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class LiveRates : public RunCountersHere {};

TEST_F(LiveRates, tell_the_rate_of_the_data_connections_once_a_second) {
  listen_at_the_server();
  std::vector<Interval> told;
  JobSpec asked = spec();
  asked.test.traffic.streams = 2;
  const auto counting = source_.open(asked, {client_.pid(), server_.pid()});
  counting->released([&](const Interval& interval) { told.push_back(interval); });
  const Connection control = connect();
  send_and_receive(control, 10);
  const Connection one = connect();
  const Connection two = connect();
  send_and_receive(one, 30'000);
  clock_.tick();
  EXPECT_THAT(told, IsEmpty()) << "half a second";
  send_and_receive(two, 20'000);
  clock_.tick();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].direction, Direction::send);
  EXPECT_FALSE(told[0].stream);
  // The acknowledgments of the last bytes may still be under way. The kernel counts each SYN as a byte.
  EXPECT_GE(*told[0].bytes, 30'000U);
  EXPECT_LE(*told[0].bytes, 50'002U) << "without what the two ends say to each other";
  EXPECT_NEAR(*told[0].bits_per_second * told[0].seconds / 8, static_cast<double>(*told[0].bytes), 1);
  EXPECT_EQ(told[0].retransmits, 0U);
  send_and_receive(one, 5'000);
  for (int i = 0; i < 2; ++i) clock_.tick();
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_LE(*told[0].bytes + *told[1].bytes, 55'002U) << "each byte counts once";
  EXPECT_EQ(told[1].start_s, told[0].end_s);
}

TEST_F(LiveRates, tell_what_the_client_receives_as_the_other_direction) {
  listen_at_the_server();
  std::vector<Interval> told;
  JobSpec asked = spec();
  asked.test.traffic.direction = Direction::both;
  asked.test.traffic.omit = std::chrono::hours{1};
  const auto counting = source_.open(asked, {client_.pid(), server_.pid()});
  counting->released([&](const Interval& interval) { told.push_back(interval); });
  const Connection data = connect();
  const std::string bytes(7'000, 'y');
  ASSERT_EQ(::send(data.server.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), 7'000);
  std::string got(7'000, ' ');
  ASSERT_EQ(::recv(data.client.get(), got.data(), got.size(), MSG_WAITALL), 7'000);
  for (int i = 0; i < 2; ++i) clock_.tick();
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[0].direction, Direction::send);
  EXPECT_LE(*told[0].bytes, 1U);
  EXPECT_EQ(told[1].direction, Direction::receive);
  EXPECT_EQ(told[1].bytes, 7'000U);
  EXPECT_FALSE(told[1].sender);
  EXPECT_FALSE(told[1].retransmits) << "those of the sender, which is elsewhere";
  EXPECT_TRUE(told[1].omitted);
}

TEST_F(LiveRates, tell_no_rate_of_a_test_that_is_over_or_not_of_tcp) {
  listen_at_the_server();
  int told = 0;
  const auto counting = open();
  counting->released([&](const Interval&) { ++told; });
  {
    const Connection data = connect();
    clock_.tick();
    const linger at_once{1, 0};
    ::setsockopt(data.client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  clock_.tick();
  EXPECT_EQ(told, 0);
  JobSpec udp = spec();
  udp.test.traffic.protocol = Protocol::udp;
  const std::size_t delays = clock_.delays.size();
  source_.open(udp, {client_.pid(), server_.pid()})->released([&](const Interval&) { ++told; });
  EXPECT_EQ(clock_.delays.size(), delays) << "nothing is sampled";
}

TEST_F(LiveRates, of_a_load_beside_probes_begin_with_the_load) {
  listen_at_the_server();
  JobSpec asked = spec();
  asked.test.traffic.omit = std::chrono::milliseconds{0};
  asked.latency.emplace();
  std::vector<Interval> told;
  const auto counting = source_.open(asked, {client_.pid(), server_.pid()});
  counting->released([&](const Interval& interval) { told.push_back(interval); });
  for (int i = 0; i < 20; ++i) clock_.tick();  // idle for longer than connections are looked for
  counting->load_begun();
  const Connection control = connect();
  const Connection one = connect();
  send_and_receive(control, 10);
  send_and_receive(one, 30'000);
  clock_.tick();
  clock_.tick();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_GE(*told[0].bytes, 30'000U);
  EXPECT_FALSE(counting->finish().tcp.empty());
}

}  // namespace
}  // namespace netperfd::counters
