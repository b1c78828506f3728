// SPDX-License-Identifier: GPL-2.0-or-later
// Runs, jobs and scenarios.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd::rows {

// One run: a row of ListRuns or the first part of GetRun. The four figures from received_bits_per_second on
// come with ListRuns only.
struct Run {
  std::uint64_t run = 0;
  std::optional<std::uint64_t> job;
  std::optional<std::uint32_t> index, repeat;  // 1 to repeat
  std::optional<std::string> scenario, label, state, error;
  std::optional<std::uint32_t> owner;  // uid
  std::optional<std::uint64_t> created_us, started_us, ended_us;
  std::optional<std::string> protocol, direction;
  std::optional<std::uint32_t> streams;
  std::optional<double> duration_s;
  std::optional<std::uint64_t> bytes;
  std::optional<double> omit_s;
  std::optional<std::string> server, client_netns, server_netns, iperf3_version, client_host, server_host;
  std::optional<std::uint16_t> client_port, server_port;
  std::optional<std::uint32_t> mss;
  std::optional<std::string> congestion;
  std::optional<double> cpu_client_percent, cpu_server_percent, client_user_s, client_system_s;
  std::optional<std::uint32_t> flags;  // number of flags
  std::optional<std::vector<std::string>> documents;
  std::optional<double> received_bits_per_second, sent_bits_per_second;
  std::optional<std::uint64_t> retransmits;
  std::optional<double> lost_percent;
  std::optional<std::string> workload;  // iperf3, latency, none, import, or a word of another netperfd
  std::optional<std::uint64_t> trace_events, trace_lost;
  std::optional<std::string> trace_skipped, trace_broken;  // why
  std::optional<std::uint32_t> block, letter;              // if the job has a design, as the next three
  std::optional<std::string> side, variant;                // A or B, and its name
  std::optional<bool> traced;
  std::optional<std::string> build;    // if its side has several
  std::optional<std::string> purpose;  // pilot or selftest; absent: a measurement
  std::optional<std::string> note;     // absent: none
  // Of an imported run: names of its files, when it was measured, and who says so: document or file.
  std::optional<std::vector<std::string>> files;
  std::optional<std::uint64_t> measured_us;
  std::optional<std::string> measured_by;
  std::optional<double> tracer_share;  // of the run's CPU time, taken by tracing functions
  // Of the round trips of its first probe, under load if there is one. The percentiles as in LatencySpan.
  std::optional<std::string> latency_phase;
  std::optional<std::uint64_t> latency_p50_ns, latency_p99_ns;
  std::optional<double> latency_lost_percent;
  // The first that its job judges of its own figures; the unit is absent if it has none.
  std::optional<std::string> figure, figure_unit;
  std::optional<double> figure_value;
  std::optional<bool> from_bundle;        // true: it came in a bundle; otherwise absent
  std::optional<std::uint32_t> point;     // of a sweep, from 1
  std::optional<std::string> point_name;  // "streams=4, length=512"
};
template <>
inline constexpr auto kFields<Run> =
    std::tuple{field("run", &Run::run),
               field("job", &Run::job),
               field("index", &Run::index),
               field("repeat", &Run::repeat),
               field("scenario", &Run::scenario),
               field("label", &Run::label),
               field("state", &Run::state),
               long_text("error", &Run::error),
               field("owner", &Run::owner),
               field("created_us", &Run::created_us),
               field("started_us", &Run::started_us),
               field("ended_us", &Run::ended_us),
               field("protocol", &Run::protocol),
               field("direction", &Run::direction),
               field("streams", &Run::streams),
               field("duration_s", &Run::duration_s),
               field("bytes", &Run::bytes),
               field("omit_s", &Run::omit_s),
               field("server", &Run::server),
               field("client_netns", &Run::client_netns),
               field("server_netns", &Run::server_netns),
               field("iperf3_version", &Run::iperf3_version),
               field("client_host", &Run::client_host),
               field("server_host", &Run::server_host),
               field("client_port", &Run::client_port),
               field("server_port", &Run::server_port),
               field("mss", &Run::mss, "bytes"),
               field("congestion", &Run::congestion),
               field("cpu_client_percent", &Run::cpu_client_percent),
               field("cpu_server_percent", &Run::cpu_server_percent),
               field("client_user_s", &Run::client_user_s),
               field("client_system_s", &Run::client_system_s),
               field("flags", &Run::flags),
               field("documents", &Run::documents),
               field("received_bits_per_second", &Run::received_bits_per_second),
               field("sent_bits_per_second", &Run::sent_bits_per_second),
               field("retransmits", &Run::retransmits),
               field("lost_percent", &Run::lost_percent),
               field("workload", &Run::workload),
               field("trace_events", &Run::trace_events),
               field("trace_lost", &Run::trace_lost),
               field("trace_skipped", &Run::trace_skipped),
               field("trace_broken", &Run::trace_broken),
               field("block", &Run::block),
               field("letter", &Run::letter),
               field("side", &Run::side),
               field("variant", &Run::variant),
               field("traced", &Run::traced),
               field("build", &Run::build),
               field("purpose", &Run::purpose),
               field("note", &Run::note),
               field("files", &Run::files),
               field("measured_us", &Run::measured_us),
               field("measured_by", &Run::measured_by),
               field("tracer_share", &Run::tracer_share),
               field("latency_phase", &Run::latency_phase),
               field("latency_p50_ns", &Run::latency_p50_ns),
               field("latency_p99_ns", &Run::latency_p99_ns),
               field("latency_lost_percent", &Run::latency_lost_percent),
               field("figure", &Run::figure),
               field("figure_value", &Run::figure_value),
               field("figure_unit", &Run::figure_unit),
               field("from_bundle", &Run::from_bundle),
               field("point", &Run::point),
               field("point_name", &Run::point_name)};
