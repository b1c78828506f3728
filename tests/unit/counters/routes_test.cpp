// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/routes.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace netperfd::counters {
namespace {

static_assert(std::endian::native == std::endian::little, "the texts are of a little-endian kernel");

constexpr const char* kRoute =
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT   \n"
    "eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0      \n"
    "wlan0\t00000000\t010200C0\t0003\t0\t0\t600\t00000000\t0\t0\t0      \n"
    "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0      \n"
    "hsr0\t00004D0A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0      \n"
    "tun0\t000200C0\t00000000\t0001\t0\t0\t50\t80FFFFFF\t0\t0\t0      \n"
    "*\t000010AC\t00000000\t0201\t0\t0\t0\t00FFFFFF\t0\t0\t0      \n";

constexpr const char* kFibTrie =
    "Main:\n"
    "  +-- 0.0.0.0/0 3 0 5\n"
    "     |-- 0.0.0.0\n"
    "        /0 universe UNICAST\n"
    "     |-- 192.0.2.0\n"
    "        /24 link UNICAST\n"
    "Local:\n"
    "  +-- 0.0.0.0/0 3 0 5\n"
    "     +-- 127.0.0.0/8 2 0 2\n"
    "        +-- 127.0.0.0/31 1 0 0\n"
    "           |-- 127.0.0.0\n"
    "              /8 host LOCAL\n"
    "           |-- 127.0.0.1\n"
    "              /32 host LOCAL\n"
    "        |-- 127.255.255.255\n"
    "           /32 link BROADCAST\n"
    "        |-- 192.0.2.2\n"
    "           /32 host LOCAL\n"
    "        |-- 192.0.2.255\n"
    "           /32 link BROADCAST\n";

constexpr const char* kIpv6Route =
    "fd000000000000000000000000000000 40 00000000000000000000000000000000 00 "
    "00000000000000000000000000000000 "
    "00000100 00000001 00000000 00000001     eth0\n"
    "fe800000000000000000000000000000 40 00000000000000000000000000000000 00 "
    "00000000000000000000000000000000 "
    "00000100 00000002 00000000 00000001     eth0\n"
    "fe800000000000000000000000000000 40 00000000000000000000000000000000 00 "
    "00000000000000000000000000000000 "
    "00000100 00000002 00000000 00000001     eth1\n"
    "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
    "fd000000000000000000000000000001 "
    "00000400 00000003 00000000 00000003     eth1\n"
    "00000000000000000000000000000001 80 00000000000000000000000000000000 00 "
    "00000000000000000000000000000000 "
    "00000000 00000002 00000000 80200001       lo\n"
    "fd000000000000000000000000000002 80 00000000000000000000000000000000 00 "
    "00000000000000000000000000000000 "
    "00000000 00000004 00000000 80200001     eth0\n"
    "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
    "00000000000000000000000000000000 "
    "ffffffff 00000001 00000000 00200200       lo\n";

std::string device(const char* address) {
  return device_to(parse_address(address).value(), {kRoute, kFibTrie, kIpv6Route}).value_or("none");
}

TEST(Address, is_read_from_digits_alone) {
  EXPECT_EQ(parse_address("192.0.2.7")->bytes, (std::vector<std::uint8_t>{192, 0, 2, 7}));
  EXPECT_EQ(parse_address("fd00::1")->bytes.size(), 16U);
  EXPECT_EQ(parse_address("fe80::1%eth1")->device, "eth1");
  EXPECT_EQ(parse_address("::ffff:192.0.2.7"), parse_address("192.0.2.7"));
  for (const char* name : {"", "host.example", "localhost", "1.2.3", "1.2.3.4.5", "fd00::1::2"}) {
    EXPECT_FALSE(parse_address(name)) << name;
  }
}

TEST(Routes, lead_to_an_address_by_the_most_specific) {
  EXPECT_EQ(device("192.0.2.100"), "tun0");
  EXPECT_EQ(device("192.0.2.200"), "eth0");
  EXPECT_EQ(device("10.77.0.3"), "hsr0");
  EXPECT_EQ(device("fd00::77"), "eth0");
}

TEST(Routes, lead_elsewhere_by_the_default_of_the_least_metric) {
  EXPECT_EQ(device("8.8.8.8"), "eth0");
  EXPECT_EQ(device("2001:db8::1"), "eth1");
}

TEST(Routes, lead_to_an_own_address_by_the_loopback_device) {
  EXPECT_EQ(device("127.0.0.1"), "lo");
  EXPECT_EQ(device("127.9.9.9"), "lo");
  EXPECT_EQ(device("192.0.2.2"), "lo");
  EXPECT_EQ(device("::1"), "lo");
  EXPECT_EQ(device("fd00::2"), "lo");
}

TEST(Routes, of_a_link_are_told_apart_by_the_device_in_the_address) {
  EXPECT_EQ(device("fe80::9%eth1"), "eth1");
  EXPECT_EQ(device("fe80::9%eth0"), "eth0");
  EXPECT_EQ(device("fe80::9%eth7"), "none");
}

TEST(Routes, that_reject_lead_nowhere) {
  EXPECT_EQ(device("172.16.0.9"), "none");
}

TEST(Routes, are_none_in_texts_that_cannot_be_read) {
  const Address address = parse_address("192.0.2.7").value();
  EXPECT_FALSE(device_to(address, {}));
  EXPECT_FALSE(device_to(
      address, {"eth0\tzz\t0\t1\t0\t0\t0\tFF\n\n\teth0\t1\n", "     |-- x\n  /99 host LOCAL\n", ""}));
  EXPECT_FALSE(device_to(parse_address("fd00::1").value(), {"", "", "fd00 40 0 0 0 0 0 0 1 eth0\n"}));
}

}  // namespace
}  // namespace netperfd::counters
