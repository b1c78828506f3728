#include "daemon/bus/wire.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "daemon/bus/row_maker.hpp"
#include "daemon/bus/wire_text.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_state.hpp"

namespace netperfd::bus {
namespace {

double seconds(std::chrono::milliseconds duration) {
  return std::chrono::duration<double>(duration).count();
}
double seconds(std::chrono::microseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

std::uint64_t number(std::int64_t id) {
  return static_cast<std::uint64_t>(id);
}

void put_what_was_asked(RowMaker& row, const JobSpec& spec) {
  const Iperf3Spec& iperf3 = spec.iperf3;
  row.put("protocol", to_string(iperf3.protocol));
  row.put("direction", to_string(iperf3.direction));
  row.put("streams", iperf3.streams);
  if (iperf3.duration) row.put("duration_s", seconds(*iperf3.duration));
  row.put("bytes", iperf3.bytes);
  row.put("omit_s", seconds(iperf3.omit));
  row.put("server", iperf3.server);
  row.put_if_any("client_netns", iperf3.netns);
  if (iperf3.local) row.put_if_any("server_netns", iperf3.local->netns);
}

void put_what_iperf3_told(RowMaker& row, const core::RunRow& run) {
  row.put_if_any("iperf3_version", run.iperf3_version);
  if (run.client) {
    row.put_if_any("client_host", run.client->host);
    row.put("client_port", run.client->port);
  }
  if (run.server) {
    row.put_if_any("server_host", run.server->host);
    row.put("server_port", run.server->port);
  }
  row.put("mss", run.mss_bytes);
  row.put_if_any("congestion", run.congestion);
  row.put("cpu_client_percent", run.cpu_client_percent);
  row.put("cpu_server_percent", run.cpu_server_percent);
  if (run.client_usage) {
    row.put("client_user_s", seconds(run.client_usage->user));
    row.put("client_system_s", seconds(run.client_usage->system));
  }
}

void put_design(RowMaker& row, const Design& design) {
  row.put("seed", design.seed);
  if (design.a) row.put("variant_a", design.a->name);
  if (design.b) row.put("variant_b", design.b->name);
  row.put("changed", design.changed);
}

// Of a trace that was not made there is nothing to count.
void put_trace(RowMaker& row, const core::TraceTotals& trace) {
  row.put_if_any("trace_skipped", trace.skipped);
  if (!trace.skipped.empty()) return;
  row.put("trace_events", trace.events);
  row.put("trace_lost", trace.lost);
  row.put_if_any("trace_broken", trace.broken);
}

void put_arm(RowMaker& row, const core::RunRow& run) {
  if (run.spec.purpose != JobPurpose::measurement) row.put("purpose", to_string(run.spec.purpose));
  if (run.arm.block == 0) return;
  row.put("block", run.arm.block);
  row.put("letter", run.arm.letter);
  row.put("traced", run.arm.traced);
  if (run.arm.variant == '\0') return;
  row.put("side", std::string{run.arm.variant});
  row.put("variant", run.variant);
}

RowMaker make_run(const core::RunRow& run, std::size_t error_limit) {
  RowMaker row;
  row.put("run", number(run.id));
  row.put("job", number(run.job));
  row.put("index", run.index);
  row.put("repeat", run.spec.repeat);
  put_arm(row, run);
  row.put("scenario", run.spec.name);
  row.put("label", run.spec.label);
  row.put("state", to_string(run.state));
  row.put_if_any("error", run.error, error_limit);
  row.put("owner", static_cast<std::uint32_t>(run.owner));
  row.put("created_us", std::optional{run.created});
  row.put("started_us", run.started);
  row.put("ended_us", run.ended);
  row.put("workload", to_string(run.spec.workload));
  if (has_iperf3(run.spec)) {
    put_what_was_asked(row, run.spec);
    put_what_iperf3_told(row, run);
  }
  if (run.trace) put_trace(row, *run.trace);
  row.put("flags", static_cast<std::uint32_t>(run.flags.size()));
  row.put("documents", run.documents);
  return row;
}

WireRow flag_row(const QualityFlag& flag) {
  RowMaker row;
  row.put("code", flag.code);
  row.put("message", flag.message);
  return row.take();
}

}  // namespace

WireRow run_row(const core::RunRow& run) {
  return make_run(run, kLongTextBytes).take();
}

WireRow listed_run_row(const core::RunRow& run) {
  RowMaker row = make_run(run, kShortTextBytes);
  if (!run.sums.empty()) {
    const Totals& first = run.sums.front();
    row.put("received_bits_per_second", first.received_bits_per_second);
    row.put("sent_bits_per_second", first.sent_bits_per_second);
    row.put("retransmits", first.retransmits);
    row.put("lost_percent", first.lost_percent);
  }
  return row.take();
}

WireRow totals_row(const Totals& totals) {
  RowMaker row;
  row.put("direction", to_string(totals.direction));
  row.put("stream", totals.stream);
  row.put("seconds", totals.seconds);
  row.put("sent_bytes", totals.sent_bytes);
  row.put("received_bytes", totals.received_bytes);
  row.put("sent_bits_per_second", totals.sent_bits_per_second);
  row.put("received_bits_per_second", totals.received_bits_per_second);
  row.put("retransmits", totals.retransmits);
  row.put("max_snd_cwnd", totals.max_snd_cwnd);
  row.put("min_rtt", totals.min_rtt);
  row.put("mean_rtt", totals.mean_rtt);
  row.put("max_rtt", totals.max_rtt);
  row.put("jitter_ms", totals.jitter_ms);
  row.put("packets", totals.packets);
  row.put("lost_packets", totals.lost_packets);
  row.put("lost_percent", totals.lost_percent);
  row.put("out_of_order", totals.out_of_order);
  return row.take();
}

WireRow interval_row(const Interval& interval) {
  RowMaker row;
  row.put("direction", to_string(interval.direction));
  row.put("stream", interval.stream);
  row.put("sender", interval.sender);
  row.put("omitted", interval.omitted);
  row.put("start_s", interval.start_s);
  row.put("end_s", interval.end_s);
  row.put("seconds", interval.seconds);
  row.put("bytes", interval.bytes);
  row.put("bits_per_second", interval.bits_per_second);
  row.put("retransmits", interval.retransmits);
  row.put("snd_cwnd", interval.snd_cwnd);
  row.put("rtt", interval.rtt);
  row.put("rttvar", interval.rttvar);
  row.put("pmtu", interval.pmtu);
  row.put("jitter_ms", interval.jitter_ms);
  row.put("packets", interval.packets);
  row.put("lost_packets", interval.lost_packets);
  row.put("lost_percent", interval.lost_percent);
  return row.take();
}

WireRow scenario_row(const core::ScenarioRow& scenario) {
  RowMaker row;
  row.put("name", scenario.name);
  row.put("description", scenario.description);
  row.put("file", scenario.file, 4096);  // PATH_MAX
  row.put_if_any("error", scenario.error);
  return row.take();
}

WireRow spread_row(const analysis::Spread& spread) {
  RowMaker row;
  row.put("direction", to_string(spread.direction));
  row.put("runs", spread.runs);
  row.put("median", spread.median);
  row.put("lowest", spread.lowest);
  row.put("highest", spread.highest);
  row.put("cv_percent", spread.cv_percent);
  return row.take();
}

WireRow job_row(const std::vector<core::RunRow>& runs) {
  const auto count = [&](RunState state) {
    return static_cast<std::uint32_t>(std::ranges::count(runs, state, &core::RunRow::state));
  };
  std::vector<std::uint64_t> ids;
  ids.reserve(runs.size());
  for (const core::RunRow& run : runs) ids.push_back(number(run.id));
  const core::RunRow& first = runs.front();
  RowMaker row;
  row.put("job", number(first.job));
  row.put("scenario", first.spec.name);
  row.put("label", first.spec.label);
  row.put("owner", static_cast<std::uint32_t>(first.owner));
  row.put("created_us", std::optional{first.created});
  row.put("repeat", first.spec.repeat);
  row.put("purpose", to_string(first.spec.purpose));
  if (first.spec.design) put_design(row, *first.spec.design);
  row.put("runs", ids);
  row.put("finished", count(RunState::finished));
  row.put("failed", count(RunState::failed));
  row.put("canceled", count(RunState::canceled));
  row.put("interrupted", count(RunState::interrupted));
  return row.take();
}

WireRow design_row(const core::JobStatus& job) {
  RowMaker row;
  if (!job.design) return row.take();
  row.put("blocks", job.repeat);
  row.put("plain", job.design->plain);
  put_design(row, *job.design);
  std::vector<std::uint32_t> blocks, letters;
  std::vector<std::string> variants;
  std::vector<bool> traced;
  for (const Arm& arm : job.arms) {
    blocks.push_back(arm.block);
    letters.push_back(arm.letter);
    traced.push_back(arm.traced);
    if (arm.variant != '\0') variants.push_back((arm.variant == 'A' ? job.design->a : job.design->b)->name);
  }
  row.put("block", blocks);
  row.put("letter", letters);
  row.put("variant", variants, kRowsBudgetBytes / 2);  // one a run, like the others
  row.put("traced", traced);
  return row.take();
}

dbus::Rows flag_rows(const std::vector<QualityFlag>& flags) {
  std::size_t room = kRowsBudgetBytes / 2;
  return fitting_rows(flags, flag_row, room, room);
}

}  // namespace netperfd::bus
