// The one list of keys of each row: D-Bus decoding, JSON and CSV all walk it, so the three cannot drift
// apart.
//
// each_field(row, visit) calls visit(key, member) or, where the key leaves the unit to the documentation and
// a CSV header should not, visit(key, member, suffix).
#pragma once

#include "client/comparison_fields.hpp"
#include "client/counter_fields.hpp"
#include "client/environment_fields.hpp"
#include "client/function_fields.hpp"
#include "client/row_of.hpp"
#include "client/views.hpp"

namespace netperfctl {

template <RowOf<RunView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("run", row.run);
  visit("job", row.job);
  visit("index", row.index);
  visit("repeat", row.repeat);
  visit("scenario", row.scenario);
  visit("label", row.label);
  visit("state", row.state);
  visit("error", row.error);
  visit("owner", row.owner);
  visit("created_us", row.created_us);
  visit("started_us", row.started_us);
  visit("ended_us", row.ended_us);
  visit("protocol", row.protocol);
  visit("direction", row.direction);
  visit("streams", row.streams);
  visit("duration_s", row.duration_s);
  visit("bytes", row.bytes);
  visit("omit_s", row.omit_s);
  visit("server", row.server);
  visit("client_netns", row.client_netns);
  visit("server_netns", row.server_netns);
  visit("iperf3_version", row.iperf3_version);
  visit("client_host", row.client_host);
  visit("server_host", row.server_host);
  visit("client_port", row.client_port);
  visit("server_port", row.server_port);
  visit("mss", row.mss, "_bytes");
  visit("congestion", row.congestion);
  visit("cpu_client_percent", row.cpu_client_percent);
  visit("cpu_server_percent", row.cpu_server_percent);
  visit("client_user_s", row.client_user_s);
  visit("client_system_s", row.client_system_s);
  visit("flags", row.flags);
  visit("documents", row.documents);
  visit("received_bits_per_second", row.received_bits_per_second);
  visit("sent_bits_per_second", row.sent_bits_per_second);
  visit("retransmits", row.retransmits);
  visit("lost_percent", row.lost_percent);
  visit("workload", row.workload);
  visit("trace_events", row.trace_events);
  visit("trace_lost", row.trace_lost);
  visit("trace_skipped", row.trace_skipped);
  visit("trace_broken", row.trace_broken);
  visit("block", row.block);
  visit("letter", row.letter);
  visit("side", row.side);
  visit("variant", row.variant);
  visit("traced", row.traced);
  visit("purpose", row.purpose);
}

template <RowOf<SumView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("direction", row.direction);
  visit("stream", row.stream);
  visit("seconds", row.seconds);
  visit("sent_bytes", row.sent_bytes);
  visit("received_bytes", row.received_bytes);
  visit("sent_bits_per_second", row.sent_bits_per_second);
  visit("received_bits_per_second", row.received_bits_per_second);
  visit("retransmits", row.retransmits);
  visit("max_snd_cwnd", row.max_snd_cwnd, "_bytes");
  visit("min_rtt", row.min_rtt, "_us");
  visit("mean_rtt", row.mean_rtt, "_us");
  visit("max_rtt", row.max_rtt, "_us");
  visit("jitter_ms", row.jitter_ms);
  visit("packets", row.packets);
  visit("lost_packets", row.lost_packets);
  visit("lost_percent", row.lost_percent);
  visit("out_of_order", row.out_of_order);
}

template <RowOf<IntervalView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("direction", row.direction);
  visit("stream", row.stream);
  visit("sender", row.sender);
  visit("omitted", row.omitted);
  visit("start_s", row.start_s);
  visit("end_s", row.end_s);
  visit("seconds", row.seconds);
  visit("bytes", row.bytes);
  visit("bits_per_second", row.bits_per_second);
  visit("retransmits", row.retransmits);
  visit("snd_cwnd", row.snd_cwnd, "_bytes");
  visit("rtt", row.rtt, "_us");
  visit("rttvar", row.rttvar, "_us");
  visit("pmtu", row.pmtu, "_bytes");
  visit("jitter_ms", row.jitter_ms);
  visit("packets", row.packets);
  visit("lost_packets", row.lost_packets);
  visit("lost_percent", row.lost_percent);
}

template <RowOf<FlagView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("code", row.code);
  visit("message", row.message);
}

template <RowOf<JobView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("job", row.job);
  visit("scenario", row.scenario);
  visit("label", row.label);
  visit("owner", row.owner);
  visit("created_us", row.created_us);
  visit("repeat", row.repeat);
  visit("purpose", row.purpose);
  visit("seed", row.seed);
  visit("variant_a", row.variant_a);
  visit("variant_b", row.variant_b);
  visit("changed", row.changed);
  visit("runs", row.runs);
  visit("finished", row.finished);
  visit("failed", row.failed);
  visit("canceled", row.canceled);
  visit("interrupted", row.interrupted);
}

