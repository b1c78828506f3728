// SPDX-License-Identifier: GPL-2.0-or-later
// The real programs in two network namespaces with a cable between them: ICMP, and a queue of known length.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "daemon/echo/stamps.hpp"
#include "tests/unit/echo/network.hpp"

namespace netperfd::echo {
namespace {

using testing::HasSubstr;

class EchoNamespaces : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to make network namespaces";
    for (const std::string& name : {near_, far_}) {
      shell("ip netns add " + name);
      shell("ip -n " + name + " link set lo up");
    }
    shell("ip -n " + near_ + " link add v0 type veth peer name v0 netns " + far_);
    int number = 0;
    for (const std::string& name : {near_, far_}) {
      const auto host = std::to_string(++number);
      shell("ip -n " + name + " address add 10.66.0." + host + "/24 dev v0");
      shell("ip -n " + name + " address add fd66::" + host + "/64 dev v0 nodad");
      shell("ip -n " + name + " link set v0 up");
    }
  }
  void TearDown() override {
    if (::geteuid() != 0) return;
    for (const std::string& name : {near_, far_}) shell("ip netns delete " + name);
  }
  // The tests' commands are fixed.
  static bool runs(const std::string& command) {
    return std::system(command.c_str()) == 0;  // NOLINT(concurrency-mt-unsafe): one thread
  }
  static void shell(const std::string& command) { EXPECT_TRUE(runs(command)) << command; }
  [[nodiscard]] std::string in_near(const std::string& command) const {
    return "ip netns exec " + near_ + " " + command;
  }
  [[nodiscard]] Finished probe(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "probe");
    return Finished(Process(std::move(arguments), {"ip", "netns", "exec", near_}));
  }
  [[nodiscard]] Process serve() const {
    Process server({"serve"}, {"ip", "netns", "exec", far_});
    EXPECT_EQ(server.line(), "Listening on :: port 5202");
    return server;
  }

 private:
  const std::string near_ = "echo-near-" + std::to_string(::getpid());
  const std::string far_ = "echo-far-" + std::to_string(::getpid());
};

TEST_F(EchoNamespaces, icmp_needs_no_server) {
  shell(in_near("sh -c 'echo 0 0 >/proc/sys/net/ipv4/ping_group_range'"));
  for (const std::string to : {"10.66.0.2", "fd66::2"}) {
    const Finished run =
        probe({"--to=" + to, "--duration=200ms", "--probe=protocol=icmp,rate=100,length=1400,dscp=10"});
    EXPECT_EQ(run.code, 0) << run.lines.back();
    EXPECT_EQ(run.sum("received"), run.sum("sent"));
    EXPECT_GT(run.sum("received"), 0);
    EXPECT_EQ(run.of_span("queued", "count"), run.of_span("round-trip", "count"));
    EXPECT_TRUE(run.of_span("there", "count").empty()) << "the kernel tells no time";
    EXPECT_THAT(run.lines.back(), HasSubstr(R"("timestamps":"kernel","clock_steps":0,"foreign_packets":0)"));
  }
}

TEST_F(EchoNamespaces, icmp_that_is_not_allowed_is_an_error_that_names_the_setting) {
  shell(in_near("sh -c 'echo 1 0 >/proc/sys/net/ipv4/ping_group_range'"));
  const Finished run = probe({"--to=10.66.0.2", "--probe=protocol=icmp"});
  EXPECT_EQ(run.code, 1);
  ASSERT_EQ(run.lines.size(), 1U);
  EXPECT_THAT(run.lines[0], HasSubstr(R"("event":"error","message":"ICMP is not allowed)"));
  EXPECT_THAT(run.lines[0], HasSubstr(R"(net.ipv4.ping_group_range is \"1 0\")"));
}

TEST_F(EchoNamespaces, a_full_queue_of_the_own_device_is_the_time_queued) {
  // 30,000 bytes at 1 Mbit/s: 240 ms. A request has 1,442 bytes on the cable, 11.5 ms, but one is sent every
  // 5 ms.
  if (!runs(in_near("tc qdisc add dev v0 root tbf rate 1mbit burst 1600 limit 30000 2>/dev/null")))
    GTEST_SKIP() << "this kernel has no tbf";
  const Process server = serve();
  const Finished run =
      probe({"--to=10.66.0.2", "--duration=2s", "--interval=2s", "--probe=rate=200,length=1400"});
  ASSERT_EQ(run.code, 0);
  const double most_queued = run.of_span("queued", "max_ns").at(0);
  EXPECT_GT(most_queued, 210e6);
  // Who is late to answer or to read is not queued: only means have an end.
  const double queued = run.of_span("queued", "count").at(0);
  const double mean_queued = run.of_span("queued", "sum_ns").at(0) / queued;
  EXPECT_GT(mean_queued, 180e6);
  EXPECT_LT(mean_queued, 250e6);
  const double mean_round_trip =
      run.of_span("round-trip", "sum_ns").at(0) / run.of_span("round-trip", "count").at(0);
  EXPECT_GT(mean_round_trip, mean_queued);
  EXPECT_GT(mean_queued, 0.7 * mean_round_trip) << "the cable takes no time";
  // What leaves in 2 s and the queue, of 400.
  EXPECT_NEAR(run.sum("received"), 2e9 / 11.5e6 + 20, 12);
  EXPECT_EQ(queued, run.sum("received")) << "what was dropped never left";
}

TEST_F(EchoNamespaces, all_protocols_and_families_work_at_once) {
  shell(in_near("sh -c 'echo 0 0 >/proc/sys/net/ipv4/ping_group_range'"));
  const Process server = serve();
  for (const std::string to : {"10.66.0.2", "fd66::2"}) {
    const Finished run = probe({"--to=" + to, "--duration=300ms", "--probe=protocol=udp,rate=1000",
                                "--probe=protocol=tcp,rate=100", "--probe=protocol=icmp,rate=100"});
    EXPECT_EQ(run.code, 0);
    for (const int each : {0, 1, 2}) {
      EXPECT_EQ(run.sum("received", each), run.sum("sent", each));
      EXPECT_EQ(run.sum("sent", each) + run.sum("missed", each), each == 0 ? 300 : 30);
    }
  }
}

}  // namespace
}  // namespace netperfd::echo
