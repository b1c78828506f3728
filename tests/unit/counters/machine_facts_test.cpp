// SPDX-License-Identifier: GPL-2.0-or-later
// The facts of a machine, read from directories that stand in for its /proc and /sys.
#include "daemon/counters/machine_facts.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string_view>

#include "daemon/workload/job/traits.hpp"
#include "tests/unit/counters/fact_tree.hpp"

namespace netperfd::counters {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;

// A note of another owner, followed by the build id 01 02 ff.
const std::string kNotes =
    "\4\0\0\0\2\0\0\0\3\0\0\0XYZ\0ab\0\0"s + "\4\0\0\0\3\0\0\0\3\0\0\0GNU\0\x01\x02\xff\0"s;

std::vector<std::string> groups_of(const Fingerprint& found) {
  std::vector<std::string> groups;
  for (const Fact& fact : found.facts) {
    if (groups.empty() || groups.back() != fact.group) groups.push_back(fact.group);
  }
  return groups;
}

TEST(BuildId, is_that_of_the_note_of_gnu) {
  EXPECT_EQ(build_id_of_notes(kNotes), "0102ff");
  EXPECT_EQ(build_id_of_notes(kNotes.substr(0, 22)), "");
  EXPECT_EQ(build_id_of_notes(kNotes.substr(0, kNotes.size() - 2)), "") << "cut off";
  EXPECT_EQ(build_id_of_notes("\xff\xff\xff\xff\xff\xff\xff\xff\3\0\0\0GNU\0"s), "");
}

TEST_F(FactTree, kernel_has_its_build_its_command_line_and_its_mitigations) {
  put("proc/sys/kernel/osrelease", "6.1.0-40-amd64\n");
  put("proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC\n");
  put("proc/cmdline", "root=/dev/vda quiet\n");
  put("sys/kernel/notes", kNotes);
  put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  put("sys/devices/system/cpu/vulnerabilities/spectre_v2", "Mitigation: Retpolines\n");
  add_kernel_facts(roots, sheet);
  const Fingerprint found = sheet.take("boot");
  EXPECT_THAT(found.unknown, IsEmpty());
  EXPECT_THAT(found.facts, ElementsAre(Fact{"kernel", "build-id", "0102ff"},
                                       Fact{"kernel", "command line", "root=/dev/vda quiet"},
                                       Fact{"kernel", "mitigation spectre_v2", "Mitigation: Retpolines"},
                                       Fact{"kernel", "release", "6.1.0-40-amd64"},
                                       Fact{"kernel", "transparent huge pages", "always [madvise] never"},
                                       Fact{"kernel", "version", "#1 SMP PREEMPT_DYNAMIC"}));
}

TEST_F(FactTree, kernel_without_notes_is_one_whose_build_is_not_known) {
  add_kernel_facts(roots, sheet);
  const Fingerprint found = sheet.take("boot");
  EXPECT_THAT(found.facts, IsEmpty());
  ASSERT_EQ(found.unknown.size(), 1U);
  EXPECT_TRUE(found.unknown[0].starts_with("kernel: build-id: ")) << found.unknown[0];
}

TEST_F(FactTree, cpu_has_its_model_and_policy_but_no_frequency_of_the_moment) {
  put("proc/cpuinfo",
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Xeon Gold\n"
      "stepping\t: 7\nmicrocode\t: 0x5003\ncpu MHz\t\t: 2893.202\nflags\t\t:\n\nprocessor\t: 1\n"
      "model name\t: another\n");
  const std::string cpu = "sys/devices/system/cpu/";
  put(cpu + "online", "0-3\n");
  put(cpu + "isolated", "2-3\n");
  put(cpu + "smt/control", "off\n");
  put(cpu + "cpufreq/policy0/scaling_governor", "performance\n");
  put(cpu + "cpufreq/policy1/scaling_governor", "powersave\n");
  put(cpu + "cpufreq/policy0/scaling_driver", "intel_pstate\n");
  put(cpu + "cpufreq/policy1/scaling_driver", "intel_pstate\n");
  put(cpu + "cpufreq/policy0/scaling_cur_freq", "2893202\n");
  put(cpu + "intel_pstate/no_turbo", "1\n");
  put("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  add_cpu_facts(roots, sheet);
  const Fingerprint found = sheet.take("boot");
  EXPECT_THAT(found.unknown, IsEmpty());
  EXPECT_THAT(found.facts, ElementsAre(Fact{"clock", "clocksource", "tsc"}, Fact{"cpu", "family", "6"},
                                       Fact{"cpu", "frequency driver", "intel_pstate"},
                                       Fact{"cpu", "governor", "performance (policy0), powersave (policy1)"},
                                       Fact{"cpu", "isolated", "2-3"}, Fact{"cpu", "microcode", "0x5003"},
                                       Fact{"cpu", "model", "Xeon Gold"}, Fact{"cpu", "model number", "85"},
                                       Fact{"cpu", "no turbo", "1"}, Fact{"cpu", "online", "0-3"},
                                       Fact{"cpu", "smt", "off"}, Fact{"cpu", "stepping", "7"},
                                       Fact{"cpu", "vendor", "GenuineIntel"}));
}

TEST_F(FactTree, modules_are_those_wanted_what_they_need_and_what_any_packet_meets) {
  put("proc/modules",
      "hsr 65536 0 - Live 0x0 (OE)\nllc 16384 1 hsr, Live 0x0\nnf_conntrack 180224 0 - Live 0x0\n"
      "snd 131072 0 - Live 0x0\nsch_fq 20480 2 - Live 0x0\ntcp_diag 12288 0 - Live 0x0\n");
  put("sys/module/hsr/initstate", "live\n");
  put("sys/module/hsr/notes/.note.gnu.build-id", kNotes);
  put("sys/module/hsr/srcversion", "ABCDEF\n");
  put("sys/module/hsr/parameters/nodes", "1000\n");
  put("sys/module/nf_conntrack/initstate", "live\n");
  put("sys/module/nf_conntrack/coresize", "180224\n");
  add_module_facts(roots, {"hsr", "veth"}, sheet);
  const Fingerprint found = sheet.take("boot");
  EXPECT_THAT(found.unknown, IsEmpty());
  EXPECT_THAT(groups_of(found),
              ElementsAre("module:hsr", "module:llc", "module:nf_conntrack", "module:sch_fq", "module:veth"));
  EXPECT_EQ(value_of(found, "module:hsr", "build-id"), "0102ff");
  EXPECT_EQ(value_of(found, "module:hsr", "srcversion"), "ABCDEF");
  EXPECT_EQ(value_of(found, "module:hsr", "parameter nodes"), "1000");
  EXPECT_FALSE(value_of(found, "module:hsr", "size")) << "its build id tells more";
  EXPECT_EQ(value_of(found, "module:nf_conntrack", "size"), "180224");
  EXPECT_EQ(value_of(found, "module:veth", "state"), "built in, or none");
}

TEST_F(FactTree, sysctl_leaves_out_secrets_and_what_changes_by_itself) {
  for (const char* name : {"core/rmem_max", "core/netdev_rss_key", "ipv4/tcp_rmem", "ipv4/tcp_fastopen_key",
                           "ipv4/tcp_mem", "ipv4/icmp_ratelimit", "bridge/bridge-nf-call-iptables"}) {
    put("proc/sys/net/"s + name, "1\t2\n");
  }
  put("proc/sys/net/ipv4/conf/all/rp_filter", "1\n");
  put("proc/sys/kernel/numa_balancing", "0\n");
  add_sysctl_facts(roots.proc, "", true, sheet);
  add_sysctl_facts(roots.proc, "ring-a", false, sheet);
  const Fingerprint found = sheet.take("boot");
  EXPECT_THAT(found.unknown, IsEmpty());
  EXPECT_THAT(found.facts,
              ElementsAre(Fact{"sysctl:kernel.numa_balancing", "value", "0"},
                          Fact{"sysctl:net.bridge.bridge-nf-call-iptables", "value", "1 2"},
                          Fact{"sysctl:net.bridge.bridge-nf-call-iptables", "value@ring-a", "1 2"},
                          Fact{"sysctl:net.core.rmem_max", "value", "1 2"},
                          Fact{"sysctl:net.core.rmem_max", "value@ring-a", "1 2"},
                          Fact{"sysctl:net.ipv4.tcp_rmem", "value", "1 2"},
                          Fact{"sysctl:net.ipv4.tcp_rmem", "value@ring-a", "1 2"}));
}

void add_iperf3_facts(const TestSpec& test, FactSheet& sheet) {
  JobSpec spec;
  spec.test = test;
  for (const Fact& fact : workload::traits_of("iperf3").facts(spec, "3.12"))
    sheet.add(fact.group, fact.key, fact.value);
}

TEST_F(FactTree, iperf3_is_what_was_asked_of_it_without_the_servers_port) {
  TestSpec spec;
  spec.path.server = "10.0.0.2";
  spec.traffic.duration = std::chrono::seconds{10};
  spec.traffic.streams = 4;
  spec.iperf3.mss_bytes = 1000;
  spec.iperf3.affinity = {0, 1};
  spec.iperf3.zerocopy = true;
  add_iperf3_facts(spec, sheet);
  const Fingerprint found = sheet.take("boot");
  EXPECT_EQ(value_of(found, "iperf3", "version"), "3.12");
  EXPECT_EQ(value_of(found, "iperf3", "streams"), "4");
  EXPECT_EQ(value_of(found, "iperf3", "mss"), "1000");
  EXPECT_EQ(value_of(found, "iperf3", "affinity"), "0,1");
  EXPECT_EQ(value_of(found, "iperf3", "zerocopy"), "true");
  EXPECT_FALSE(value_of(found, "iperf3", "no_delay"));
  EXPECT_FALSE(value_of(found, "iperf3", "client_port"));
  FactSheet other;
  spec.iperf3.port = 5300;
  add_iperf3_facts(spec, other);
  EXPECT_EQ(other.take("boot"), found);
  FactSheet with_port;
  spec.iperf3.client_port = 6000;
  add_iperf3_facts(spec, with_port);
  EXPECT_EQ(value_of(with_port.take("boot"), "iperf3", "client_port"), "6000");
}

TEST_F(FactTree, a_value_is_one_printable_line_of_bounded_length) {
  sheet.add("nic", "a", "x\ty\nz");
  sheet.add("nic", "b", "\x1b[31mred");
  const std::string text(5000, 'v');
  sheet.add("nic", "c", text);
  sheet.add("nic", "d", text + "w");
  const Fingerprint found = sheet.take("boot");
  EXPECT_EQ(value_of(found, "nic", "a"), "x y z");
  EXPECT_EQ(value_of(found, "nic", "b"), "?[31mred");
  EXPECT_EQ(value_of(found, "nic", "c")->size(), kMostValueBytes);
  EXPECT_NE(value_of(found, "nic", "c"), value_of(found, "nic", "d")) << "the digest is of the whole";
}

TEST_F(FactTree, facts_are_bounded_and_say_which_group_lost_some) {
  for (std::size_t i = 0; i < kMostFacts; ++i) sheet.add("aaa", std::to_string(i), "1");
  sheet.add("zzz", "last", "1");
  const Fingerprint found = sheet.take("boot");
  EXPECT_EQ(found.facts.size(), kMostFacts);
  EXPECT_THAT(found.unknown, ElementsAre("zzz: there are more facts than 3000, the most that are kept"));
  for (std::size_t i = 0; i < 1000; ++i)
    sheet.add("aaa", std::to_string(i), std::string(kMostValueBytes, 'v'));
  EXPECT_LT(sheet.take("boot").facts.size(), 600U);
}

TEST_F(FactTree, a_file_that_may_not_be_read_is_unknown_and_one_that_is_not_there_is_nothing) {
  std::filesystem::create_directories(folder / "sys/a");
  EXPECT_FALSE(sheet.add_file("nic", "eth0 speed", roots.sys + "/absent"));
  EXPECT_FALSE(sheet.add_file("nic", "eth0 duplex", roots.sys + "/a")) << "a folder";
  const Fingerprint found = sheet.take("boot");
  EXPECT_THAT(found.facts, IsEmpty());
  EXPECT_THAT(found.unknown, ElementsAre("nic: eth0 duplex: Is a directory"));
}

TEST(Collapsed, names_parts_only_where_they_differ) {
  EXPECT_EQ(collapsed({}), "");
  EXPECT_EQ(collapsed({{"rx-0", "f"}, {"rx-1", "f"}}), "f");
  EXPECT_EQ(collapsed({{"rx-0", "0"}, {"rx-1", "f"}, {"rx-2", "0"}}), "0 (rx-0 rx-2), f (rx-1)");
}

}  // namespace
}  // namespace netperfd::counters
