// SPDX-License-Identifier: GPL-2.0-or-later
// A caller's request for a measurement. daemon/config makes a JobSpec from YAML, and it never changes once
// accepted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/command_spec.hpp"
#include "daemon/model/design.hpp"
#include "daemon/model/figure.hpp"
#include "daemon/model/latency.hpp"
#include "daemon/model/sample_profile.hpp"
#include "daemon/model/trace_spec.hpp"
#include "daemon/model/workload_traits.hpp"
#include "dbus/rows/iperf3.hpp"

namespace netperfd {

enum class Protocol { tcp, udp, sctp };
enum class IpVersion { any, v4, v6 };

// A one-off server that netperfd runs for this job.
struct LocalServer {
  std::string netns;  // a name under /run/netns; empty: the host's namespace
  std::string bind;   // the address it listens on and the client connects to

  bool operator==(const LocalServer&) const = default;
};

// Where it is measured: both ends.
struct Path {
  std::string server;                // host name or address; with `local`, that server's bind address
  std::optional<LocalServer> local;  // absent: the server is not run by netperfd
  std::string netns;                 // network namespace of the client; empty: the host's namespace
  std::string bind;                  // the client's own address; empty: chosen by the kernel
  IpVersion ip_version = IpVersion::any;
  // How long a run waits for a server that is busy or absent; 0: it fails at once.
  std::chrono::milliseconds server_wait{0};

  bool operator==(const Path&) const = default;
};

// What any generator of traffic is told.
struct Traffic {
  Protocol protocol = Protocol::tcp;
  Direction direction = Direction::send;
  std::uint32_t streams = 1;

  // Exactly one of the two is set.
  std::optional<std::chrono::milliseconds> duration;  // whole seconds
  std::optional<std::uint64_t> bytes;
  std::chrono::milliseconds omit{0};         // whole seconds
  std::chrono::milliseconds interval{1000};  // between its reports: 100 ms and up

  std::optional<std::uint64_t>
      bitrate;  // bits per second per stream, 0: unlimited; absent: the tool's default

  bool operator==(const Traffic&) const = default;
};

// What iperf3 alone is told; each member is one client option.
struct Iperf3Options {
  std::optional<std::uint64_t> length_bytes;  // of one write
  std::optional<std::uint64_t> window_bytes;  // socket buffer
  std::optional<std::uint32_t> mss_bytes;
  std::string congestion;  // empty: the system's default
  std::string dscp;        // number or name as iperf3 takes it; empty: none
  std::uint16_t port = 5201;
  std::optional<std::uint16_t> client_port;
  std::vector<std::uint32_t> affinity;  // CPU of the client, then of a local server
  bool zerocopy = false;
  bool no_delay = false;
  bool dont_fragment = false;

  bool operator==(const Iperf3Options&) const = default;
};

// What a job, or the document of an import, says of one test.
struct TestSpec {
  Path path;
  Traffic traffic;
  Iperf3Options iperf3;

  bool operator==(const TestSpec&) const = default;
};

struct Limits {
  // For one run, from its preparation to its end; never 0 in an accepted job.
  std::chrono::milliseconds timeout{0};

  bool operator==(const Limits&) const = default;
};

// What the runs of a side have in place of the job's own, if a side of the design or a sweep sets keys.
struct SideWorkload {
  TestSpec test;
  std::optional<LatencySpec> latency;
  std::optional<CommandSpec> command;
  Limits limits;
  bool operator==(const SideWorkload&) const = default;
};

inline constexpr std::size_t kMaxLabel = 64;  // bytes

struct JobSpec {
  std::string name;
  std::string description;
  std::string label;         // the caller's name for the runs, such as "before"
  std::uint32_t repeat = 1;  // runs; or blocks if there is a design
  // `repeat` is the most: it ends once the comparison of its sides is decided.
  bool until_decided = false;
  JobPurpose purpose = JobPurpose::measurement;
  WorkloadTraits workload = unknown_workload("");
  // As far as the workload has a path and traffic; otherwise the defaults. Of imported files, that of the
  // document of traffic among them.
  TestSpec test;
  std::optional<LatencySpec> latency;  // alone, or beside other traffic
  std::optional<CommandSpec> command;  // of that workload
  std::optional<TraceSpec> trace;
  std::optional<SampleSpec> sample;  // of its plain runs; traced ones are never sampled
  std::optional<Design> design;
  Limits limits;
  // Of A and of B, in a sweep at each point; empty: nothing sets a key.
  std::vector<SideWorkload> sides = {};
  // Of what spec_of_side() tells: what is set on the machine during the run; otherwise empty.
  std::vector<MachineSetting> machine = {};
  std::vector<FigureChoice> figures = {};  // that a comparison judges; none: `received`
  // The number of the job whose suspected functions it measures again. No job text can set it.
  std::optional<std::int64_t> confirms = std::nullopt;
  // It is measured even if it cannot end in an answer. Only its acceptance asks.
  bool forced = false;
  bool tied = false;  // it ends with its caller's connection to the bus, and so with the daemon
  std::string text;   // the YAML that this was read from, with overrides applied; the store keeps it

  bool operator==(const JobSpec&) const = default;
};

// Whether `test.traffic` is meaningful. An imported document of traffic always names a server.
[[nodiscard]] inline bool has_traffic(const JobSpec& spec) {
  return spec.workload.makes_traffic || (spec.workload.of_files && !spec.test.path.server.empty());
}

// Whether some of its runs are not traced.
[[nodiscard]] inline bool has_plain_runs(const JobSpec& spec) {
  return !spec.trace || (spec.design && spec.design->plain);
}

// One error in a job: the key's full path, and a whole sentence on what was found and what was expected.
struct JobProblem {
  std::string key;
  std::string message;
  // The other keys that the rule reads: if one of them is wrong, this problem is not reported.
  std::vector<std::string> others;
};

// What a run on this side is told, at this point of a sweep; '\0': a run that is on none.
[[nodiscard]] JobSpec spec_of_side(const JobSpec& job, char side, std::uint32_t point = 0);
// Of the job itself and, if sides or a sweep set keys, of A and of B at each point.
[[nodiscard]] std::vector<JobSpec> specs_of_runs(const JobSpec& job);

// All violations of rules for a single key or for several together; empty for a job that may run.
[[nodiscard]] std::vector<JobProblem> check(const JobSpec& spec);

// Duration of one run of this job, the longest if its sides differ, if all goes well; absent for a job
// limited by bytes or ended by its caller.
[[nodiscard]] std::optional<std::chrono::milliseconds> planned_duration(const JobSpec& spec);

[[nodiscard]] std::string_view to_string(Protocol protocol);
[[nodiscard]] std::string_view to_string(IpVersion version);
[[nodiscard]] std::optional<Protocol> parse_protocol(std::string_view text);
[[nodiscard]] bool parse_word(std::string_view text, Protocol& protocol);        // as that of Direction
[[nodiscard]] std::optional<IpVersion> parse_ip_version(std::string_view text);  // "any", "4", "6"

}  // namespace netperfd