static_assert(kDescribed<Run>);

// A stored job (GetJob, ListJobs), with counts of its runs by end state.
struct Job {
  std::uint64_t job = 0;
  std::optional<std::string> scenario, label;
  std::optional<std::uint32_t> owner;
  std::optional<std::uint64_t> created_us;
  std::optional<std::uint32_t> repeat;  // runs, or blocks if the job has a design
  std::optional<std::string> purpose;   // measurement, pilot or selftest
  std::optional<std::uint64_t> seed;    // of a design, as the next three
  std::optional<std::string> variant_a, variant_b;
  std::optional<std::vector<std::string>> changed;
  std::optional<std::vector<std::uint64_t>> runs;
  // Of the canceled runs, `not_needed` are apart: those without which the job was decided; absent: none.
  std::optional<std::uint32_t> finished, failed, canceled, interrupted, not_needed;
  // live (a run has not ended), or what its runs came to: finished, failed or canceled.
  std::optional<std::string> state;
  std::optional<std::uint64_t> started_us,
      ended_us;                           // of its first and its last run; the latter once all ended
  std::optional<std::uint64_t> confirms;  // the job whose suspected functions it measures again
  std::optional<std::string> origin;      // of a job from a bundle: where that came from
  std::optional<std::uint32_t> points;    // of its sweep; absent: there is none
};
template <>
inline constexpr auto kFields<Job> = std::tuple{field("job", &Job::job),
                                                field("scenario", &Job::scenario),
                                                field("label", &Job::label),
                                                field("owner", &Job::owner),
                                                field("created_us", &Job::created_us),
                                                field("repeat", &Job::repeat),
                                                field("purpose", &Job::purpose),
                                                field("seed", &Job::seed),
                                                field("variant_a", &Job::variant_a),
                                                field("variant_b", &Job::variant_b),
                                                field("changed", &Job::changed),
                                                field("runs", &Job::runs),
                                                field("finished", &Job::finished),
                                                field("failed", &Job::failed),
                                                field("canceled", &Job::canceled),
                                                field("interrupted", &Job::interrupted),
                                                field("state", &Job::state),
                                                field("started_us", &Job::started_us),
                                                field("ended_us", &Job::ended_us),
                                                field("confirms", &Job::confirms),
                                                field("origin", &Job::origin),
                                                field("not_needed", &Job::not_needed),
                                                field("points", &Job::points)};
