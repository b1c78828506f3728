// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/job/check.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>

#include "daemon/model/place_check.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/units.hpp"
#include "daemon/model/workload_problems.hpp"
#include "daemon/workload/latency/job/check.hpp"

namespace netperfd::workload {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// Limits of iperf3 3.12 to 3.18, according to their error messages.
constexpr milliseconds kMaxDuration = 24h;
constexpr milliseconds kMaxOmit = 10min;
constexpr milliseconds kMinInterval = 100ms;
constexpr milliseconds kMaxInterval = 1min;
constexpr std::uint32_t kMaxStreams = 128;
constexpr std::uint64_t kMaxLength = 1ULL << 20U;
constexpr std::uint64_t kMinUdpLength = 16;
constexpr std::uint64_t kMaxUdpLength = 65'507;
constexpr std::uint64_t kMaxWindow = 512ULL << 20U;
constexpr std::uint32_t kMaxMss = 9216;
// Linux refuses a smaller TCP_MAXSEG; for SCTP, iperf3 silently ignores a smaller value.
constexpr std::uint32_t kMinTcpMss = 88;
constexpr std::uint32_t kMinSctpMss = 512;
// A cpu_set_t has 1024 bits.
constexpr std::size_t kMaxAffinity = 2;

// Larger than on any machine, and within the signed 64 bits of SQLite and of iperf3's own JSON.
constexpr std::uint64_t kMaxBytes = 1ULL << 60U;
constexpr std::uint64_t kMaxBitRate = 1'000'000'000'000'000;

// Our own limit: how much one job may put into the store and onto a screen.
constexpr std::int64_t kMaxIntervalRows = 500'000;

constexpr std::size_t kMaxCongestion = 15;  // the kernel's TCP_CA_NAME_MAX without the final NUL

void check_extent(const TestSpec& test, WorkloadProblems& problems) {
  if (!test.traffic.duration && !test.traffic.bytes) {
    problems.add_here("duration", "is missing: how long to measure, like 10s (or `bytes`)", {"bytes"});
  }
  if (test.traffic.duration && test.traffic.bytes) {
    problems.add_here("bytes", "stands beside `duration`; a job has one of the two", {"duration"});
  }
  if (test.traffic.duration) {
    problems.require_range("duration", *test.traffic.duration, 1s, kMaxDuration);
    problems.require_whole_seconds("duration", *test.traffic.duration);
  }
  if (test.traffic.bytes) problems.require_range<std::uint64_t>("bytes", *test.traffic.bytes, 1, kMaxBytes);
  if (test.traffic.bitrate)
    problems.require_range<std::uint64_t>("bitrate", *test.traffic.bitrate, 0, kMaxBitRate);
  problems.require_range("omit", test.traffic.omit, 0ms, kMaxOmit);
  problems.require_whole_seconds("omit", test.traffic.omit);
  problems.require_range("interval", test.traffic.interval, kMinInterval, kMaxInterval);
  problems.require_range("streams", test.traffic.streams, 1U, kMaxStreams);
}

void check_sizes(const TestSpec& test, WorkloadProblems& problems) {
  const bool udp = test.traffic.protocol == Protocol::udp;
  if (test.iperf3.length_bytes) {
    const std::uint64_t least = udp ? kMinUdpLength : 1;
    const std::uint64_t most = udp ? kMaxUdpLength : kMaxLength;
    if (*test.iperf3.length_bytes < least || *test.iperf3.length_bytes > most) {
      problems.add_here("length",
                        fmt::format("{} is out of range for {} ({} to {} bytes)", *test.iperf3.length_bytes,
                                    to_string(test.traffic.protocol), least, most),
                        {"protocol"});
    }
  }
  if (test.iperf3.window_bytes)
    problems.require_range<std::uint64_t>("window", *test.iperf3.window_bytes, 1, kMaxWindow);
  if (test.iperf3.mss_bytes) {
    const auto least = test.traffic.protocol == Protocol::sctp ? kMinSctpMss : kMinTcpMss;
    problems.require_range("mss", *test.iperf3.mss_bytes, least, kMaxMss);
  }
}

void check_protocol(const TestSpec& test, WorkloadProblems& problems) {
  const bool tcp = test.traffic.protocol == Protocol::tcp;
  const bool udp = test.traffic.protocol == Protocol::udp;
  const auto fits = [&](bool given, const char* key, bool allowed, const char* where) {
    if (!given || allowed) return;
    problems.add_here(
        key,
        fmt::format("has a meaning for {} only, and protocol is {}", where, to_string(test.traffic.protocol)),
        {"protocol"});
  };
  fits(test.iperf3.mss_bytes.has_value(), "mss", !udp, "tcp and sctp");
  fits(test.iperf3.no_delay, "no_delay", !udp, "tcp and sctp");
  fits(!test.iperf3.congestion.empty(), "congestion", tcp, "tcp");
  fits(test.iperf3.zerocopy, "zerocopy", tcp, "tcp");
  fits(test.iperf3.dont_fragment, "dont_fragment", udp, "udp");
  if (test.iperf3.dont_fragment && test.path.ip_version != IpVersion::v4 &&
      family_of(test.path.server) != Family::v4) {
    problems.add_here("dont_fragment", "has a meaning for IPv4 only; ask for it with `ip_version: 4`",
                      {"ip_version", "server", "local", "local.bind"});
  }
  if (udp && !test.traffic.bitrate) {
    problems.add_here("bitrate",
                      "is missing: iperf3 would send udp at 1 Mbit/s; say how much, or 0 for no limit",
                      {"protocol"});
  }
}

void check_options(const TestSpec& test, WorkloadProblems& problems) {
  if (!test.iperf3.congestion.empty() && !is_word(test.iperf3.congestion, "_-", kMaxCongestion)) {
    problems.add_here("congestion",
                      fmt::format("\"{}\" is not the name of a congestion control algorithm, such as cubic",
                                  test.iperf3.congestion));
  }
  if (!test.iperf3.dscp.empty() && !is_dscp(test.iperf3.dscp)) {
    problems.add_here("dscp", fmt::format("\"{}\" is not a DSCP (0 to 63, or a name such as ef, af11, cs1)",
                                          test.iperf3.dscp));
  }
  if (test.iperf3.port == 0) problems.add_here("port", "0 is out of range (1 to 65535)");
  if (test.iperf3.client_port) {
    // iperf3 binds each stream to the next port, and the streams of the reverse direction after the others.
    const std::uint32_t ports = test.traffic.streams * (test.traffic.direction == Direction::both ? 2 : 1);
    if (*test.iperf3.client_port == 0) problems.add_here("cport", "0 is out of range (1 to 65535)");
    if (*test.iperf3.client_port + ports > 65'536U && test.traffic.streams <= kMaxStreams) {
      problems.add_here("cport",
                        fmt::format("{} leaves no ports for {} streams, which take one each from there on",
                                    *test.iperf3.client_port, ports),
                        {"streams", "direction"});
    }
  }
  if (test.iperf3.affinity.size() > kMaxAffinity) {
    problems.add_here("affinity",
                      "has more than two CPUs; the first is the client's, the second the server's");
  }
  if (test.iperf3.affinity.size() == kMaxAffinity && !test.path.local) {
    problems.add_here(
        "affinity", "has a second CPU, the server's, which netperfd can choose for `local` only", {"local"});
  }
  for (const auto cpu : test.iperf3.affinity) problems.require_range("affinity", cpu, 0U, kMaxCpu);
}

// Limits the rows that one run stores: one per interval for each stream and for the sum.
void check_volume(const JobSpec& spec, WorkloadProblems& problems) {
  const TestSpec& test = spec.test;
  const auto planned = planned_duration(spec);
  const auto longest = planned.value_or(spec.limits.timeout);
  const bool sensible = test.traffic.interval >= kMinInterval && test.traffic.streams >= 1 &&
                        test.traffic.streams <= kMaxStreams && longest <= kMaxDuration + kMaxOmit;
  if (!sensible) return;  // reported already
  const std::int64_t directions = test.traffic.direction == Direction::both ? 2 : 1;
  const std::int64_t rows = (longest / test.traffic.interval + 1) * directions *
                            (static_cast<std::int64_t>(test.traffic.streams) + 1);
  if (rows > kMaxIntervalRows) {
    problems.add_here("interval",
                      fmt::format("{} makes about {} rows of intervals a run; at most {} are kept, "
                                  "so choose a longer one",
                                  format_duration(test.traffic.interval), rows, kMaxIntervalRows),
                      {"duration", "bytes", "omit", "streams", "direction"});
  }
}

}  // namespace

std::vector<JobProblem> check_iperf3(const JobSpec& spec) {
  WorkloadProblems problems("workload.iperf3");
  check_place(spec.test, problems);
  check_extent(spec.test, problems);
  check_sizes(spec.test, problems);
  check_protocol(spec.test, problems);
  check_options(spec.test, problems);
  check_volume(spec, problems);
  problems.add_all(check_latency(spec));
  return problems.take();
}

}  // namespace netperfd::workload