template <RowOf<SpreadView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("direction", row.direction);
  visit("runs", row.runs);
  visit("median", row.median, "_bits_per_second");
  visit("lowest", row.lowest, "_bits_per_second");
  visit("highest", row.highest, "_bits_per_second");
  visit("cv_percent", row.cv_percent);
}

template <RowOf<LiveJobView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("job", row.job);
  visit("scenario", row.scenario);
  visit("label", row.label);
  visit("owner", row.owner);
  visit("runs", row.runs);
  visit("planned_s", row.planned_s);
  visit("state", row.state);
  visit("runs_ended", row.runs_ended);
  visit("runs_finished", row.runs_finished);
  visit("current_run", row.current_run);
  visit("run_state", row.run_state);
  visit("progress", row.progress);
  visit("queue_position", row.queue_position);
  visit("expected_end_us", row.expected_end_us);
  visit("error", row.error);
  visit("purpose", row.purpose);
  visit("blocks", row.blocks);
  visit("variant_a", row.variant_a);
  visit("variant_b", row.variant_b);
  visit("plain", row.plain);
  visit("seed", row.seed);
  visit("changed", row.changed);
  visit("block", row.block);
  visit("letter", row.letter);
  visit("variant", row.variant);
  visit("traced", row.traced);
}

template <RowOf<ScenarioView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("name", row.name);
  visit("description", row.description);
  visit("file", row.file);
  visit("error", row.error);
}

template <RowOf<TraceView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("skipped", row.skipped);
  visit("broken", row.broken);
  visit("clock", row.clock);
  visit("buffer_bytes", row.buffer_bytes);
  visit("functions", row.functions);
  visit("missing_functions", row.missing_functions);
  visit("workload_only", row.workload_only);
  visit("only_cpus", row.only_cpus);
  visit("slice_s", row.slice_s);
  visit("events", row.events);
  visit("lost", row.lost);
  visit("stacks_left_out", row.stacks_left_out);
  visit("events_left_out", row.events_left_out);
  visit("drops_left_out", row.drops_left_out);
  visit("marks_left_out", row.marks_left_out);
  visit("cpus_left_out", row.cpus_left_out);
  visit("slices_left_out", row.slices_left_out);
}

template <RowOf<TraceCpuView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("cpu", row.cpu);
  visit("records", row.records);
  visit("bytes", row.bytes);
  visit("lost_events", row.lost_events);
  visit("overrun", row.overrun);
  visit("commit_overrun", row.commit_overrun);
  visit("dropped_events", row.dropped_events);
  visit("damaged", row.damaged);
}

template <RowOf<TraceEventView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("event", row.event);
  visit("filter", row.filter);
  visit("count", row.count);
  visit("slices", row.slices);
}

template <RowOf<SliceView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("event", row.event);
  visit("start_s", row.start_s);
  visit("seconds", row.seconds);
  visit("count", row.count);
}

template <RowOf<DropView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("reason", row.reason);
  visit("location", row.location);
  visit("count", row.count);
}

template <RowOf<MarkView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("time_s", row.time_s);
  visit("text", row.text);
  visit("user", row.user);
}

template <RowOf<SampleView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("event", row.event);
  visit("ordinal", row.ordinal);
  visit("time_s", row.time_s);
  visit("cpu", row.cpu);
  visit("pid", row.pid);
  visit("task", row.task);
  visit("fields", row.fields);
}

template <RowOf<StackView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("event", row.event);
  visit("count", row.count);
  visit("frames", row.frames);
}

template <RowOf<CapabilityView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("name", row.name);
  visit("ability", row.ability);
  visit("detail", row.detail);
  visit("advice", row.advice);
}

template <RowOf<ModuleView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("name", row.name);
  visit("loaded", row.loaded);
  visit("built_in", row.built_in);
  visit("functions", row.functions);
  visit("hint", row.hint);
}

template <RowOf<FunctionView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("name", row.name);
  visit("module", row.module);
}

template <RowOf<EventView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("name", row.name);
  visit("id", row.id);
  visit("print", row.print);
}

template <RowOf<EventFieldView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("name", row.name);
  visit("type", row.type);
  visit("offset", row.offset, "_bytes");
  visit("size", row.size, "_bytes");
  visit("signed", row.is_signed);
  visit("values", row.values);
}

template <RowOf<TracerView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("name", row.name);
  visit("current", row.current);
}

}  // namespace netperfctl
