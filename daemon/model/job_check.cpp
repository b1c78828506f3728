// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of a job. They are here and not in the YAML reader, so that every way into the daemon obeys the
// same rules and no later module has to doubt a JobSpec: one that passes can be put into an argument vector
// as it is.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "daemon/model/design_check.hpp"
#include "daemon/model/figure_check.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/latency_check.hpp"
#include "daemon/model/place_check.hpp"
#include "daemon/model/problems.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/trace_check.hpp"
#include "daemon/model/units.hpp"
#include "daemon/model/workload_problems.hpp"

namespace netperfd {
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

// Our own limits: how much one job may put into the store and onto a screen.
constexpr std::int64_t kMaxIntervalRows = 500'000;
constexpr std::size_t kMaxJobName = 64;
constexpr std::size_t kMaxLabel = 64;
constexpr std::size_t kMaxDescription = 500;

constexpr std::size_t kMaxCongestion = 15;  // the kernel's TCP_CA_NAME_MAX without the final NUL

void check_words(const JobSpec& spec, Problems& problems) {
  if (!is_word(spec.name, "._-", kMaxJobName)) {
    problems.add("name",
                 fmt::format("a name is of letters, digits, '.', '_' and '-', begins with a letter or digit "
                             "and has at most {} characters",
                             kMaxJobName));
  }
  const auto check_line = [&](const char* key, const std::string& text, std::size_t limit) {
    if (auto why = not_printable(text); !why.empty()) problems.add(key, std::move(why));
    if (text.size() > limit)
      problems.add(key, fmt::format("has {} bytes; at most {} are kept", text.size(), limit));
  };
  check_line("description", spec.description, kMaxDescription);
  check_line("label", spec.label, kMaxLabel);
  if (spec.repeat < 1) problems.add("repeat", "0 is out of range; a job has at least 1 run");
}

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

void check_timeout(const JobSpec& spec, Problems& problems) {
  const auto planned = planned_duration(spec);
  if (spec.limits.timeout <= 0ms || (planned && spec.limits.timeout < *planned)) {
    problems.add("limits.timeout",
                 fmt::format("{} is shorter than the run itself ({})", format_duration(spec.limits.timeout),
                             planned ? format_duration(*planned) : "more than 0"));
  }
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

std::vector<JobProblem> check_iperf3(const JobSpec& spec) {
  WorkloadProblems problems("workload.iperf3");
  check_place(spec.test, problems);
  check_extent(spec.test, problems);
  check_sizes(spec.test, problems);
  check_protocol(spec.test, problems);
  check_options(spec.test, problems);
  check_volume(spec, problems);
  return problems.take();
}

// A job without a workload consists only of its trace.
void check_none(const JobSpec& spec, Problems& problems) {
  if (spec.repeat > 1) {
    problems.add("repeat",
                 fmt::format("{} is out of range; a job with workload none has 1 run, which its caller ends",
                             spec.repeat),
                 {"workload"});
  }
  if (!spec.trace) {
    problems.add("trace", "is missing: what to watch, since workload none makes no traffic", {"workload"});
    return;
  }
  if (spec.trace->workload_only) {
    problems.add("trace.pid", "means the tasks of the workload, and workload none has no tasks",
                 {"workload"});
  }
  if (spec.trace->optional) {
    problems.add("trace.optional", "would leave nothing to do, since workload none makes no traffic",
                 {"workload"});
  }
}

}  // namespace

std::vector<JobProblem> check(const JobSpec& spec) {
  Problems problems;
  check_words(spec, problems);
  switch (spec.workload) {
    case WorkloadKind::iperf3:
      problems.add_all(check_iperf3(spec));
      break;
    case WorkloadKind::latency:
      break;
    case WorkloadKind::none:
      check_none(spec, problems);
      break;
    case WorkloadKind::imported:
      break;
  }
  problems.add_all(check_latency(spec));
  check_timeout(spec, problems);
  if (spec.trace) problems.add_all(check_trace(*spec.trace));
  problems.add_all(check_budget(spec));
  problems.add_all(check_sample(spec));
  problems.add_all(check_design(spec));
  problems.add_all(check_figures(spec));
  return problems.take();
}

}  // namespace netperfd
