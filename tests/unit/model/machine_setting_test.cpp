// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/machine_setting.hpp"

#include <gmock/gmock.h>

#include <string>

namespace netperfd {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(MachineSetting, names_what_it_is_of) {
  const auto offload = parse_setting_target("offload.tx-checksum-ipv4.eth0.5@left");
  ASSERT_TRUE(offload);
  EXPECT_EQ(
      *offload,
      (SettingTarget{
          .kind = SettingKind::offload, .name = "tx-checksum-ipv4", .device = "eth0.5", .netns = "left"}));
  EXPECT_EQ(offload->place(), "eth0.5@left");
  EXPECT_TRUE(changes_facts(*offload, "nic"));
  EXPECT_FALSE(changes_facts(*offload, "qdisc"));
  const auto sysctl = parse_setting_target("sysctl.net.ipv4.tcp_sack");
  ASSERT_TRUE(sysctl);
  EXPECT_EQ(sysctl->name, "net.ipv4.tcp_sack");
  EXPECT_EQ(sysctl->place(), "net.ipv4.tcp_sack");
  EXPECT_TRUE(changes_facts(*sysctl, "sysctl:net.ipv4.tcp_sack"));
  EXPECT_FALSE(changes_facts(*sysctl, "sysctl:net.ipv4.tcp_rmem"));
  EXPECT_TRUE(changes_facts(parse_setting_target("module.tcp-bbr").value(), "module:tcp_bbr"));
  EXPECT_TRUE(changes_facts(parse_setting_target("governor").value(), "cpu"));
  for (const char* group : {"nic", "qdisc", "rps", "xps", "irq"})
    EXPECT_TRUE(changes_facts(parse_setting_target("queues.combined.eth1").value(), group)) << group;
}

TEST(MachineSetting, has_a_target_that_is_no_path_and_no_option) {
  for (const char* target : {"",
                             "mtu",
                             "mtu.",
                             "mtu.-eth0",
                             "mtu.eth0@",
                             "mtu.eth0@../x",
                             "mtu.eth0/1",
                             "mtu.a..b",
                             "mtu.eth0 up",
                             "mtu.sixteen-letter-s",
                             "offload.gro",
                             "offload.gro.",
                             "offload..eth0",
                             "sysctl.net/../x",
                             "sysctl.net..x",
                             "sysctl.-w",
                             "irq.x",
                             "irq.1@left",
                             "governor.0",
                             "governor@left",
                             "module.a/b",
                             "module.-r",
                             "module.hsr@left",
                             "modules.hsr",
                             "MTU.eth0",
                             "mtu.eth0\nx"})
    EXPECT_FALSE(parse_setting_target(target)) << target;
}

TEST(MachineSetting, has_a_value_of_its_kind) {
  for (const auto& [target, value] : {std::pair{"mtu.eth0", "9000"},
                                      {"offload.gro.eth0", "off"},
                                      {"coalesce.rx-usecs.eth0", "50"},
                                      {"coalesce.adaptive-rx.eth0", "on"},
                                      {"rps.eth0", "f"},
                                      {"xps.eth0", "00000000,0000000f 1"},
                                      {"irq.24", "0-3,8"},
                                      {"governor", "performance"},
                                      {"qdisc.eth0", "fq quantum 3000"},
                                      {"qdisc.eth0", "default"},
                                      {"sysctl.net.ipv4.tcp_rmem", "4096 131072 6291456"},
                                      {"module.hsr", "/srv/hsr.ko"},
                                      {"module.hsr", "installed"}})
    EXPECT_THAT(wrong_setting({target, value}), IsEmpty()) << target << " " << value;
  for (const auto& [target, value] : {std::pair{"mtu.eth0", "big"},
                                      {"mtu.eth0", ""},
                                      {"mtu.eth0", "-1"},
                                      {"offload.gro.eth0", "1"},
                                      {"coalesce.rx-usecs.eth0", "5 up"},
                                      {"rps.eth0", "0-3"},
                                      {"irq.24", "all"},
                                      {"governor", "-x"},
                                      {"governor", "$(x)"},
                                      {"qdisc.eth0", "-batch x"},
                                      {"qdisc.eth0", "fq;x"},
                                      {"module.hsr", "hsr.ko"},
                                      {"module.hsr", "/srv/"},
                                      {"sysctl.a", "x\ny"},
                                      {"sound.eth0", "1"}})
    EXPECT_THAT(wrong_setting({target, value}), Not(IsEmpty())) << target << " " << value;
  for (const char* target : {"sysctl.net.ipv4.ip_forward", "sysctl.net.ipv6.conf.all.forwarding@left",
                             "sysctl.net.ipv6.conf.eth0.disable_ipv6"})
    EXPECT_THAT(wrong_setting({target, "1"}), HasSubstr("changes more than itself"));
  EXPECT_THAT(wrong_setting({"sysctl.a", std::string(1'025, '1')}), HasSubstr("at most 1024 bytes"));
}

TEST(AllowedSettings, are_nothing_by_default) {
  for (const char* target : {"mtu.eth0", "sysctl.net.ipv4.tcp_sack", "irq.1", "governor"})
    EXPECT_THAT(not_allowed({target, "1"}, {}), HasSubstr("allow")) << target;
  EXPECT_THAT(not_allowed({"module.hsr", "/srv/hsr.ko"}, {}), HasSubstr("allow.modules"));
  EXPECT_EQ(describe(AllowedSettings{}), "no device; no sysctl; no module; no interrupt; no governor");
}

TEST(AllowedSettings, are_of_the_host_or_of_a_namespace_as_the_pattern_says) {
  const AllowedSettings allowed{.devices = {"eth*", "veth?@lab-*"}, .sysctls = {"net.ipv4.tcp_*@lab-*"}};
  for (const char* target :
       {"mtu.eth1", "offload.gro.eth1", "qdisc.veth0@lab-1", "sysctl.net.ipv4.tcp_sack@lab-1"})
    EXPECT_THAT(not_allowed({target, "on"}, allowed), IsEmpty()) << target;
  for (const char* target : {"mtu.eth1@lab-1", "mtu.veth0", "mtu.veth0@other", "mtu.veth00@lab-1", "mtu.lo",
                             "sysctl.net.ipv4.tcp_sack", "sysctl.net.ipv4.ip_forward@lab-1",
                             "sysctl.kernel.core_pattern", "governor", "irq.1"})
    EXPECT_THAT(not_allowed({target, "on"}, allowed), HasSubstr("allow")) << target;
}

TEST(AllowedSettings, of_modules_are_files_below_their_directories) {
  const AllowedSettings allowed{.modules = {"/srv/modules"}};
  EXPECT_THAT(not_allowed({"module.hsr", "/srv/modules/a/hsr.ko"}, allowed), IsEmpty());
  for (const char* file : {"/srv/modules", "/srv/modules-2/hsr.ko", "/srv/modules/../hsr.ko", "/srv/hsr.ko",
                           "/srv/modules/./../hsr.ko", "/srv/modules/..", "installed", "absent"})
    EXPECT_THAT(not_allowed({"module.hsr", file}, allowed), HasSubstr("allow.modules")) << file;
}

}  // namespace
}  // namespace netperfd
