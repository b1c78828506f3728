// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/workload/iperf3_cases.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace netperfd::workload::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TestSpec ask(Protocol protocol, int duration_s) {
  TestSpec spec;
  spec.path.server = "10.0.0.2";
  spec.traffic.protocol = protocol;
  spec.traffic.duration = seconds(duration_s);
  return spec;
}

TestSpec unknown_host() {
  TestSpec spec = tcp(1);
  spec.path.server = "no-such-host.invalid";
  return spec;
}

TestSpec unknown_congestion() {
  TestSpec spec = tcp(1);
  spec.iperf3.congestion = "no-such-algorithm";
  return spec;
}

TestSpec wrong_bind() {
  TestSpec spec = tcp(1);
  spec.path.bind = "10.9.9.9";
  return spec;
}

// ---- Table ------------------------------------------------------------------------------------------------

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;
constexpr Range kTenMega{9.8e6, 10.2e6};
constexpr Range kTwentyMega{19.6e6, 20.4e6};
constexpr Range kNarrow{4.6e6, 5.1e6};   // throughput of the recording's queue of 5 Mbit/s
constexpr Range kThreeQuarters{72, 78};  // percent lost of 20 Mbit/s in that queue
constexpr Range kAnyRate{0, 1e12};

std::vector<Case> tcp_measurements() {
  return {
      {.name = "tcp-send", .asked = tcp()},
      {.name = "tcp-receive", .asked = receive(tcp())},
      {.name = "tcp-both", .asked = both(tcp())},
      {.name = "tcp-send-4", .asked = streams(tcp(), 4)},
      {.name = "tcp-receive-4", .asked = receive(streams(tcp(), 4))},
      {.name = "tcp-both-4", .asked = both(streams(tcp(1), 4))},
      {.name = "tcp-send-16", .asked = streams(tcp(1), 16)},
      {.name = "tcp-both-16", .asked = both(streams(tcp(1), 16))},
      {.name = "tcp-omit", .asked = omit(tcp())},
      {.name = "tcp-omit-receive", .asked = receive(omit(tcp()))},
      {.name = "tcp-omit-both", .asked = both(omit(streams(tcp(), 2)))},
      {.name = "tcp-omit-fraction", .asked = every(omit(tcp()), 700), .flags = {"odd-intervals"}},
      {.name = "tcp-omit-fraction-receive",
       .asked = receive(every(omit(tcp()), 700)),
       .flags = {"odd-intervals"}},
      {.name = "tcp-interval", .asked = every(tcp(1), 300)},
      {.name = "tcp-narrow-4",
       .asked = streams(tcp(), 4),
       .received = {1e6, 5.1e6},
       .flags = {"sent-above-received"}},
      {.name = "link-flap", .asked = every(tcp(4), 500), .flags = {"stalls"}},
      {.name = "tcp-send", .origins = kMixed, .asked = streams(tcp(1), 2)},
      {.name = "tcp-both-omit", .origins = kMixed, .asked = both(omit(tcp(1)))},
      {.name = "tcp-verbose", .origins = kWhole, .asked = tcp(1), .flags = {"text-around-document"}},
      {.name = "tcp-debug", .origins = kWhole, .asked = tcp(1), .flags = {"text-around-document"}},
      {.name = "udp-debug-receive",
       .origins = kWhole,
       .asked = receive(udp(1)),
       .flags = {"text-around-document"}},
      {.name = "tcp-server-output", .origins = kWhole, .asked = tcp(1)},
      {.name = "tcp-title", .origins = kWhole, .asked = tcp(1), .flags = {"replaced-bytes"}},
  };
}

// From 3.16 on, a test limited by bytes ends with an interval; older versions send these few bytes in a
// moment.
std::vector<Case> byte_measurements() {
  const std::string late = "rounded-to-interval";
  const std::string brief = "too-short";
  const unsigned newer = kNew | kLines;
  return {
      {.name = "tcp-bytes", .origins = kOld, .asked = with_bytes(tcp(), 64 * kMega), .flags = {brief}},
      {.name = "tcp-bytes", .origins = newer, .asked = with_bytes(tcp(), 64 * kMega), .flags = {late}},
      {.name = "tcp-bytes-4",
       .origins = kOld,
       .asked = with_bytes(streams(tcp(), 4), 64 * kMega),
       .flags = {brief}},
      {.name = "tcp-bytes-4",
       .origins = newer,
       .asked = with_bytes(streams(tcp(), 4), 64 * kMega),
       .flags = {late}},
      {.name = "tcp-bytes-receive",
       .origins = kOld,
       .asked = with_bytes(receive(tcp()), 64 * kMega),
       .flags = {brief}},
      {.name = "tcp-bytes-receive",
       .origins = newer,
       .asked = with_bytes(receive(tcp()), 64 * kMega),
       .flags = {late}},
      {.name = "tcp-bytes-both",
       .origins = kOld,
       .asked = with_bytes(both(tcp()), 64 * kMega),
       .flags = {brief}},
      {.name = "tcp-bytes-both",
       .origins = newer,
       .asked = with_bytes(both(tcp()), 64 * kMega),
       .flags = {late}},
      {.name = "tcp-bytes-tiny",
       .asked = with_bytes(tcp(), 1024),
       .received = kAnyRate,
       .flags = {brief},
       .may = {late}},
      {.name = "udp-bytes",
       .origins = kOld,
       .asked = with_bytes(udp(), kMega),
       .received = {18e6, 22e6},
       .flags = {brief}},
      {.name = "udp-bytes",
       .origins = newer,
       .asked = with_bytes(udp(), kMega),
       .received = {18e6, 22e6},
       .flags = {late}},
  };
}

