// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/argv.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

namespace netperfd::workload {
namespace {

using namespace std::chrono_literals;

// Joined by blanks: no value in these tests contains one.
std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

const Iperf3Features kOld{.version = "3.12", .options = {"--json"}};
const Iperf3Features kNew{.version = "3.18", .options = {"--json", "--json-stream"}};

TestSpec smallest() {
  TestSpec spec;
  spec.path.server = "192.0.2.1";
  spec.traffic.duration = 10s;
  return spec;
}

std::string client(const TestSpec& spec) {
  return joined(client_argv("iperf3", spec, kOld));
}

TEST(Iperf3Argv, of_the_smallest_spec_leaves_the_rest_to_iperf3) {
  EXPECT_EQ(client(smallest()),
            "iperf3 --client 192.0.2.1 --port 5201 --parallel 1 --time 10 --interval 1 --json --forceflush");
}

TEST(Iperf3Argv, asks_for_a_stream_of_lines_where_this_iperf3_has_it) {
  EXPECT_EQ(joined(client_argv("/opt/iperf3", smallest(), kNew)),
            "/opt/iperf3 --client 192.0.2.1 --port 5201 --parallel 1 --time 10 --interval 1 --json-stream "
            "--forceflush");
}

TEST(Iperf3Argv, has_an_option_for_every_key) {
  TestSpec spec;
  spec.path.server = "2001:db8::1";
  spec.path.netns = "left";
  spec.traffic.protocol = Protocol::tcp;
  spec.traffic.direction = Direction::both;
  spec.path.ip_version = IpVersion::v6;
  spec.traffic.streams = 8;
  spec.traffic.duration = 60s;
  spec.traffic.omit = 2s;
  spec.traffic.interval = 250ms;
  spec.traffic.bitrate = 2'500'000'000;
  spec.iperf3.length_bytes = 131072;
  spec.iperf3.window_bytes = 4194304;
  spec.iperf3.mss_bytes = 1400;
  spec.iperf3.congestion = "bbr";
  spec.iperf3.dscp = "ef";
  spec.iperf3.port = 5300;
  spec.iperf3.client_port = 40000;
  spec.path.bind = "2001:db8::2";
  spec.iperf3.affinity = {2, 3};
  spec.iperf3.zerocopy = true;
  spec.iperf3.no_delay = true;
  spec.iperf3.dont_fragment = true;
  EXPECT_EQ(client(spec),
            "iperf3 --client 2001:db8::1 --port 5300 --version6 --bind 2001:db8::2 --cport 40000 --bidir "
            "--parallel 8 "
            "--time 60 --omit 2 --interval 0.25 --bitrate 2500000000 --length 131072 --window 4194304 "
            "--set-mss 1400 "
            "--congestion bbr --dscp ef --zerocopy --no-delay --dont-fragment --json --forceflush");
}

TEST(Iperf3Argv, writes_large_numbers_in_plain_digits) {
  TestSpec spec = smallest();
  spec.traffic.duration.reset();
  spec.traffic.bytes = 1'099'511'627'776;
  EXPECT_EQ(client(spec),
            "iperf3 --client 192.0.2.1 --port 5201 --parallel 1 --bytes 1099511627776 --interval 1 --json "
            "--forceflush");
}

TEST(Iperf3Argv, tells_an_unlimited_bitrate_from_the_default) {
  TestSpec spec = smallest();
  spec.traffic.protocol = Protocol::udp;
  spec.path.ip_version = IpVersion::v4;
  EXPECT_EQ(client(spec).find("--bitrate"), std::string::npos);
  spec.traffic.bitrate = 0;
  EXPECT_NE(client(spec).find(" --version4 --udp --parallel 1 --time 10 --interval 1 --bitrate 0 "),
            std::string::npos);
}

TEST(Iperf3Argv, names_protocol_and_direction) {
  TestSpec spec = smallest();
  spec.traffic.protocol = Protocol::sctp;
  spec.traffic.direction = Direction::receive;
  EXPECT_NE(client(spec).find(" --sctp --reverse "), std::string::npos);
}

TEST(Iperf3Argv, keeps_a_value_that_looks_like_an_option_a_word_of_its_own) {
  TestSpec spec = smallest();
  spec.path.server = "--file=/etc/shadow";
  const std::vector<std::string> argv = client_argv("iperf3", spec, kOld);
  EXPECT_EQ(argv[1], "--client");
  EXPECT_EQ(argv[2], "--file=/etc/shadow");
}

TEST(Iperf3Argv, of_a_local_server_is_one_off_and_in_text_mode) {
  TestSpec spec = smallest();
  spec.path.local = LocalServer{.netns = "right", .bind = "10.0.0.2"};
  spec.iperf3.port = 5300;
  EXPECT_EQ(joined(server_argv("iperf3", spec)),
            "iperf3 --server --one-off --forceflush --bind 10.0.0.2 --port 5300");
}

}  // namespace
}  // namespace netperfd::workload
