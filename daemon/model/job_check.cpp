// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of a job. They are here and not in the YAML reader, so that every way into the daemon obeys the
// same rules and no later module has to doubt a JobSpec: one that passes can be put into an argument vector
// as it is.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "daemon/model/design_check.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/problems.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/trace_check.hpp"
#include "daemon/model/units.hpp"

namespace netperfd {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// Limits of iperf3 3.12 to 3.18, according to their error messages.
constexpr milliseconds kMaxDuration = 24h;
constexpr milliseconds kMaxOmit = 10min;
constexpr milliseconds kMinInterval = 100ms;
constexpr milliseconds kMaxInterval = 1min;
constexpr milliseconds kMaxServerWait = 1h;
constexpr std::uint32_t kMaxStreams = 128;
constexpr std::uint64_t kMaxLength = 1ULL << 20U;
constexpr std::uint64_t kMinUdpLength = 16;
constexpr std::uint64_t kMaxUdpLength = 65'507;
constexpr std::uint64_t kMaxWindow = 512ULL << 20U;
constexpr std::uint32_t kMaxMss = 9216;
constexpr std::string_view kDscpNames[] = {"af11", "af12", "af13", "af21",     "af22",       "af23",
                                           "af31", "af32", "af33", "af41",     "af42",       "af43",
                                           "cs0",  "cs1",  "cs2",  "cs3",      "cs4",        "cs5",
                                           "cs6",  "cs7",  "ef",   "lowdelay", "throughput", "reliability"};
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

// Limits of the kernel: TCP_CA_NAME_MAX and IFNAMSIZ without the final NUL, NAME_MAX; and of the DNS: the
// length of a host name.
constexpr std::size_t kMaxCongestion = 15;
constexpr std::size_t kMaxInterfaceName = 15;
constexpr std::size_t kMaxNetns = 255;
constexpr std::size_t kMaxHost = 253;
constexpr std::size_t kMaxHostLabel = 63;

class JobProblems : public Problems {
 public:
  // `others` are the other keys that the rule reads; all are keys of workload.iperf3.
  void add_iperf3(std::string_view key, std::string message,
                  std::initializer_list<std::string_view> others = {}) {
    std::vector<std::string> paths;
    for (const auto other : others) paths.push_back(path(other));
    add(path(key), std::move(message), std::move(paths));
  }

  template <class Number>
  void require_range(std::string_view key, Number value, Number least, Number most) {
    if (value >= least && value <= most) return;
    add_iperf3(key, fmt::format("{} is out of range ({} to {})", value, least, most));
  }

  void require_range(std::string_view key, milliseconds value, milliseconds least, milliseconds most) {
    if (value >= least && value <= most) return;
    add_iperf3(key, fmt::format("{} is out of range ({} to {})", format_duration(value),
                                format_duration(least), format_duration(most)));
  }

  void require_whole_seconds(std::string_view key, milliseconds value) {
    if (value % 1s == 0ms) return;
    add_iperf3(key, fmt::format("{} is not a whole number of seconds, which iperf3 needs here",
                                format_duration(value)));
  }

 private:
  static std::string path(std::string_view key) { return fmt::format("workload.iperf3.{}", key); }
};

enum class Family { none, v4, v6 };

// Family of a numeric address; an IPv6 address may have a zone, as in fe80::1%eth0.
Family family_of(const std::string& address) {
  const auto percent = address.find('%');
  const std::string host = address.substr(0, percent);
  // inet_pton stops at a NUL; more text could hide behind it.
  if (host.contains('\0')) return Family::none;
  in6_addr v6{};
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) {
    const bool zone_fits = percent == std::string::npos ||
                           is_word(std::string_view(address).substr(percent + 1), "._-", kMaxInterfaceName);
    return zone_fits ? Family::v6 : Family::none;
  }
  in_addr v4{};
  return percent == std::string::npos && inet_pton(AF_INET, host.c_str(), &v4) == 1 ? Family::v4
                                                                                    : Family::none;
}

