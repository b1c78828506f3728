// SPDX-License-Identifier: GPL-2.0-or-later
// The fingerprint of this host, with two network namespaces and a veth pair between them.
#include "daemon/counters/fingerprint.hpp"

#include <gmock/gmock.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "daemon/workload/job/traits.hpp"
#include "tests/unit/counters/fact_tree.hpp"
#include "tests/unit/counters/namespace_pair.hpp"
#include "tests/unit/counters/router.hpp"

namespace netperfd::counters {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

ino_t own_namespace() {
  struct ::stat status{};
  return ::stat("/proc/thread-self/ns/net", &status) == 0 ? status.st_ino : 0;
}

class FingerprintOf : public NamespacePair {
 protected:
  void SetUp() override {
    NamespacePair::SetUp();
    spec.workload = workload::traits_of("iperf3");
    spec.test.path.server = "10.78.0.2";
    spec.test.path.netns = "a";
    spec.test.path.local = LocalServer{.netns = "b", .bind = "10.78.0.2"};
  }
  Fingerprint take() { return source.take(spec, {client_.pid(), server_.pid()}); }
  // The effect of `change` on the facts, as "group key: before -> after".
  std::vector<std::string> changed_by(const std::function<void()>& change) {
    const Fingerprint before = take();
    change();
    const Fingerprint after = take();
    std::vector<Fact> gone;
    std::vector<Fact> come;
    std::ranges::set_difference(before.facts, after.facts, std::back_inserter(gone));
    std::ranges::set_difference(after.facts, before.facts, std::back_inserter(come));
    std::vector<std::string> words;
    for (const Fact& fact : come) {
      words.push_back(fmt::format("{} {}: {} -> {}", fact.group, fact.key,
                                  value_of(before, fact.group, fact.key).value_or("nothing"), fact.value));
    }
    for (const Fact& fact : gone) {
      if (!value_of(after, fact.group, fact.key))
        words.push_back(fmt::format("{} {}: gone", fact.group, fact.key));
    }
    return words;
  }

