// SPDX-License-Identifier: GPL-2.0-or-later
// The real programs in two network namespaces with a cable between them: ICMP, and a queue of known length.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/echo/stamps.hpp"
#include "tests/unit/echo/network.hpp"

namespace netperfd::echo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

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
  static double total(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
  static void shell(const std::string& command) { EXPECT_TRUE(runs(command)) << command; }
  [[nodiscard]] std::string in_near(const std::string& command) const {
    return "ip netns exec " + near_ + " " + command;
  }
  // A program in the near namespace.
  [[nodiscard]] Process near(std::vector<std::string> arguments) const {
    return Process(std::move(arguments), {"ip", "netns", "exec", near_});
  }
  // Waits long for answers, unless `arguments` say otherwise.
  [[nodiscard]] Process prober(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"probe", "--timeout=60s"});
    return near(std::move(arguments));
  }
  // By the queue of the near device.
  [[nodiscard]] int dropped() const {
    const std::string command = in_near("tc -s qdisc show dev v0");
    FILE* const pipe = ::popen(command.c_str(), "r");
    std::array<char, 1000> text{};
    const std::size_t size = std::fread(text.data(), 1, text.size() - 1, pipe);
    ::pclose(pipe);
    const std::string_view shown(text.data(), size);
    const std::string_view before = "(dropped ";
    int packets = 0;
    const auto at = shown.find(before);
    if (at != std::string_view::npos)
      std::from_chars(shown.data() + at + before.size(), shown.data() + size, packets);
    return packets;
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
    const Finished run(
        prober({"--to=" + to, "--interval=100ms", "--probe=protocol=icmp,rate=100,length=1400,dscp=10"}),
        [](const Finished& by_now) { return by_now.sum("received") > 0; });
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
  const Finished run(prober({"--to=10.66.0.2", "--probe=protocol=icmp"}));
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
  Process probes = prober({"--to=10.66.0.2", "--timeout=5s", "--probe=rate=200,length=1400"});
  // The kernel's own packets may be dropped too, but not so many.
  ASSERT_TRUE(comes_true([this] { return dropped() >= 20; }));
  probes.kill(SIGTERM);
  const Finished run(std::move(probes));
  ASSERT_EQ(run.code, 0);
  const auto queued_of_all = total(run.of_span("queued", "count"));
  EXPECT_LT(queued_of_all, run.sum("sent")) << "what was dropped never left";
  EXPECT_LE(run.sum("sent") - queued_of_all, dropped());
  // Before a packet is dropped, the queue is full but for one. It has a burst of tokens at most.
  EXPECT_GT(std::ranges::max(run.of_span("queued", "max_ns")), 210e6);
  // What leaves by the end, and the queue.
  EXPECT_LE(queued_of_all, number_in(run.lines.back(), "at_s") * 1e9 / 11.5e6 + 22);
  // Who is late to answer or to read is not queued. On a busy machine, some come after the timeout.
  EXPECT_GE(queued_of_all, run.sum("received"));
  if (queued_of_all == run.sum("received"))
    EXPECT_LE(total(run.of_span("queued", "sum_ns")), total(run.of_span("there", "sum_ns")));
}

// In a namespace of its own, nobody else has the port.
TEST_F(EchoNamespaces, without_a_server_it_says_so_and_fails) {
  std::vector<Process> probers;
  for (const std::string protocol : {"udp", "tcp"})
    probers.push_back(near({"probe", "--to=127.0.0.1", "--probe=protocol=" + protocol}));
  for (const std::string protocol : {"udp", "tcp"}) {
    Process& refused = probers[protocol == "udp" ? 0 : 1];
    const auto lines = refused.lines();
    EXPECT_EQ(refused.wait(), 1);
    ASSERT_EQ(lines.size(), 1U);
    const std::string server = "127.0.0.1 port 5202 (" + protocol + ")";
    const std::string cause = protocol == "tcp" ? " (" + server + ": Connection refused)" : "";
    EXPECT_EQ(lines[0], "{\"event\":\"error\",\"message\":\"no answer from " + server +
                            " within 2 s: is netperfd-echo running there?" + cause + "\"}");
  }
}

TEST_F(EchoNamespaces, waits_for_a_server_that_starts_later) {
  Process early =
      prober({"--to=127.0.0.1", "--duration=100ms", "--probe=protocol=tcp,rate=100", "--probe=rate=100"});
  const Process server = near({"serve", "--bind=127.0.0.1"});
  EXPECT_THAT(early.line(), StartsWith(R"({"event":"start")"));
  (void)early.lines();
  EXPECT_EQ(early.wait(), 0);
}

TEST_F(EchoNamespaces, all_protocols_and_families_work_at_once) {
  shell(in_near("sh -c 'echo 0 0 >/proc/sys/net/ipv4/ping_group_range'"));
  const Process server = serve();
  for (const std::string to : {"10.66.0.2", "fd66::2"}) {
    const Finished run(prober({"--to=" + to, "--duration=300ms", "--probe=protocol=udp,rate=1000",
                               "--probe=protocol=tcp,rate=100", "--probe=protocol=icmp,rate=100"}));
    EXPECT_EQ(run.code, 0);
    for (const int each : {0, 1, 2}) {
      EXPECT_EQ(run.sum("received", each), run.sum("sent", each));
      EXPECT_EQ(run.sum("sent", each) + run.sum("missed", each), each == 0 ? 300 : 30);
    }
  }
}

}  // namespace
}  // namespace netperfd::echo