// A name whose last label is a number, such as 10.0.0.256, is a mistyped address.
bool is_host_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxHost) return false;
  std::string_view label;
  while (!text.empty()) {
    const auto dot = std::min(text.find('.'), text.size());
    label = text.substr(0, dot);
    if (!is_word(label, "-_", kMaxHostLabel)) return false;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return !std::ranges::all_of(label, [](char c) { return c >= '0' && c <= '9'; });
}

void check_words(const JobSpec& spec, JobProblems& problems) {
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

void check_family(const Iperf3Spec& iperf3, const char* key, Family family, JobProblems& problems) {
  const bool contradicts = (family == Family::v4 && iperf3.ip_version == IpVersion::v6) ||
                           (family == Family::v6 && iperf3.ip_version == IpVersion::v4);
  if (contradicts) {
    problems.add_iperf3(key,
                        fmt::format("is no IPv{} address, but ip_version is {}", to_string(iperf3.ip_version),
                                    to_string(iperf3.ip_version)),
                        {"ip_version"});
  }
}

void check_address(const Iperf3Spec& iperf3, const char* key, const std::string& address,
                   JobProblems& problems) {
  const Family family = family_of(address);
  if (family == Family::none) {
    problems.add_iperf3(key, fmt::format("\"{}\" is not an IPv4 or IPv6 address", address));
  }
  check_family(iperf3, key, family, problems);
}

void check_netns(const char* key, const std::string& netns, JobProblems& problems) {
  if (netns.empty() || is_word(netns, "._-+@:", kMaxNetns)) return;
  problems.add_iperf3(
      key,
      fmt::format("\"{}\" is not the name of a network namespace (as `ip netns` lists it; no path)", netns));
}

void check_places(const Iperf3Spec& iperf3, JobProblems& problems) {
  check_netns("netns", iperf3.netns, problems);
  if (iperf3.local) {
    check_netns("local.netns", iperf3.local->netns, problems);
    check_address(iperf3, "local.bind", iperf3.local->bind, problems);
    if (iperf3.local->bind == "0.0.0.0" || iperf3.local->bind == "::") {
      problems.add_iperf3("local.bind", "must be one address, since the client connects to it");
    }
    if (iperf3.server != iperf3.local->bind) {
      problems.add_iperf3("server", "stands beside `local`; a job has one of the two",
                          {"local", "local.bind"});
    }
  } else if (iperf3.server.empty()) {
    problems.add_iperf3("server",
                        "is missing: the host to measure against, or `local` for a server of netperfd's own",
                        {"local"});
  } else if (const Family family = family_of(iperf3.server); family != Family::none) {
    check_family(iperf3, "server", family, problems);
  } else if (!is_host_name(iperf3.server)) {
    problems.add_iperf3("server", fmt::format("\"{}\" is not a host name or an address", iperf3.server));
  }
  if (!iperf3.bind.empty()) check_address(iperf3, "bind", iperf3.bind, problems);
  problems.require_range("server_wait", iperf3.server_wait, 0ms, kMaxServerWait);
  if (iperf3.local && iperf3.server_wait > 0ms) {
    problems.add_iperf3("server_wait", "stands beside `local`, whose server netperfd itself starts",
                        {"local"});
  }
}

void check_extent(const Iperf3Spec& iperf3, JobProblems& problems) {
  if (!iperf3.duration && !iperf3.bytes) {
    problems.add_iperf3("duration", "is missing: how long to measure, like 10s (or `bytes`)", {"bytes"});
  }
  if (iperf3.duration && iperf3.bytes) {
    problems.add_iperf3("bytes", "stands beside `duration`; a job has one of the two", {"duration"});
  }
  if (iperf3.duration) {
    problems.require_range("duration", *iperf3.duration, 1s, kMaxDuration);
    problems.require_whole_seconds("duration", *iperf3.duration);
  }
  if (iperf3.bytes) problems.require_range<std::uint64_t>("bytes", *iperf3.bytes, 1, kMaxBytes);
  if (iperf3.bitrate) problems.require_range<std::uint64_t>("bitrate", *iperf3.bitrate, 0, kMaxBitRate);
  problems.require_range("omit", iperf3.omit, 0ms, kMaxOmit);
  problems.require_whole_seconds("omit", iperf3.omit);
  problems.require_range("interval", iperf3.interval, kMinInterval, kMaxInterval);
  problems.require_range("streams", iperf3.streams, 1U, kMaxStreams);
}

void check_sizes(const Iperf3Spec& iperf3, JobProblems& problems) {
  const bool udp = iperf3.protocol == Protocol::udp;
  if (iperf3.length_bytes) {
    const std::uint64_t least = udp ? kMinUdpLength : 1;
    const std::uint64_t most = udp ? kMaxUdpLength : kMaxLength;
    if (*iperf3.length_bytes < least || *iperf3.length_bytes > most) {
      problems.add_iperf3("length",
                          fmt::format("{} is out of range for {} ({} to {} bytes)", *iperf3.length_bytes,
                                      to_string(iperf3.protocol), least, most),
                          {"protocol"});
    }
  }
  if (iperf3.window_bytes)
    problems.require_range<std::uint64_t>("window", *iperf3.window_bytes, 1, kMaxWindow);
  if (iperf3.mss_bytes) {
    const auto least = iperf3.protocol == Protocol::sctp ? kMinSctpMss : kMinTcpMss;
    problems.require_range("mss", *iperf3.mss_bytes, least, kMaxMss);
  }
}

void check_protocol(const Iperf3Spec& iperf3, JobProblems& problems) {
  const bool tcp = iperf3.protocol == Protocol::tcp;
  const bool udp = iperf3.protocol == Protocol::udp;
  const auto fits = [&](bool given, const char* key, bool allowed, const char* where) {
    if (!given || allowed) return;
    problems.add_iperf3(
        key, fmt::format("has a meaning for {} only, and protocol is {}", where, to_string(iperf3.protocol)),
        {"protocol"});
  };
  fits(iperf3.mss_bytes.has_value(), "mss", !udp, "tcp and sctp");
  fits(iperf3.no_delay, "no_delay", !udp, "tcp and sctp");
  fits(!iperf3.congestion.empty(), "congestion", tcp, "tcp");
  fits(iperf3.zerocopy, "zerocopy", tcp, "tcp");
  fits(iperf3.dont_fragment, "dont_fragment", udp, "udp");
  if (iperf3.dont_fragment && iperf3.ip_version != IpVersion::v4 && family_of(iperf3.server) != Family::v4) {
    problems.add_iperf3("dont_fragment", "has a meaning for IPv4 only; ask for it with `ip_version: 4`",
                        {"ip_version", "server", "local", "local.bind"});
  }
  if (udp && !iperf3.bitrate) {
    problems.add_iperf3("bitrate",
                        "is missing: iperf3 would send udp at 1 Mbit/s; say how much, or 0 for no limit",
                        {"protocol"});
  }
}

bool is_dscp(const std::string& text) {
  if (std::ranges::find(kDscpNames, text) != std::end(kDscpNames)) return true;
  const auto number = parse_bytes(text);
  // iperf3 reads a leading 0 as octal: "010" would be 8 there and 10 to the reader.
  return number && *number <= 63 && std::to_string(*number) == text;
}

void check_options(const Iperf3Spec& iperf3, JobProblems& problems) {
  if (!iperf3.congestion.empty() && !is_word(iperf3.congestion, "_-", kMaxCongestion)) {
    problems.add_iperf3("congestion",
                        fmt::format("\"{}\" is not the name of a congestion control algorithm, such as cubic",
                                    iperf3.congestion));
  }
  if (!iperf3.dscp.empty() && !is_dscp(iperf3.dscp)) {
    problems.add_iperf3(
        "dscp", fmt::format("\"{}\" is not a DSCP (0 to 63, or a name such as ef, af11, cs1)", iperf3.dscp));
  }
  if (iperf3.port == 0) problems.add_iperf3("port", "0 is out of range (1 to 65535)");
  if (iperf3.client_port) {
    // iperf3 binds each stream to the next port, and the streams of the reverse direction after the others.
    const std::uint32_t ports = iperf3.streams * (iperf3.direction == Direction::both ? 2 : 1);
    if (*iperf3.client_port == 0) problems.add_iperf3("cport", "0 is out of range (1 to 65535)");
    if (*iperf3.client_port + ports > 65'536U && iperf3.streams <= kMaxStreams) {
      problems.add_iperf3("cport",
                          fmt::format("{} leaves no ports for {} streams, which take one each from there on",
                                      *iperf3.client_port, ports),
                          {"streams", "direction"});
    }
  }
  if (iperf3.affinity.size() > kMaxAffinity) {
    problems.add_iperf3("affinity",
                        "has more than two CPUs; the first is the client's, the second the server's");
  }
  if (iperf3.affinity.size() == kMaxAffinity && !iperf3.local) {
    problems.add_iperf3(
        "affinity", "has a second CPU, the server's, which netperfd can choose for `local` only", {"local"});
  }
  for (const auto cpu : iperf3.affinity) problems.require_range("affinity", cpu, 0U, kMaxCpu);
}

void check_timeout(const JobSpec& spec, JobProblems& problems) {
  const auto planned = planned_duration(spec);
  if (spec.limits.timeout <= 0ms || (planned && spec.limits.timeout < *planned)) {
    problems.add("limits.timeout",
                 fmt::format("{} is shorter than the run itself ({})", format_duration(spec.limits.timeout),
                             planned ? format_duration(*planned) : "more than 0"));
  }
}

// Limits the rows that one run stores: one per interval for each stream and for the sum.
void check_volume(const JobSpec& spec, JobProblems& problems) {
  const Iperf3Spec& iperf3 = spec.iperf3;
  const auto planned = planned_duration(spec);
  const auto longest = planned.value_or(spec.limits.timeout);
  const bool sensible = iperf3.interval >= kMinInterval && iperf3.streams >= 1 &&
                        iperf3.streams <= kMaxStreams && longest <= kMaxDuration + kMaxOmit;
  if (!sensible) return;  // reported already
  const std::int64_t directions = iperf3.direction == Direction::both ? 2 : 1;
  const std::int64_t rows =
      (longest / iperf3.interval + 1) * directions * (static_cast<std::int64_t>(iperf3.streams) + 1);
  if (rows > kMaxIntervalRows) {
    problems.add_iperf3("interval",
                        fmt::format("{} makes about {} rows of intervals a run; at most {} are kept, "
                                    "so choose a longer one",
                                    format_duration(iperf3.interval), rows, kMaxIntervalRows),
                        {"duration", "bytes", "omit", "streams", "direction"});
  }
}

void check_iperf3(const JobSpec& spec, JobProblems& problems) {
  check_places(spec.iperf3, problems);
  check_extent(spec.iperf3, problems);
  check_sizes(spec.iperf3, problems);
  check_protocol(spec.iperf3, problems);
  check_options(spec.iperf3, problems);
  check_volume(spec, problems);
}

// A job without a workload consists only of its trace.
void check_none(const JobSpec& spec, JobProblems& problems) {
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

void check_sample(const JobSpec& spec, JobProblems& problems) {
  if (!spec.sample || !spec.sample->asked) return;
  const std::uint32_t rate = spec.sample->rate;
  if (rate < 1 || rate > kMostSampleRate) {
    problems.add("sample",
                 fmt::format("{} samples a second are out of range (1 to {})", rate, kMostSampleRate));
  }
  if (!has_plain_runs(spec))
    problems.add("sample", "samples plain runs only, and all runs of this job are traced", {"trace"});
}

}  // namespace

std::vector<JobProblem> check(const JobSpec& spec) {
  JobProblems problems;
  check_words(spec, problems);
  switch (spec.workload) {
    case WorkloadKind::iperf3:
      check_iperf3(spec, problems);
      break;
    case WorkloadKind::none:
      check_none(spec, problems);
      break;
    case WorkloadKind::imported:
      break;
  }
  check_timeout(spec, problems);
  if (spec.trace) problems.add_all(check_trace(*spec.trace));
  problems.add_all(check_budget(spec));
  check_sample(spec, problems);
  problems.add_all(check_design(spec));
  return problems.take();
}

}  // namespace netperfd