std::vector<Case> udp_measurements() {
  return {
      {.name = "udp-send", .asked = udp(), .received = kTenMega},
      {.name = "udp-receive", .asked = receive(udp()), .received = kTenMega},
      {.name = "udp-both", .asked = both(udp()), .received = kTenMega},
      {.name = "udp-send-4", .asked = streams(udp(), 4), .received = kTwentyMega},
      {.name = "udp-omit", .asked = omit(udp()), .received = kTenMega},
      {.name = "udp-omit-receive", .asked = receive(omit(udp())), .received = kTenMega},
  };
}

std::vector<Case> udp_losses() {
  return {
      {.name = "udp-loss", .asked = udp(), .received = kNarrow, .lost_percent = kThreeQuarters},
      {.name = "udp-loss-receive",
       .asked = receive(udp()),
       .received = kNarrow,
       .lost_percent = kThreeQuarters},
      {.name = "udp-loss-both", .asked = both(udp()), .received = kNarrow, .lost_percent = kThreeQuarters},
      // 3.12's server also counts the losses of the omitted part.
      {.name = "udp-loss-omit",
       .origins = kOld | kOldToNew | kNewToOld,
       .asked = omit(udp()),
       .received = kNarrow,
       .lost_percent = kThreeQuarters,
       .flags = {"loss-disagrees"}},
      {.name = "udp-loss-omit",
       .origins = kNew | kLines | kNewToNew,
       .asked = omit(udp()),
       .received = kNarrow,
       .lost_percent = kThreeQuarters},
      {.name = "udp-loss-omit-receive",
       .asked = receive(omit(udp())),
       .received = kNarrow,
       .lost_percent = kThreeQuarters},
      // A starving stream shows no gaps after its last datagram.
      {.name = "udp-loss-4",
       .asked = streams(udp(), 4),
       .received = kNarrow,
       .lost_percent = kThreeQuarters,
       .may = {"loss-disagrees"}},
      {.name = "udp-loss",
       .origins = kOldToNew | kNewToNew,
       .asked = udp(),
       .received = kNarrow,
       .lost_percent = kThreeQuarters},
      // A new client gets no loss from an old server, and prints 0.
      {.name = "udp-loss",
       .origins = kNewToOld,
       .asked = udp(),
       .received = kNarrow,
       .lost_percent = kThreeQuarters,
       .flags = {"loss-disagrees"}},
      {.name = "udp-loss-receive",
       .origins = kMixed,
       .asked = receive(udp()),
       .received = kNarrow,
       .lost_percent = kThreeQuarters},
      {.name = "udp-loss-both",
       .origins = kOldToNew | kNewToNew,
       .asked = both(udp()),
       .received = kNarrow,
       .lost_percent = kThreeQuarters},
      {.name = "udp-loss-both",
       .origins = kNewToOld,
       .asked = both(udp()),
       .received = kNarrow,
       .lost_percent = kThreeQuarters,
       .flags = {"loss-disagrees"}},
  };
}

std::vector<Case> refusals() {
  const std::string usage = "iperf3 did not accept its options: iperf3 says \"";
  return {
      {.name = "refused",
       .asked = tcp(1),
       .error = "the server refused the connection (10.0.0.2 port 5201): iperf3 says \"unable to connect"},
      {.name = "unreachable", .asked = tcp(1), .error = "there is no route to the server"},
      {.name = "unknown-host",
       .asked = unknown_host(),
       .error = "the name of the server is not known, or nobody could be asked for it "
                "(no-such-host.invalid): iperf3"},
      {.name = "usage-error", .asked = tcp(1), .error = usage + "unrecognized option '--no-such-option'\""},
      {.name = "wrong-value", .asked = tcp(1), .error = usage + "parameter error - "},
      // The recording's kernel has no SCTP.
      {.name = "sctp",
       .asked = ask(Protocol::sctp, 1),
       .error = "the kernel here or at the server has no SCTP: iperf3 says \""},
      {.name = "unknown-congestion",
       .asked = unknown_congestion(),
       .error = "the congestion control no-such-algorithm cannot be used: it must be in "
                "net.ipv4.tcp_allowed_congestion_control, here and at the server. As root, "},
      {.name = "wrong-bind",
       .asked = wrong_bind(),
       .error = "the client cannot use its own address 10.9.9.9: iperf3 says"},
      {.name = "busy-server",
       .asked = tcp(1),
       .error =
           "the server is busy with another test (10.0.0.2 port 5201): iperf3 says \"the server is busy"},
  };
}

