// SPDX-License-Identifier: GPL-2.0-or-later
// What commands and designs say that they touch, and what of it is gone.
#include "daemon/core/sides/touched_parts.hpp"

#include <gmock/gmock.h>

#include <iterator>
#include <sstream>

#include "tests/unit/core/command_fakes.hpp"
#include "tests/unit/core/design_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}
std::vector<std::string> parts(const std::string& text) {
  return parts_of_command(words(text));
}

TEST(TouchedParts, of_ip_and_tc_are_the_namespace_and_the_device) {
  const auto veth = ElementsAre("device veth0@left", "namespace left");
  EXPECT_THAT(parts("/usr/sbin/ip -n left link set dev veth0 gso_max_segs 1"), veth);
  EXPECT_THAT(parts("/usr/sbin/ip -netns left link set veth0 mtu 1400"), veth);
  EXPECT_THAT(parts("/sbin/ip netns exec left /usr/sbin/ip link set dev veth0 up"), veth);
  EXPECT_THAT(parts("/usr/sbin/tc -n left qdisc add dev veth0 root fq"), veth);
  EXPECT_THAT(parts("/sbin/ip net exec left /usr/sbin/ip link set dev veth0 up"), veth);
  EXPECT_THAT(parts("/usr/sbin/ip -4 link set dev eth1 up"), ElementsAre("device eth1"));
  EXPECT_THAT(parts("/usr/sbin/ip link set up eth1"), ElementsAre("device eth1"));
  EXPECT_THAT(parts("/usr/sbin/ip link add veth0 type veth peer name veth1"), ElementsAre("device veth0"));
  EXPECT_THAT(parts("/usr/sbin/ip link add name veth0 type veth peer name veth1"),
              ElementsAre("device veth0"));
  EXPECT_THAT(parts("/usr/sbin/ip -family inet -n left route add default via 10.0.0.1"),
              ElementsAre("namespace left"));
  EXPECT_THAT(parts("/usr/sbin/ip netns add left"), ElementsAre("namespace left"));
}

TEST(TouchedParts, of_other_tools_are_what_these_set) {
  EXPECT_THAT(parts("/usr/sbin/ethtool -K eth1 gro off"), ElementsAre("device eth1"));
  EXPECT_THAT(parts("/usr/sbin/modprobe -r nf-tables"), ElementsAre("module nf_tables"));
  EXPECT_THAT(parts("/usr/sbin/modprobe -r hsr prp"), ElementsAre("module hsr", "module prp"));
  EXPECT_THAT(parts("/usr/sbin/modprobe hsr debug=1"), ElementsAre("module hsr"));
  EXPECT_THAT(parts("/usr/sbin/insmod /x/hsr.ko.xz debug=1"), ElementsAre("module hsr"));
  EXPECT_THAT(parts("/usr/sbin/rmmod hsr prp"), ElementsAre("module hsr", "module prp"));
  EXPECT_THAT(parts("/usr/sbin/sysctl -w net.ipv4.tcp_sack=0"), ElementsAre("sysctl net.ipv4.tcp_sack"));
  EXPECT_THAT(parts("/usr/sbin/ip netns exec left /usr/sbin/sysctl -w net.ipv4.tcp_sack=0"),
              ElementsAre("namespace left"));
}

TEST(TouchedParts, of_a_program_that_is_not_known_is_the_program) {
  EXPECT_THAT(parts("/x/use-hsr list"), ElementsAre("program /x/use-hsr"));
  EXPECT_THAT(parts("/bin/sh /x/use-hsr list"), ElementsAre("program /x/use-hsr"));
  EXPECT_THAT(parts("/bin/sh -c true"), ElementsAre("program /bin/sh"));
  EXPECT_THAT(parts("/usr/sbin/ip netns exec left /x/use list"),
              ElementsAre("namespace left", "program /x/use"));
  EXPECT_THAT(parts("/usr/sbin/ip netns exec left /bin/sh -c true"), ElementsAre("namespace left"));
  EXPECT_THAT(parts("/usr/sbin/ip -batch /x/file"), ElementsAre("program /usr/sbin/ip"));
  EXPECT_THAT(parts("/usr/sbin/ip"), ElementsAre("program /usr/sbin/ip")) << "never nothing";
}

