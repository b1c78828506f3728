// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's texts, in several versions.
#include "daemon/counters/readings.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <string>

namespace netperfd::counters {
namespace {

using testing::IsEmpty;

std::optional<std::uint64_t> value_of(const Readings& readings, std::string_view name,
                                      std::optional<std::uint32_t> cpu = {}) {
  const auto found = std::ranges::find_if(
      readings, [&](const Reading& reading) { return reading.name == name && reading.cpu == cpu; });
  if (found == readings.end()) return std::nullopt;
  return found->value;
}

TEST(Snmp, joins_the_group_and_the_name_and_leaves_gauges_out) {
  const Readings readings = parse_snmp(
      "Ip: Forwarding DefaultTTL InReceives InHdrErrors\n"
      "Ip: 2 64 33000 1\n"
      "IcmpMsg: InType3 OutType3\n"
      "IcmpMsg: 5 7\n"
      "Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens CurrEstab RetransSegs\n"
      "Tcp: 1 200 120000 -1 12 4 99\n");
  EXPECT_EQ(value_of(readings, "IpInReceives"), 33'000U);
  EXPECT_EQ(value_of(readings, "IpInHdrErrors"), 1U);
  EXPECT_EQ(value_of(readings, "IcmpMsgOutType3"), 7U);
  EXPECT_EQ(value_of(readings, "TcpActiveOpens"), 12U);
  EXPECT_EQ(value_of(readings, "TcpRetransSegs"), 99U);
  EXPECT_EQ(readings.size(), 6U) << "a gauge is no counter";
}

TEST(Snmp, reads_netstat_whose_lines_are_of_one_kernel_longer_than_of_another) {
  const Readings readings = parse_snmp(
      "TcpExt: SyncookiesSent TCPTimeouts\nTcpExt: 0 18446744073709551615\nIpExt: InOctets\nIpExt: 7\n");
  EXPECT_EQ(value_of(readings, "TcpExtTCPTimeouts"), 18'446'744'073'709'551'615U);
  EXPECT_EQ(value_of(readings, "IpExtInOctets"), 7U);
  EXPECT_EQ(value_of(parse_snmp("TcpExt: A B C\nTcpExt: 1 2\n"), "TcpExtB"), 2U);
}

TEST(Snmp, has_nothing_of_lines_that_do_not_belong_together) {
  EXPECT_THAT(parse_snmp("Tcp: A\nUdp: 1\n"), IsEmpty());
  EXPECT_THAT(parse_snmp("Tcp: A\n"), IsEmpty());
  EXPECT_THAT(parse_snmp("\n\n"), IsEmpty());
}

TEST(Snmp6, has_a_counter_a_line) {
  const Readings readings = parse_snmp6("Ip6InReceives                   \t41\nIcmp6InMsgs \t3\nbroken\n");
  EXPECT_EQ(value_of(readings, "Ip6InReceives"), 41U);
  EXPECT_EQ(value_of(readings, "Icmp6InMsgs"), 3U);
  EXPECT_EQ(readings.size(), 2U);
}

// Linux 2.6.32 of RHEL 6 has nine columns, the last of which is cpu_collision.
TEST(Softnet, of_nine_columns_has_neither_rps_nor_the_cpu) {
  const Readings readings = parse_softnet(
      "0001d29e 00000002 0000000a 00000000 00000000 00000000 00000000 00000000 00000005\n"
      "00000010 00000000 00000001 00000000 00000000 00000000 00000000 00000000 00000000\n");
  EXPECT_EQ(value_of(readings, "processed", 0), 0x1d29eU);
  EXPECT_EQ(value_of(readings, "dropped", 0), 2U);
  EXPECT_EQ(value_of(readings, "time_squeeze", 0), 10U);
  EXPECT_EQ(value_of(readings, "processed", 1), 16U);
  EXPECT_EQ(value_of(readings, "received_rps", 0), std::nullopt);
  EXPECT_EQ(readings.size(), 6U);
}

// Linux 3.10 of RHEL 7 has ten, and 4.19 of Debian 10 eleven.
TEST(Softnet, of_ten_and_eleven_columns_tells_what_rps_and_the_flow_limit_did) {
  const std::string ten =
      "000008e1 00000000 00000003 00000000 00000000 00000000 00000000 00000000 00000000 00000007";
  const Readings of_ten = parse_softnet(ten + "\n");
  EXPECT_EQ(value_of(of_ten, "received_rps", 0), 7U);
  EXPECT_EQ(value_of(of_ten, "flow_limit_count", 0), std::nullopt);
  const Readings of_eleven = parse_softnet(ten + " 00000009\n");
  EXPECT_EQ(value_of(of_eleven, "received_rps", 0), 7U);
  EXPECT_EQ(value_of(of_eleven, "flow_limit_count", 0), 9U);
}

// Linux 5.10 of Debian 11 has thirteen, and 6.18 fifteen. CPU 1 is offline: the lines belong to CPUs 0 and
// 10.
TEST(Softnet, of_thirteen_and_fifteen_columns_tells_its_cpu) {
  const std::string first =
      "055bbb64 00000000 00000004 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
      "00000001 00000000";
  const std::string second =
      "05d2bd80 00000001 00000002 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
      "00000000 0000000a";
  for (const std::string& rest : {std::string{"\n"}, std::string{" 00000001 00000000\n"}}) {
    const Readings readings = parse_softnet(first + rest + second + rest);
    EXPECT_EQ(value_of(readings, "processed", 0), 0x55bbb64U);
    EXPECT_EQ(value_of(readings, "processed", 10), 0x5d2bd80U);
    EXPECT_EQ(value_of(readings, "dropped", 10), 1U);
    EXPECT_EQ(value_of(readings, "processed", 1), std::nullopt);
    EXPECT_EQ(readings.size(), 10U) << "the length of a queue is no counter";
  }
}

TEST(Softnet, of_too_few_columns_has_nothing) {
  EXPECT_THAT(parse_softnet("055bbb64 00000000\n"), IsEmpty());
  EXPECT_THAT(parse_softnet(""), IsEmpty());
}

TEST(Softirqs, has_a_value_a_cpu) {
  const Readings readings = parse_softirqs(
      "                    CPU0       CPU2       \n"
      "          HI:          1          0\n"
      "      NET_RX:       1234 4294967295\n");
  EXPECT_EQ(value_of(readings, "NET_RX", 0), 1'234U);
  EXPECT_EQ(value_of(readings, "NET_RX", 2), 4'294'967'295U);
  EXPECT_EQ(value_of(readings, "HI", 0), 1U);
  EXPECT_EQ(readings.size(), 4U);
}

TEST(Interrupts, go_by_what_asked_for_them) {
  const Readings readings = parse_interrupts(
      "           CPU0       CPU1       \n"
      "  9:          0          4   IO-APIC   9-fasteoi   acpi\n"
      " 28:         10         20  PCI-MSI-524289-edge      eth0-TxRx-1\n"
      " 29:          5          0  PCI-MSIX-0000:00:01.0   1-edge      i801_smbus, eth1\n"
      " 30:          7          0  PCI-MSIX-0000:00:01.0   2-edge    \n"
      " 12:          3          1     GICv3  34 Level     vgic timer\n"
      "LOC:        100        200   Local timer interrupts\n"
      "ERR:          6\n");
  EXPECT_EQ(value_of(readings, "acpi", 1), 4U);
  EXPECT_EQ(value_of(readings, "eth0-TxRx-1", 0), 10U);
  EXPECT_EQ(value_of(readings, "eth0-TxRx-1", 1), 20U);
  EXPECT_EQ(value_of(readings, "i801_smbus, eth1", 0), 5U);
  EXPECT_EQ(value_of(readings, "30", 0), 7U) << "nobody asked for it";
  EXPECT_EQ(value_of(readings, "vgic timer", 0), 3U);
  EXPECT_EQ(value_of(readings, "LOC", 1), 200U);
  EXPECT_EQ(value_of(readings, "ERR"), 6U);
}

TEST(CpuTimes, are_nanoseconds_of_each_cpu_and_guests_count_once) {
  const Readings readings = parse_cpu_times(
      "cpu  330 3 30 6000 30 3 30 3 100 0\n"
      "cpu0 110 1 10 2000 10 1 10 1 100 0\n"
      "cpu1 1 0 0 5 0 0 0 0 0 0\n"
      "intr 12345 0 0\n",
      100, std::chrono::seconds{25});
  constexpr std::uint64_t kTick = 10'000'000;
  EXPECT_EQ(value_of(readings, "busy", 0), (2'500 - 2'010) * kTick) << "what the tick found is no part of it";
  EXPECT_EQ(value_of(readings, "user", 0), 111 * kTick);
  EXPECT_EQ(value_of(readings, "softirq", 0), 10 * kTick);
  EXPECT_EQ(value_of(readings, "idle", 0), 2'010 * kTick);
  EXPECT_EQ(value_of(readings, "busy", 1), 2'495 * kTick);
  EXPECT_EQ(value_of(readings, "busy"), std::nullopt) << "the sum is made of the CPUs";
}

}  // namespace
}  // namespace netperfd::counters