static_assert(kDescribed<Job>);

// A reboot of a job whose design reboots the machine (ListBoots).
struct Boot {
  std::uint32_t number = 0;                           // of the job's reboots, from 1
  std::optional<std::uint32_t> block, letter;         // absent: the way back to the original side
  std::optional<std::string> side, variant;           // that it was meant for: A or B, and its name
  std::optional<std::uint64_t> asked_us, settled_us;  // the latter once the machine was ready for a run
  std::optional<double> seconds;                      // between them
  std::optional<std::string> kernel, boot_id;         // that came up; absent: not known
  std::optional<std::string> failure;                 // why it is not on its side; absent: it is, or not yet
};
template <>
inline constexpr auto kFields<Boot> =
    std::tuple{field("number", &Boot::number),         field("block", &Boot::block),
               field("letter", &Boot::letter),         field("side", &Boot::side),
               field("variant", &Boot::variant),       field("asked_us", &Boot::asked_us),
               field("settled_us", &Boot::settled_us), field("seconds", &Boot::seconds),
               field("kernel", &Boot::kernel),         field("boot_id", &Boot::boot_id),
               field("failure", &Boot::failure)};
static_assert(kDescribed<Boot>);

// A figure that the workload or the scenario of a run brings (ListFigures).
struct NamedFigure {
  std::string name;                 // unique in its run
  std::optional<std::string> unit;  // absent: a number without a unit
  std::string better;               // higher or lower
  double value = 0;
};
template <>
inline constexpr auto kFields<NamedFigure> =
    std::tuple{field("name", &NamedFigure::name), field("unit", &NamedFigure::unit),
               field("better", &NamedFigure::better), field("value", &NamedFigure::value)};
static_assert(kDescribed<NamedFigure>);

// Of the received rate over a job's finished runs, in one direction.
struct Spread {
  std::optional<std::string> direction;
  std::optional<std::uint32_t> runs;
  std::optional<double> median, lowest, highest;  // bits per second
  std::optional<double> cv_percent;
};
template <>
inline constexpr auto kFields<Spread> = std::tuple{field("direction", &Spread::direction),
                                                   field("runs", &Spread::runs),
                                                   field("median", &Spread::median, "bits_per_second"),
                                                   field("lowest", &Spread::lowest, "bits_per_second"),
                                                   field("highest", &Spread::highest, "bits_per_second"),
                                                   field("cv_percent", &Spread::cv_percent)};
static_assert(kDescribed<Spread>);

struct Scenario {
  std::optional<std::string> name, description, file, error;
};
template <>
inline constexpr auto kFields<Scenario> =
    std::tuple{field("name", &Scenario::name), field("description", &Scenario::description),
               long_text("file", &Scenario::file), field("error", &Scenario::error)};
static_assert(kDescribed<Scenario>);

// The property Design of a live job. `block` to `traced` have an element per run, in the order of the
// property Runs.
struct Design {
  std::optional<std::uint32_t> blocks;
  std::optional<std::string> variant_a, variant_b;
  std::optional<bool> plain;  // each letter also has a run without the job's trace
  std::optional<std::uint64_t> seed;
  std::optional<std::vector<std::string>> changed;
  std::optional<std::vector<std::uint32_t>> block, letter;
  std::optional<std::vector<std::string>> variant;  // names; empty without variants
  std::optional<std::vector<bool>> traced;
  std::optional<std::uint32_t> points;  // of its sweep; absent: there is none
};
template <>
inline constexpr auto kFields<Design> =
    std::tuple{field("blocks", &Design::blocks),       field("variant_a", &Design::variant_a),
               field("variant_b", &Design::variant_b), field("plain", &Design::plain),
               field("seed", &Design::seed),           field("changed", &Design::changed),
               field("block", &Design::block),         field("letter", &Design::letter),
               long_text("variant", &Design::variant), field("traced", &Design::traced),
               field("points", &Design::points)};
static_assert(kDescribed<Design>);

}  // namespace netperfd::rows