TEST(TouchedParts, of_a_design_are_those_of_both_sides_builds_and_points) {
  JobSpec spec = a_design();
  spec.design->a->apply = words("/usr/sbin/insmod");
  spec.design->a->builds = {"/b/one.ko", "/b/two.ko"};
  spec.design->b->apply = words("/usr/sbin/ip -n left link set dev veth0 up");
  EXPECT_THAT(parts_of_design(*spec.design),
              ElementsAre("device veth0@left", "module one", "module two", "namespace left"));
}

TEST(TouchedParts, of_a_selftest_are_those_of_its_way_back_too) {
  JobSpec spec = a_design();
  spec.design->a->apply = spec.design->b->apply = words("/x/use-hsr list");
  spec.design->home = *spec.design->b;
  spec.design->home->apply = words("/usr/sbin/modprobe hsr");
  EXPECT_THAT(parts_of_design(*spec.design), ElementsAre("module hsr", "program /x/use-hsr"));
}

TEST(TouchedParts, of_settings_are_their_targets) {
  JobSpec spec = a_design();
  spec.design->a->apply = spec.design->b->apply = {};
  spec.design->a->settings = {{"mtu.eth1", "9000"}, {"governor", "performance"}, {"irq.30", "1"}};
  spec.design->b->settings = {{"module.hsr", "installed"},
                              {"sysctl.net.ipv4.tcp_sack", "0"},
                              {"sysctl.net.ipv4.tcp_sack@left", "0"},
                              {"offload.gro.veth0@right", "off"}};
  spec.design->sweep = {{.key = "queues.rx.eth2", .values = {"1", "2"}}};
  spec.design->prepare = {"/x/lab", "up"};
  EXPECT_THAT(parts_of_design(*spec.design),
              ElementsAre("device eth1", "device eth2", "device veth0@right", "governor", "interrupt 30",
                          "module hsr", "namespace left", "namespace right", "program /x/lab",
                          "sysctl net.ipv4.tcp_sack"));
}

TEST(TouchedParts, are_common_if_both_have_them) {
  EXPECT_THAT(common_parts({"device a", "module b"}, {"module b", "module c"}), ElementsAre("module b"));
  EXPECT_THAT(common_parts({"device a"}, {"device a@left"}), IsEmpty());
}

class GoneParts : public testing::Test {
 protected:
  std::string gone(const std::string& command) { return gone_part(machine, words(command)); }
  FakeMachineParts machine;
};

TEST_F(GoneParts, are_the_namespace_and_the_device_that_a_command_needs) {
  machine.gone = {"netns left", "device veth0"};
  EXPECT_EQ(gone("/usr/sbin/ip -n left link set dev veth0 up"), "namespace left");
  EXPECT_EQ(gone("/usr/sbin/ip -n left link set dev eth0 up"), "") << "hardware comes back to the host";
  EXPECT_EQ(gone("/usr/sbin/ip netns exec left /bin/sh -c true"), "namespace left");
  EXPECT_EQ(gone("/usr/sbin/ip -n right link set dev veth0 up"), "");
  machine.gone = {"device veth0@left", "device eth1"};
  EXPECT_EQ(gone("/usr/sbin/ip -n left link set dev veth0 up"), "device veth0@left");
  EXPECT_EQ(gone("/usr/sbin/ip netns exec left /usr/sbin/ethtool -K veth0 gro off"), "device veth0@left");
  EXPECT_EQ(gone("/usr/sbin/ethtool -K eth1 gro off"), "device eth1");
  EXPECT_EQ(gone("/usr/sbin/ip -n left link set dev veth1 up"), "");
}

// What is absent before may be what the command makes: its failure says nothing of what it has changed.
TEST_F(GoneParts, are_not_those_that_a_command_makes) {
  machine.gone = {"netns left", "device veth0", "device up"};
  EXPECT_EQ(gone("/usr/sbin/ip netns add left"), "");
  EXPECT_EQ(gone("/usr/sbin/ip link add dev veth0 type veth"), "");
  EXPECT_EQ(gone("/usr/sbin/ip link add veth0 type veth"), "");
  EXPECT_EQ(gone("/usr/sbin/ip link set up veth0"), "") << "without `dev`, which word is it is not sure";
  EXPECT_EQ(gone("/x/switch left veth0"), "");
}

}  // namespace
}  // namespace netperfd::core
