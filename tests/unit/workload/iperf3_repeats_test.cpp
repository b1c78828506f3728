// SPDX-License-Identifier: GPL-2.0-or-later
// Failures of iperf3 that each further run of the job would meet too.
#include <gmock/gmock.h>

#include <string>

#include "tests/unit/workload/iperf3_document_maker.hpp"

namespace netperfd::workload::test {
namespace {

using nlohmann::json;
using testing::StartsWith;

ParsedReport parse_words(const std::string& words, const TestSpec& asked = tcp(10)) {
  return parse({{"start", json::object()}, {"end", json::object()}, {"error", words}}, asked);
}

bool repeats(const std::string& words, const TestSpec& asked = tcp(10)) {
  return parse_words(words, asked).lacks_something;
}

TestSpec with_bind(const std::string& address) {
  TestSpec asked = tcp(10);
  asked.path.bind = address;
  return asked;
}

TEST(Iperf3Repeats, what_the_kernel_iperf3_or_the_server_does_not_take) {
  for (const char* words :
       {"unable to set TCP_CONGESTION: Supplied congestion control algorithm not supported on this host",
        "unable to start stream listener: Protocol not supported",
        "SERVER ERROR - unable to start stream listener: Protocol not supported, errno: Protocol not "
        "supported",
        "no SCTP support available", "unable to set CPU affinity: Invalid argument",
        "socket buffer size not set correctly", "unable to set TCP/SCTP MSS: Invalid argument",
        "total required bandwidth is larger than server limit",
        "parameter error - bad TOS value (must be between 0 and 255 inclusive)"}) {
    EXPECT_TRUE(repeats(words)) << words;
  }
}

TEST(Iperf3Repeats, a_name_or_an_address_that_does_not_exist) {
  TestSpec asked = tcp(10);
  asked.path.server = "host";
  EXPECT_TRUE(repeats("unable to connect to server: Name or service not known", asked));
  EXPECT_FALSE(repeats("unable to connect to server: Temporary failure in name resolution", asked));
  EXPECT_FALSE(repeats("unable to connect to server: Resource temporarily unavailable", asked));

  const std::string words = "unable to connect to server: Cannot assign requested address";
  EXPECT_TRUE(repeats(words, with_bind("10.9.9.9")));
  EXPECT_FALSE(repeats(words, with_bind("fd00::9"))) << "it may still be tentative";
  EXPECT_FALSE(repeats(words)) << "the ports may have run out";
}

TEST(Iperf3Repeats, nothing_that_may_pass) {
  for (const char* words :
       {"unable to connect to server: Connection refused",
        "the server is busy running a test. try again later",
        "unable to start stream listener: Address already in use", "control socket has closed unexpectedly",
        "unable to write to stream socket: Connection reset by peer", "some error of a later iperf3"}) {
    EXPECT_FALSE(repeats(words)) << words;
  }
}

TEST(Iperf3Repeats, nothing_after_a_test_began) {
  json document = make_document(10);
  EXPECT_FALSE(parse(document).lacks_something) << "a measurement";
  document["error"] = "unable to set CPU affinity";
  EXPECT_FALSE(parse(document).lacks_something);
}

TEST(Iperf3Repeats, what_the_recorded_releases_say) {
  for (const char* version : {"3.12/", "3.18/", "3.22/"}) {
    for (const char* name : {"unknown-congestion", "usage-error", "wrong-value", "sctp"}) {
      const std::string file = std::string(version) + name;
      EXPECT_TRUE(parse_iperf3_report(recorded(file), recorded(file, "err"), tcp(1)).lacks_something) << file;
    }
    for (const char* name : {"refused", "busy-server", "server-killed", "client-sigterm", "tcp-send"}) {
      const std::string file = std::string(version) + name;
      EXPECT_FALSE(parse_iperf3_report(recorded(file), recorded(file, "err"), tcp(1)).lacks_something)
          << file;
    }
  }
}

TEST(Iperf3Repeats, with_what_root_can_do) {
  const std::string congestion =
      "unable to set TCP_CONGESTION: Supplied congestion control algorithm not supported on this host";
  TestSpec asked = tcp(10);
  asked.iperf3.congestion = "bbr";
  EXPECT_THAT(
      parse_words(congestion, asked).error,
      StartsWith("the congestion control bbr cannot be used: it must be in "
                 "net.ipv4.tcp_allowed_congestion_control, here and at the server. As root, `modprobe "
                 "tcp_bbr; sysctl net.ipv4.tcp_allowed_congestion_control=\"$(sysctl -n "
                 "net.ipv4.tcp_allowed_congestion_control) bbr\"` adds it, if the kernel has it: iperf3 "
                 "says \"unable to set TCP_CONGESTION"));
  EXPECT_THAT(parse_words(congestion).error, StartsWith("the congestion control cannot be used"))
      << "an import does not say which";
  EXPECT_THAT(parse_words("socket buffer size not set correctly").error,
              StartsWith("the kernel allows no socket buffer of this `window`: as root, raise "
                         "net.core.rmem_max and net.core.wmem_max"));
}

}  // namespace
}  // namespace netperfd::workload::test
