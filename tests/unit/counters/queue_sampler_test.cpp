// SPDX-License-Identifier: GPL-2.0-or-later
// Queues between two namespaces that fill and empty while they are sampled.
#include "daemon/counters/queue_sampler.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/counters/counted_pair.hpp"
#include "tests/unit/counters/router.hpp"

namespace netperfd::counters {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::uint64_t kBytes = 142;  // of one of Namespace::send_datagrams()
constexpr std::uint64_t kAtOnce = 11;  // so many leave at once
constexpr std::uint64_t kHeld = 20;    // so many wait; more are dropped
constexpr const char* kToServer = "10.78.0.2";

std::vector<QueueSample> of_kind(const std::vector<QueueSample>& samples, std::string_view kind) {
  std::vector<QueueSample> found;
  std::ranges::copy_if(samples, std::back_inserter(found),
                       [&](const QueueSample& sample) { return sample.kind == kind; });
  return found;
}

std::vector<std::string> about_queues(const Counters& counters) {
  std::vector<std::string> found;
  std::ranges::copy_if(counters.unknown, std::back_inserter(found),
                       [](const std::string& clause) { return clause.starts_with("queues"); });
  return found;
}

class QueueSamples : public RunCountersHere {
 protected:
  void SetUp() override {
    RunCountersHere::SetUp();
    // It would send packets of its own.
    for (const Namespace* each : {&client_, &server_}) each->ip({"link", "set", "wire", "arp", "off"});
  }

  // A byte per second leaves it, so that none of the packets behind the first ones does during a test.
  static void hold_packets(const Namespace& netns) {
    netns.tc({"qdisc", "add", "dev", "wire", "root", "handle", "1:", "tbf", "rate", "8bit", "burst", "1600",
              "limit", "100000"});
    netns.tc({"qdisc", "add", "dev", "wire", "parent", "1:1", "handle", "10:", "pfifo", "limit",
              fmt::format("{}", kHeld)});
  }
  // The next packet takes all others along. A limit of tbf is also one of its pfifo, in packets then.
  static void let_packets_go(const Namespace& netns) {
    netns.tc({"qdisc", "change", "dev", "wire", "root", "handle", "1:", "tbf", "rate", "10gbit", "burst",
              "1000000", "limit", "100000"});
  }

  std::unique_ptr<core::ActiveCounters> open_udp() {
    JobSpec udp = spec();
    udp.test.traffic.protocol = Protocol::udp;
    return source_.open(udp, {client_.pid(), server_.pid()});
  }
  // A sampler of the client's device alone.
  std::unique_ptr<QueueSampler> sampler(QueueSamplerSettings sampling) {
    if (!sockets_) sockets_ = open_sockets_in(fmt::format("/proc/{}/ns/net", client_.pid())).value();
    auto made = std::make_unique<QueueSampler>(clock_, sampling);
    made->add(sockets_->route, "left", find_device(sockets_->route, "wire").value());
    return made;
  }