  JobSpec spec;
  EnvironmentFingerprint source{"3.12"};
};

TEST_F(FingerprintOf, a_host_is_the_same_when_it_is_taken_twice) {
  const Fingerprint first = take();
  client_.send_datagrams("10.78.0.2", 20);
  const Fingerprint second = take();
  EXPECT_EQ(first, second);
  EXPECT_THAT(first.unknown, IsEmpty());
  EXPECT_TRUE(std::ranges::is_sorted(first.facts));
  EXPECT_EQ(first.boot_id.size(), 36U);
}

TEST_F(FingerprintOf, a_host_has_something_of_every_group) {
  const Fingerprint found = take();
  std::set<std::string> groups;
  for (const Fact& fact : found.facts) groups.insert(fact.group.substr(0, fact.group.find(':')));
  EXPECT_EQ(groups, (std::set<std::string>{"clock", "cpu", "iperf3", "irq", "kernel", "module", "nic",
                                           "qdisc", "rps", "sysctl", "topology", "xps"}));
  utsname name{};
  ASSERT_EQ(::uname(&name), 0);
  EXPECT_EQ(value_of(found, "kernel", "release"), name.release);
  EXPECT_EQ(value_of(found, "topology", "device of the client"), "wire@a");
  EXPECT_EQ(value_of(found, "topology", "device of the server"), "wire@b");
  EXPECT_EQ(value_of(found, "topology", "wire@a other end"), "wire@b");
  EXPECT_EQ(value_of(found, "topology", "wire@b other end"), "wire@a");
  EXPECT_EQ(value_of(found, "topology", "wire@a addresses"), "inet");
  EXPECT_EQ(value_of(found, "nic", "wire@b driver"), "veth");
  EXPECT_TRUE(value_of(found, "module:veth", "state"));
  EXPECT_TRUE(value_of(found, "sysctl:net.ipv4.tcp_rmem", "value@a"));
  EXPECT_TRUE(value_of(found, "sysctl:net.ipv4.tcp_rmem", "value@b"));
  EXPECT_TRUE(value_of(found, "sysctl:net.core.rmem_default", "value"));
}

TEST_F(FingerprintOf, a_setting_that_changes_is_one_fact_that_differs) {
  EXPECT_THAT(changed_by([&] { client_.ip({"link", "set", "wire", "mtu", "1400"}); }),
              ElementsAre("nic wire@a mtu: 1500 -> 1400"));
  EXPECT_THAT(changed_by([&] { server_.run([] { std::ofstream("/proc/sys/net/ipv4/tcp_sack") << "0"; }); }),
              ElementsAre("sysctl:net.ipv4.tcp_sack value@b: 1 -> 0"));
  EXPECT_THAT(changed_by([&] { server_.ip({"link", "set", "wire", "txqueuelen", "77"}); }),
              ElementsAre("nic wire@b transmit queue length: 1000 -> 77"));
}

TEST_F(FingerprintOf, an_address_that_the_kernel_makes_is_no_fact_and_a_configured_one_is) {
  if (!std::filesystem::exists("/proc/net/if_inet6")) GTEST_SKIP() << "this kernel has no IPv6";
  EXPECT_THAT(changed_by([&] {
                client_.run([] { std::ofstream("/proc/sys/net/ipv6/conf/wire/disable_ipv6") << "0"; });
                client_.ip({"address", "add", "fe80::7/64", "dev", "wire", "nodad"});
                client_.ip({"address", "add", "fd79::1/64", "dev", "wire", "nodad", "valid_lft", "3600",
                            "preferred_lft", "3600"});
              }),
              IsEmpty());
  EXPECT_THAT(changed_by([&] { client_.ip({"address", "add", "fd78::1/64", "dev", "wire", "nodad"}); }),
              ElementsAre("topology wire@a addresses: inet -> inet inet6-configured"));
}

TEST_F(FingerprintOf, an_offload_is_told_by_its_name) {
  const auto turn_off = [&] {
    client_.run([] {
      const Fd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
      ethtool_value value{.cmd = ETHTOOL_STSO, .data = 0};
      ifreq request{};
      std::string("wire").copy(request.ifr_name, sizeof request.ifr_name - 1);
      request.ifr_data = reinterpret_cast<char*>(&value);
      if (::ioctl(socket.get(), SIOCETHTOOL, &request) != 0) fail_system("ethtool");
    });
  };
  EXPECT_THAT(changed_by(turn_off), AllOf(Contains("nic wire@a feature tx-tcp-segmentation: on -> off"),
                                          testing::Each(StartsWith("nic wire@a feature tx-tcp"))));
}

TEST_F(FingerprintOf, a_bridge_behind_the_servers_end_is_met_with_what_it_leads_to) {
  server_.ip({"link", "add", "br0", "type", "bridge"});
  server_.ip({"link", "add", "port", "type", "veth", "peer", "name", "far"});
  server_.ip({"link", "set", "port", "master", "br0"});
  server_.ip({"address", "del", "10.78.0.2/24", "dev", "wire"});
  server_.ip({"link", "set", "wire", "master", "br0"});
  server_.ip({"address", "add", "10.78.0.2/24", "dev", "br0"});
  const Fingerprint found = take();
  EXPECT_EQ(value_of(found, "topology", "device of the server"), "br0@b");
  EXPECT_EQ(value_of(found, "topology", "br0@b below"), "port wire");
  EXPECT_EQ(value_of(found, "topology", "wire@b master"), "br0");
  EXPECT_EQ(value_of(found, "topology", "port@b other end"), "far@b");
  EXPECT_TRUE(value_of(found, "module:bridge", "state"));
}

TEST_F(FingerprintOf, a_router_between_the_ends_has_its_queues_and_its_sysctls) {
  const Router router(client_, server_);
  spec.test.path.server = spec.test.path.local->bind = "10.79.0.2";
  EXPECT_THAT(changed_by([&] {
                router.netns().tc({"qdisc", "add", "dev", "to-server", "root", "pfifo", "limit", "7"});
              }),
              ElementsAre(fmt::format("qdisc to-server@{} root: noqueue -> pfifo limit 7p", router.name())));
  EXPECT_THAT(changed_by([&] {
                router.netns().tc({"qdisc", "replace", "dev", "to-server", "root", "tbf", "rate", "8kbit",
                                   "burst", "2000", "limit", "100000"});
              }),
              ElementsAre(fmt::format("qdisc to-server@{} root: pfifo limit 7p -> tbf rate 1000B/s burst "
                                      "2000000000ns limit 100000B",
                                      router.name())));
  EXPECT_THAT(
      changed_by([&] { router.netns().run([] { std::ofstream("/proc/sys/net/ipv4/ip_forward") << "1"; }); }),
      Contains(fmt::format("sysctl:net.ipv4.ip_forward value@{}: 0 -> 1", router.name())));
}

TEST_F(FingerprintOf, a_namespace_without_a_name_is_not_entered) {
  const Router router(client_, server_);
  spec.test.path.server = spec.test.path.local->bind = "10.79.0.2";
  router.netns().ip({"netns", "delete", router.name()});
  const auto found = take();
  router.netns().ip({"netns", "attach", router.name(), fmt::format("{}", router.netns().pid())});
  EXPECT_FALSE(value_of(found, "qdisc", "to-server@" + router.name() + " root"));
  EXPECT_TRUE(value_of(take(), "qdisc", "to-server@" + router.name() + " root"));
}

TEST_F(FingerprintOf, a_workload_leaves_the_caller_and_its_descriptors_where_they_were) {
  const ino_t before = own_namespace();
  const auto files = names_in("/proc/self/fd").size();
  (void)take();
  EXPECT_EQ(own_namespace(), before);
  EXPECT_EQ(names_in("/proc/self/fd").size(), files);
}

TEST_F(FingerprintOf, what_cannot_be_learnt_is_named_in_every_group_that_lacks_it) {
  spec.test.path.server = "server.example";
  spec.test.path.local.reset();
  const Fingerprint unnamed = source.take(spec, {client_.pid()});
  for (const char* group : {"nic: ", "qdisc: ", "rps: ", "xps: ", "irq: ", "topology: "}) {
    EXPECT_THAT(unnamed.unknown, Contains(StartsWith(group)));
  }
  EXPECT_TRUE(value_of(unnamed, "sysctl:net.ipv4.tcp_rmem", "value@a"));

  spec.test.path.server = "10.78.0.2";
  const pid_t gone = client_.pid();
  client_.end();
  const Fingerprint ended = source.take(spec, {gone});
  EXPECT_THAT(ended.unknown, Contains(StartsWith("nic: network namespace a: ")));
  EXPECT_THAT(ended.unknown, Contains(StartsWith("sysctl: ")));
  EXPECT_TRUE(value_of(ended, "kernel", "release"));
}

TEST_F(FingerprintOf, a_job_without_a_workload_is_that_of_the_host) {
  spec.workload = workload::traits_of("none");
  const Fingerprint found = source.take(spec, {});
  EXPECT_THAT(found.unknown, IsEmpty());
  EXPECT_FALSE(value_of(found, "iperf3", "version"));
  EXPECT_TRUE(value_of(found, "sysctl:net.ipv4.tcp_rmem", "value"));
  for (const Fact& fact : found.facts) EXPECT_NE(fact.group, "nic");
}

}  // namespace
}  // namespace netperfd::counters
