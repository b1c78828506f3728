// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/figure_registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "daemon/model/counter_figure.hpp"
#include "daemon/model/wording.hpp"
#include "daemon/model/work_unit.hpp"

namespace netperfd {
namespace {

using Value = std::optional<double>;

// ---- iperf3: of all directions; if one of them is not known, neither is the figure -----------------------

template <class Member>
std::optional<Member> sum_of(const FigureReadings& run, std::optional<Member> rows::Sum::* member) {
  if (run.sums.empty()) return std::nullopt;
  Member all{};
  for (const rows::Sum& sum : run.sums) {
    if (!(sum.*member)) return std::nullopt;
    all += *(sum.*member);
  }
  return all;
}

template <class Member>
Value mean_of(const FigureReadings& run, std::optional<Member> rows::Sum::* member) {
  const auto all = sum_of(run, member);
  return all ? Value{static_cast<double>(*all) / static_cast<double>(run.sums.size())} : std::nullopt;
}

Value received(const FigureReadings& run, const Figure& /*figure*/) {
  return run.received_bits_per_second;
}

Value sent(const FigureReadings& run, const Figure& /*figure*/) {
  return sum_of(run, &rows::Sum::sent_bits_per_second);
}

Value delivered(const FigureReadings& run, const Figure& /*figure*/) {
  const auto packets = sum_of(run, &rows::Sum::packets);
  const auto lost = sum_of(run, &rows::Sum::lost_packets);
  if (!packets || !lost || *packets == 0) return std::nullopt;
  // iperf3 counts a late datagram that it took for lost as -1 lost.
  return 1 - static_cast<double>(std::max<std::int64_t>(*lost, 0)) / static_cast<double>(*packets);
}

Value retransmits(const FigureReadings& run, const Figure& /*figure*/) {
  const auto segments = sum_of(run, &rows::Sum::retransmits);
  const auto bytes = sum_of(run, &rows::Sum::sent_bytes);
  if (!segments || !bytes || *bytes == 0) return std::nullopt;
  return static_cast<double>(*segments) * 1e9 / static_cast<double>(*bytes);
}

Value rtt(const FigureReadings& run, const Figure& /*figure*/) {
  const Value us = mean_of(run, &rows::Sum::mean_rtt);
  return us ? Value{*us * 1e3} : std::nullopt;
}

Value jitter(const FigureReadings& run, const Figure& /*figure*/) {
  const Value ms = mean_of(run, &rows::Sum::jitter_ms);
  return ms ? Value{*ms * 1e6} : std::nullopt;
}

// ---- CPU time for each byte of goodput, packet or transaction --------------------------------------------

std::optional<double> seconds_of(const FigureReadings& run) {
  return run.window_ns ? std::optional{static_cast<double>(*run.window_ns) / 1e9} : std::nullopt;
}

std::optional<OwnWork> own_work_of(const FigureReadings& run, WorkUnit unit) {
  return own_work(run.own, unit, seconds_of(run));
}

Value for_own_work(const FigureReadings& run, WorkUnit unit) {
  const auto work = own_work_of(run, unit);
  if (!work || !run.cpu_ns || *run.cpu_ns == 0) return std::nullopt;
  return static_cast<double>(*run.cpu_ns) / work->amount;
}

Value ratio(const std::optional<std::uint64_t>& ns, const std::optional<std::uint64_t>& bytes) {
  if (!ns || !bytes || *ns == 0 || *bytes == 0) return std::nullopt;
  return static_cast<double>(*ns) / static_cast<double>(*bytes);
}

// Also unknown if others took as much as there was, to the precision of the kernel's figures.
Value whole_cpu(const FigureReadings& run, const Figure& /*figure*/) {
  return run.goodput_bytes ? ratio(run.cpu_ns, run.goodput_bytes) : for_own_work(run, WorkUnit::byte);
}

Value counted_cpu(const FigureReadings& run, const Figure& figure) {
  const auto bytes = sum_of(run, &rows::Sum::received_bytes);
  if (run.counted_cpu_ns) return ratio(run.counted_cpu_ns, bytes);
  const bool counts_all = run.sums.empty() ? !run.goodput_bytes : bytes && bytes == run.goodput_bytes;
  return counts_all && !run.has_uncounted_part ? whole_cpu(run, figure) : std::nullopt;
}

// Of the whole run. What the workload reports is what it means by a packet; a device may count others.
Value packet_cpu(const FigureReadings& run, const Figure& /*figure*/) {
  if (const Value own = for_own_work(run, WorkUnit::packet)) return own;
  return ratio(run.cpu_ns, run.packets);
}

Value transaction_cpu(const FigureReadings& run, const Figure& /*figure*/) {
  return for_own_work(run, WorkUnit::transaction);
}

template <WorkUnit kUnit>
std::string work_source(const FigureReadings& run, const Figure& /*figure*/) {
  const auto own = own_work_of(run, kUnit);
  return own ? "figure " + own->figure : kUnit == WorkUnit::packet ? "nic" : "";
}

// ---- The kernel's counters -------------------------------------------------------------------------------

Value counter(const FigureReadings& run, const Figure& figure) {
  return counter_rate(run, figure.name);
}

std::string counter_source(const FigureReadings& /*run*/, const Figure& figure) {
  return std::string{source_of_counter(figure.name)};
}

// ---- Latency: of one probe, in one phase -----------------------------------------------------------------

std::string_view probe_of(const FigureReadings& run, const Figure& figure) {
  if (figure.probe.empty()) return run.probes.empty() ? std::string_view{} : run.probes.front();
  return std::ranges::find(run.probes, figure.probe) == run.probes.end() ? std::string_view{} : figure.probe;
}

template <class Row>  // rows::LatencyPhase or rows::LatencySpan
const Row* of_phase(const std::vector<Row>& rows, std::string_view probe, std::string_view phase) {
  const auto found =
      std::ranges::find_if(rows, [&](const Row& row) { return row.probe == probe && row.phase == phase; });
  return found == rows.end() ? nullptr : &*found;
}

const rows::LatencyPhase* phase_of(const FigureReadings& run, const Figure& figure) {
  const std::string_view probe = probe_of(run, figure);
  if (probe.empty()) return nullptr;
  if (figure.phase) return of_phase(run.phases, probe, to_string(*figure.phase));
  const auto* load = of_phase(run.phases, probe, to_string(LatencyPhase::load));
  return load != nullptr ? load : of_phase(run.phases, probe, to_string(LatencyPhase::idle));
}

Value number(std::uint64_t value) {
  return static_cast<double>(value);
}
Value number(const std::optional<std::uint64_t>& value) {
  return value ? number(*value) : std::nullopt;
}

template <auto kMember>
Value round_trip(const FigureReadings& run, const Figure& figure) {
  const auto* phase = phase_of(run, figure);
  const auto* trips = phase == nullptr ? nullptr : of_phase(run.round_trips, phase->probe, phase->phase);
  return trips == nullptr ? std::nullopt : number(trips->*kMember);
}

Value latency_jitter(const FigureReadings& run, const Figure& figure) {
  const auto* phase = phase_of(run, figure);
  return phase == nullptr ? std::nullopt : number(phase->jitter_ns);
}

Value answered(const FigureReadings& run, const Figure& figure) {
  const auto* phase = phase_of(run, figure);
  if (phase == nullptr || phase->sent == 0) return std::nullopt;
  return static_cast<double>(phase->received) / static_cast<double>(phase->sent);
}

// What load adds: its 99th percentile less the median without load.
Value bloat(const FigureReadings& run, const Figure& figure) {
  Figure of_phase = figure;
  of_phase.phase = LatencyPhase::load;
  const Value load = round_trip<&rows::LatencySpan::p99_ns>(run, of_phase);
  of_phase.phase = LatencyPhase::idle;
  const Value idle = round_trip<&rows::LatencySpan::p50_ns>(run, of_phase);
  return load && idle ? Value{*load - *idle} : std::nullopt;
}

// ---- What a job must measure ------------------------------------------------------------------------------

std::string of_iperf3(const Figure& /*figure*/, const MeasuredByJob& job) {
  const bool iperf3 = job.tcp || job.udp || job.sctp;
  return iperf3 ? "" : "needs the workload iperf3, which the job does not have";
}

bool brings(const MeasuredByJob& job, WorkUnit unit) {
  return std::ranges::any_of(job.own_units, [unit](const std::string& each) {
    const auto work = work_in(each);
    return work && work->unit == unit;
  });
}

std::string of_bytes(const Figure& figure, const MeasuredByJob& job) {
  if (brings(job, WorkUnit::byte) || of_iperf3(figure, job).empty()) return {};
  return "needs the workload iperf3, or a figure of the job's own in bits/s, and the job has neither";
}

std::string of_packets(const Figure& /*figure*/, const MeasuredByJob& job) {
  if (job.path || brings(job, WorkUnit::packet)) return {};
  return "needs a path, or a figure of the job's own in packets/s, and the job has neither";
}

std::string of_transactions(const Figure& /*figure*/, const MeasuredByJob& job) {
  if (brings(job, WorkUnit::transaction)) return {};
  return "needs a figure of the job's own in transactions/s or requests/s, and the job has none";
}

// Which counters there are is known when a run begins.
std::string of_counters(const Figure& /*figure*/, const MeasuredByJob& job) {
  return job.counters ? "" : "needs runs of this host: files that were imported have no counters";
}

std::string of_udp(const Figure& /*figure*/, const MeasuredByJob& job) {
  return job.udp ? "" : "needs iperf3 with udp, which the job does not have";
}

std::string of_tcp(const Figure& /*figure*/, const MeasuredByJob& job) {
  return job.tcp ? "" : "needs iperf3 with tcp, which the job does not have";
}

bool has(const MeasuredByJob& job, LatencyPhase phase) {
  return std::ranges::find(job.phases, phase) != job.phases.end();
}

std::string of_probes(const Figure& figure, const MeasuredByJob& job) {
  if (!job.probes) return "needs a latency workload, and the job has none";
  if (!figure.probe.empty() && std::ranges::find(*job.probes, figure.probe) == job.probes->end()) {
    return fmt::format("needs a probe {}; the job has {}", in_quotes(figure.probe),
                       fmt::join(*job.probes, ", "));
  }
  if (figure.phase && !has(job, *figure.phase))
    return fmt::format("needs a phase {}, and the job has none", to_string(*figure.phase));
  return {};
}

std::string of_load_and_idle(const Figure& figure, const MeasuredByJob& job) {
  if (std::string why = of_probes(figure, job); !why.empty()) return why;
  if (has(job, LatencyPhase::idle) && has(job, LatencyPhase::load)) return {};
  return "needs a phase of load and an idle one before it, and the job does not have both";
}

// ---- The figures ------------------------------------------------------------------------------------------

constexpr FigureWords kThroughput{.name = "throughput",
                                  .nothing = "received nothing",
                                  .anything = "received anything",
                                  .what = "what was received"};
using Span = rows::LatencySpan;
constexpr PercentileOfFigure kP50[] = {{0.5}}, kP90[] = {{0.9}}, kP99[] = {{0.99}}, kP999[] = {{0.999}};
constexpr PercentileOfFigure kBloat[] = {{0.99, LatencyPhase::load}, {0.5, LatencyPhase::idle}};

// Of round trips.
constexpr FigureEntry percentile(std::string_view name, ReadFigure read,
                                 std::span<const PercentileOfFigure> of) {
  return {.name = name,
          .unit = "ns",
          .better = Better::lower,
          .why_none = of_probes,
          .read = read,
          .percentiles = of};
}

constexpr FigureEntry kRegistry[] = {
    {"received", "bits_per_second", Better::higher, of_iperf3, received, nullptr, &kThroughput},
    {"sent", "bits_per_second", Better::higher, of_iperf3, sent},
    {"delivered", "share", Better::higher, of_udp, delivered},
    {"retransmits", "per_gigabyte", Better::lower, of_tcp, retransmits},
    {"rtt", "ns", Better::lower, of_tcp, rtt},
    {"jitter", "ns", Better::lower, of_udp, jitter},
    {"cpu", "ns_per_byte", Better::lower, of_bytes, counted_cpu, whole_cpu},
    {.name = "cpu.packet",
     .unit = "ns_per_packet",
     .better = Better::lower,
     .why_none = of_packets,
     .read = packet_cpu,
     .source = work_source<WorkUnit::packet>},
    {.name = "cpu.transaction",
     .unit = "ns_per_transaction",
     .better = Better::lower,
     .why_none = of_transactions,
     .read = transaction_cpu,
     .source = work_source<WorkUnit::transaction>},
    {"latency.min", "ns", Better::lower, of_probes, round_trip<&Span::min_ns>},
    percentile("latency.p50", round_trip<&Span::p50_ns>, kP50),
    percentile("latency.p90", round_trip<&Span::p90_ns>, kP90),
    percentile("latency.p99", round_trip<&Span::p99_ns>, kP99),
    percentile("latency.p999", round_trip<&Span::p999_ns>, kP999),
    {"latency.max", "ns", Better::lower, of_probes, round_trip<&Span::max_ns>},
    {"latency.mean", "ns", Better::lower, of_probes, round_trip<&Span::mean_ns>},
    {"latency.jitter", "ns", Better::lower, of_probes, latency_jitter},
    {"latency.delivered", "share", Better::higher, of_probes, answered},
    {.name = "latency.bloat",
     .unit = "ns",
     .better = Better::lower,
     .why_none = of_load_and_idle,
     .read = bloat,
     .of_two_phases = true,
     .percentiles = kBloat},
    {.name = kCounterFigures,
     .unit = "per_second",
     .better = Better::higher,
     .why_none = of_counters,
     .read = counter,
     .source = counter_source,
     .terms_in_name = true},
};

consteval bool has_entry(std::string_view name) {
  return std::ranges::find(kRegistry, name, &FigureEntry::name) != std::end(kRegistry);
}
static_assert(has_entry(kReceivedFigure) && has_entry(kCpuFigure) && has_entry(kCpuPerPacket) &&
              has_entry(kCpuPerTransaction) && has_entry(kCounterFigures));

}  // namespace

std::span<const FigureEntry> figure_registry() {
  return kRegistry;
}

std::string_view unit_of(const FigureEntry& entry, const Figure& figure) {
  return entry.terms_in_name ? unit_of_counter(figure.name) : entry.unit;
}

Better better_of(const FigureEntry& entry, const Figure& figure) {
  return entry.terms_in_name ? better_of_counter(figure.name) : entry.better;
}

const FigureEntry* find_figure(std::string_view name) {
  if (is_counter_figure(name)) name = kCounterFigures;
  const auto* found = std::ranges::find(kRegistry, name, &FigureEntry::name);
  return found == std::end(kRegistry) ? nullptr : found;
}

bool is_latency_statistic(std::string_view text) {
  return find_figure(fmt::format("{}.{}", kLatencyFigures, text)) != nullptr;
}

}  // namespace netperfd