  std::optional<NamespaceSockets> sockets_;
};

TEST_F(QueueSamples, show_a_queue_that_grows_and_is_empty_afterwards) {
  hold_packets(client_);
  const auto counting = open_udp();
  counting->released({});
  client_.send_datagrams(kToServer, kAtOnce);
  clock_.tick();
  client_.send_datagrams(kToServer, 7);
  clock_.tick();
  client_.send_datagrams(kToServer, 13 + 5);
  clock_.tick();
  let_packets_go(client_);
  client_.send_datagrams(kToServer, 1);
  clock_.tick();
  const Counters counters = counting->finish();
  EXPECT_THAT(about_queues(counters), IsEmpty());
  EXPECT_THAT(counters.queues,
              Each(AllOf(Field(&QueueSample::device, "wire"), Field(&QueueSample::netns, "left"))));
  EXPECT_TRUE(std::ranges::is_sorted(counters.queues, {}, &QueueSample::time));

  const auto root = of_kind(counters.queues, "tbf");
  ASSERT_THAT(root, SizeIs(6)) << "at the release, four ticks, at the end";
  EXPECT_THAT(root, Each(AllOf(Field(&QueueSample::handle, "1:"), Field(&QueueSample::parent, "root"))));
  EXPECT_EQ(root[0].time.count(), 0);
  std::vector<std::uint64_t> packets, bytes, sent, drops;
  for (const QueueSample& sample : root) {
    packets.push_back(sample.backlog_packets);
    bytes.push_back(sample.backlog_bytes);
    sent.push_back(sample.sent_packets);
    drops.push_back(sample.drops);
  }
  EXPECT_THAT(packets, ElementsAre(0, 0, 7, 20, 0, 0));
  EXPECT_THAT(bytes, ElementsAre(0, 0, 7 * kBytes, 20 * kBytes, 0, 0));
  EXPECT_THAT(sent, ElementsAre(0, 11, 11, 11, 32, 32));
  EXPECT_THAT(drops, ElementsAre(0, 0, 0, 5, 5, 5));
  EXPECT_EQ(root[5].sent_bytes, 32 * kBytes);
  EXPECT_GT(root[3].overlimits, 0U);

  const auto child = of_kind(counters.queues, "pfifo");
  ASSERT_THAT(child, SizeIs(6));
  EXPECT_THAT(child, Each(AllOf(Field(&QueueSample::handle, "10:"), Field(&QueueSample::parent, "1:1"))));
  EXPECT_EQ(child[3].backlog_bytes, 20 * kBytes);
  EXPECT_EQ(child[5].backlog_bytes, 0U);
}

TEST_F(QueueSamples, count_from_the_release) {
  hold_packets(client_);
  client_.send_datagrams(kToServer, kAtOnce + kHeld + 3);
  const auto counting = open_udp();
  client_.send_datagrams(kToServer, 2);
  counting->released({});
  client_.send_datagrams(kToServer, 4);
  const auto root = of_kind(counting->finish().queues, "tbf");
  ASSERT_THAT(root, SizeIs(2));
  EXPECT_EQ(root[0].drops, 0U);
  EXPECT_EQ(root[0].backlog_packets, kHeld) << "it is there already";
  EXPECT_EQ(root[1].drops, 4U);
  EXPECT_EQ(root[1].sent_packets, 0U);
}

TEST_F(QueueSamples, are_of_the_servers_device_too) {
  hold_packets(server_);
  const auto counting = open_udp();
  counting->released({});
  server_.send_datagrams("10.78.0.1", kAtOnce + 5);
  clock_.tick();
  const auto samples = of_kind(counting->finish().queues, "tbf");
  ASSERT_THAT(samples, SizeIs(3));
  EXPECT_THAT(samples, Each(Field(&QueueSample::netns, "right")));
  EXPECT_EQ(samples[1].backlog_packets, 5U);
}

TEST_F(QueueSamples, are_of_the_devices_of_a_router_too) {
  const Router router(client_, server_);
  for (const char* device : {"to-client", "to-server"}) {
    router.netns().tc({"qdisc", "add", "dev", device, "root", "pfifo", "limit", "9"});
  }
  JobSpec udp = spec();
  udp.test.traffic.protocol = Protocol::udp;
  udp.test.path.server = udp.test.path.local->bind = "10.79.0.2";
  const auto counting = source_.open(udp, {client_.pid(), server_.pid()});
  counting->released({});
  const Counters counters = counting->finish();
  EXPECT_THAT(about_queues(counters), IsEmpty());
  EXPECT_THAT(counters.queues, SizeIs(4)) << "of each device, at the release and at the end";
  EXPECT_THAT(counters.queues, Each(Field(&QueueSample::netns, router.name())));
  EXPECT_THAT(counters.queues, Contains(Field(&QueueSample::device, "to-client")).Times(2));
  EXPECT_THAT(counters.queues, Contains(Field(&QueueSample::device, "to-server")).Times(2));
}

TEST_F(QueueSamples, come_beside_those_of_tcp) {
  hold_packets(server_);
  let_packets_go(server_);
  for (const Namespace* each : {&client_, &server_}) each->ip({"link", "set", "wire", "arp", "on"});
  listen_at_the_server();
  const auto counting = open();
  counting->released({});
  const Connection data = connect();
  send_and_receive(data, 1'000);
  clock_.tick();
  const Counters counters = counting->finish();
  EXPECT_THAT(counters.tcp, SizeIs(1));
  const auto samples = of_kind(counters.queues, "tbf");
  ASSERT_THAT(samples, SizeIs(3));
  EXPECT_GE(samples[1].sent_packets, 2U) << "what acknowledges";
  EXPECT_THAT(clock_.delays, Each(std::chrono::milliseconds{500}));
}

TEST_F(QueueSamples, of_a_device_without_a_queue_are_none_and_nothing_to_tell_of) {
  const auto counting = open_udp();
  counting->released({});
  EXPECT_THAT(clock_.delays, IsEmpty()) << "not even a timer";
  const Counters counters = counting->finish();
  EXPECT_THAT(counters.queues, IsEmpty());
  EXPECT_THAT(about_queues(counters), IsEmpty());
}

TEST_F(QueueSamples, go_on_when_the_last_process_of_a_namespace_has_ended) {
  hold_packets(client_);
  const auto counting = open_udp();
  counting->released({});
  client_.send_datagrams(kToServer, kAtOnce + 3);
  client_.end();
  clock_.tick();
  const Counters counters = counting->finish();
  const auto samples = of_kind(counters.queues, "tbf");
  ASSERT_THAT(samples, SizeIs(3));
  EXPECT_EQ(samples[2].backlog_packets, 3U);
  EXPECT_THAT(about_queues(counters), IsEmpty());
}

TEST_F(QueueSamples, end_with_their_device_and_say_so_once) {
  hold_packets(client_);
  const auto counting = open_udp();
  counting->released({});
  client_.ip({"link", "delete", "wire"});
  clock_.tick();
  clock_.tick();
  const Counters counters = counting->finish();
  EXPECT_THAT(of_kind(counters.queues, "tbf"), SizeIs(1));
  EXPECT_THAT(about_queues(counters), ElementsAre("queues of wire@left: the device went away"));
}

TEST_F(QueueSamples, of_a_namespace_that_is_gone_are_unknown) {
  const pid_t ended = client_.pid();
  client_.end();
  JobSpec alone = spec();
  alone.test.path.local.reset();
  const Counters counters = source_.open(alone, {ended})->finish();
  EXPECT_THAT(about_queues(counters),
              ElementsAre("queues of left: not available here: it could not be entered"));
}

TEST_F(QueueSamples, of_a_route_that_is_not_known_are_unknown) {
  JobSpec named = spec();
  named.test.path.server = "server.example";
  EXPECT_THAT(about_queues(source_.open(named, {client_.pid(), server_.pid()})->finish()),
              ElementsAre(HasSubstr("host name")));
  JobSpec elsewhere = spec();
  elsewhere.test.path.server = "10.79.0.1";
  EXPECT_THAT(
      about_queues(source_.open(elsewhere, {client_.pid(), server_.pid()})->finish()),
      ElementsAre(HasSubstr("no route to the server"), HasSubstr("no device has the server's address")));
}

TEST_F(QueueSamples, follow_a_queue_that_is_replaced) {
  hold_packets(client_);
  client_.send_datagrams(kToServer, kAtOnce + kHeld + 9);
  const auto counting = open_udp();
  counting->released({});
  client_.tc({"qdisc", "delete", "dev", "wire", "root"});
  clock_.tick();
  hold_packets(client_);
  client_.send_datagrams(kToServer, kAtOnce + kHeld + 2);
  clock_.tick();
  client_.tc({"qdisc", "replace", "dev", "wire", "root", "handle", "2:", "pfifo", "limit", "5"});
  clock_.tick();
  const Counters counters = counting->finish();
  const auto tbf = of_kind(counters.queues, "tbf");
  ASSERT_THAT(tbf, SizeIs(2));
  EXPECT_EQ(tbf[0].drops, 0U);
  EXPECT_EQ(tbf[1].drops, 2U) << "of the new one, which has the old one's handle";
  EXPECT_EQ(tbf[1].backlog_packets, kHeld);
  EXPECT_THAT(of_kind(counters.queues, "pfifo"), Contains(Field(&QueueSample::handle, "2:")));
  EXPECT_THAT(about_queues(counters), IsEmpty());
}

TEST_F(QueueSamples, are_a_bounded_number_spread_over_the_run) {
  hold_packets(client_);
  const auto sampling = sampler({.most_samples = 16});
  sampling->start();
  for (int i = 0; i < 8; ++i) clock_.tick();
  EXPECT_EQ(clock_.delays.back(), std::chrono::milliseconds{1'000}) << "every second of nine is left";
  for (int i = 0; i < 2; ++i) clock_.tick();
  const auto samples = of_kind(sampling->finish(), "tbf");
  EXPECT_EQ(samples.size(), 5U + 2 + 1);
  EXPECT_TRUE(std::ranges::is_sorted(samples, {}, &QueueSample::time));
}

TEST_F(QueueSamples, are_of_a_bounded_number_of_queues) {
  hold_packets(client_);
  const auto few = sampler({.most_queues = 1});
  few->start();
  const auto samples = few->finish();
  EXPECT_THAT(samples, AllOf(SizeIs(2), Each(Field(&QueueSample::parent, "root"))));
  EXPECT_THAT(few->unknown(),
              ElementsAre("queues of wire@left: only the first 1 of its 2 queueing disciplines "
                          "are sampled"));
  const auto none = sampler({.most_listed = 1});
  none->start();
  EXPECT_THAT(none->finish(), IsEmpty());
  EXPECT_THAT(none->unknown(), ElementsAre(HasSubstr("its network namespace has 3 queueing disciplines")));
}

TEST(QueueCounts, wrap_at_32_bits_and_begin_anew) {
  EXPECT_EQ(growth(5, 5), 0U);
  EXPECT_EQ(growth(5, 12), 7U);
  EXPECT_EQ(growth(0, 4'294'967'295), 4'294'967'295U) << "a new one, seen for the first time";
  EXPECT_EQ(growth(4'294'967'290, 4), 10U);
  EXPECT_EQ(growth(900, 4), 4U) << "somebody replaced it";
  EXPECT_EQ(growth(4, 0), 0U);
}

}  // namespace
}  // namespace netperfd::counters