std::vector<Case> disturbances() {
  const std::string gone =
      "the server went away during the test (10.0.0.2 port 5201): iperf3 says \"control socket";
  const std::string stopped =
      "the client was told to stop before its test had ended: iperf3 says \"interrupt";
  const std::string silent = "no byte moved any more after 2.0 s of the test";
  return {
      {.name = "server-killed", .asked = tcp(3), .error = gone, .flags = {"repeated-intervals"}},
      {.name = "server-killed-receive", .asked = receive(tcp(3)), .error = gone},
      {.name = "server-killed-udp", .asked = udp(3), .error = gone},
      {.name = "server-terminated",
       .asked = tcp(3),
       .error = "the server was told to stop during the test (10.0.0.2 port 5201): iperf3 says",
       .flags = {"receiver-unknown"}},
      {.name = "server-stopped", .asked = tcp(3), .error = silent, .flags = {"receiver-unknown", "stalls"}},
      {.name = "server-stopped-receive",
       .asked = receive(tcp(3)),
       .error = silent,
       .flags = {"sender-unknown", "stalls"}},
      {.name = "link-down-own", .asked = tcp(3), .error = silent, .flags = {"receiver-unknown"}},
      {.name = "link-down-far", .asked = tcp(3), .error = silent, .flags = {"receiver-unknown"}},
      {.name = "link-down-own-udp-receive",
       .asked = receive(udp(3)),
       .error = silent,
       .flags = {"sender-unknown"}},
      {.name = "link-down-far-udp-receive",
       .asked = receive(udp(3)),
       .error = silent,
       .flags = {"sender-unknown"}},
      {.name = "client-sigterm", .asked = tcp(3), .error = stopped, .flags = {"receiver-unknown"}},
      {.name = "client-sigint", .asked = tcp(3), .error = stopped, .flags = {"receiver-unknown"}},
      {.name = "client-sigkill", .origins = kWhole, .asked = tcp(3), .error = "iperf3 ended without a word"},
      {.name = "client-sigkill",
       .origins = kLines,
       .asked = tcp(3),
       .error = "iperf3's document ends in the middle"},
      {.name = "truncated",
       .origins = kWhole,
       .asked = tcp(),
       .error = "iperf3's document ends in the middle"},
  };
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (auto part : {tcp_measurements(), byte_measurements(), udp_measurements(), udp_losses(), refusals(),
                    disturbances()}) {
    cases.insert(cases.end(), part.begin(), part.end());
  }
  return cases;
}

}  // namespace

std::vector<Recording> all_recordings() {
  struct Place {
    unsigned origin;
    std::string prefix;
    std::string version;
  };
  const std::vector<Place> places{{kOld, "3.12/", "3.12"},
                                  {kNew, "3.18/", "3.18"},
                                  {kNew, "3.22/", "3.22"},
                                  {kLines, "3.18/stream-", "3.18"},
                                  {kLines, "3.22/stream-", "3.22"},
                                  {kOldToNew, "3.12-to-3.18/", "3.12"},
                                  {kOldToNew, "3.12-to-3.22/", "3.12"},
                                  {kNewToOld, "3.18-to-3.12/", "3.18"},
                                  {kNewToOld, "3.22-to-3.12/", "3.22"},
                                  {kNewToNew, "3.18-to-3.22/", "3.18"},
                                  {kNewToNew, "3.22-to-3.18/", "3.22"}};
  std::vector<Recording> recordings;
  for (const Case& expected : all_cases()) {
    for (const Place& place : places) {
      if ((expected.origins & place.origin) == 0) continue;
      recordings.push_back({place.prefix + expected.name, place.version, expected});
    }
  }
  return recordings;
}

std::filesystem::path recordings_directory() {
  return std::filesystem::path(NETPERFD_TEST_DATA) / "iperf3";
}

std::string recorded(const std::string& file, const std::string& stream) {
  const auto path = recordings_directory() / (file + "." + stream);
  std::ifstream bytes(path, std::ios::binary);
  if (!bytes) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(bytes), {}};
}

TestSpec tcp(int duration_s) {
  return ask(Protocol::tcp, duration_s);
}
TestSpec udp(int duration_s) {
  return ask(Protocol::udp, duration_s);
}

TestSpec with_bytes(TestSpec spec, std::uint64_t bytes) {
  spec.traffic.duration.reset();
  spec.traffic.bytes = bytes;
  return spec;
}

TestSpec receive(TestSpec spec) {
  spec.traffic.direction = Direction::receive;
  return spec;
}

TestSpec both(TestSpec spec) {
  spec.traffic.direction = Direction::both;
  return spec;
}

TestSpec streams(TestSpec spec, std::uint32_t count) {
  spec.traffic.streams = count;
  return spec;
}

TestSpec omit(TestSpec spec) {
  spec.traffic.omit = seconds(1);
  return spec;
}

TestSpec every(TestSpec spec, int interval_ms) {
  spec.traffic.interval = milliseconds(interval_ms);
  return spec;
}

}  // namespace netperfd::workload::test
