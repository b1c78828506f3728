// SPDX-License-Identifier: GPL-2.0-or-later
// Every figure in the column of its name. The store writes and reads by one description, so what these tests
// expect is written out by hand: distinct values, and SQL that names each column.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

class GoldenColumns : public StoreTest {
 protected:
  GoldenColumns() { open(); }

  RunId finish(const std::function<void(RunRecord&)>& fill) {
    const RunId run = run_under_way(a_job());
    RunRecord record = a_record(run, 0, 0);
    record.workload.report.sums.clear();
    fill(record);
    must(store->finish(record));
    return run;
  }
  std::string column(const std::string& name, const std::string& table) {
    return ask(path(), "SELECT " + name + " FROM " + table);
  }
};

Totals golden_totals() {
  Totals totals;
  totals.direction = Direction::receive;
  totals.stream = 5;
  totals.seconds = 10.5;
  totals.sent_bytes = 101;
  totals.received_bytes = 102;
  totals.sent_bits_per_second = 103.5;
  totals.received_bits_per_second = 104.5;
  totals.retransmits = 105;
  totals.max_snd_cwnd = 106;
  totals.min_rtt = 107;
  totals.mean_rtt = 108;
  totals.max_rtt = 109;
  totals.jitter_ms = 110.5;
  totals.packets = 111;
  totals.lost_packets = -112;
  totals.lost_percent = 113.5;
  totals.out_of_order = 114;
  return totals;
}

TEST_F(GoldenColumns, hold_the_figures_of_a_sum_and_of_a_stream) {
  const RunId run = finish([](RunRecord& record) {
    record.workload.report.streams = {golden_totals()};
    Totals sum = golden_totals();
    sum.stream.reset();
    record.workload.report.sums = {sum};
  });
  for (const std::string table : {"sums", "streams"}) {
    EXPECT_EQ(column("direction", table), "receive") << table;
    EXPECT_EQ(column("seconds", table), "10.5") << table;
    EXPECT_EQ(column("sent_bytes", table), "101") << table;
    EXPECT_EQ(column("received_bytes", table), "102") << table;
    EXPECT_EQ(column("sent_bits_per_second", table), "103.5") << table;
    EXPECT_EQ(column("received_bits_per_second", table), "104.5") << table;
    EXPECT_EQ(column("retransmits", table), "105") << table;
    EXPECT_EQ(column("max_snd_cwnd", table), "106") << table;
    EXPECT_EQ(column("min_rtt", table), "107") << table;
    EXPECT_EQ(column("mean_rtt", table), "108") << table;
    EXPECT_EQ(column("max_rtt", table), "109") << table;
    EXPECT_EQ(column("jitter_ms", table), "110.5") << table;
    EXPECT_EQ(column("packets", table), "111") << table;
    EXPECT_EQ(column("lost_packets", table), "-112") << table;
    EXPECT_EQ(column("lost_percent", table), "113.5") << table;
    EXPECT_EQ(column("out_of_order", table), "114") << table;
  }
  EXPECT_EQ(column("stream", "streams"), "5");
  EXPECT_EQ(must(store->streams(run)).at(0), golden_totals());
  Totals sum = golden_totals();
  sum.stream.reset();
  EXPECT_EQ(must(store->run(run)).sums.at(0), sum);
}

TEST_F(GoldenColumns, hold_the_figures_of_an_interval) {
  Interval interval;
  interval.direction = Direction::receive;
  interval.stream = 7;
  interval.sender = false;
  interval.omitted = true;
  interval.start_s = 1.25;
  interval.end_s = 2.5;
  interval.seconds = 1.125;
  interval.bytes = 201;
  interval.bits_per_second = 202.5;
  interval.retransmits = 203;
  interval.snd_cwnd = 204;
  interval.rtt = 205;
  interval.rttvar = 206;
  interval.pmtu = 207;
  interval.jitter_ms = 208.5;
  interval.packets = 209;
  interval.lost_packets = -210;
  interval.lost_percent = 211.5;
  const RunId run = finish([&](RunRecord& record) { record.workload.report.intervals = {interval}; });
  EXPECT_EQ(column("direction", "intervals"), "receive");
  EXPECT_EQ(column("stream", "intervals"), "7");
  EXPECT_EQ(column("sender", "intervals"), "0");
  EXPECT_EQ(column("omitted", "intervals"), "1");
  EXPECT_EQ(column("start_s", "intervals"), "1.25");
  EXPECT_EQ(column("end_s", "intervals"), "2.5");
  EXPECT_EQ(column("seconds", "intervals"), "1.125");
  EXPECT_EQ(column("bytes", "intervals"), "201");
  EXPECT_EQ(column("bits_per_second", "intervals"), "202.5");
  EXPECT_EQ(column("retransmits", "intervals"), "203");
  EXPECT_EQ(column("snd_cwnd", "intervals"), "204");
  EXPECT_EQ(column("rtt", "intervals"), "205");
  EXPECT_EQ(column("rttvar", "intervals"), "206");
  EXPECT_EQ(column("pmtu", "intervals"), "207");
  EXPECT_EQ(column("jitter_ms", "intervals"), "208.5");
  EXPECT_EQ(column("packets", "intervals"), "209");
  EXPECT_EQ(column("lost_packets", "intervals"), "-210");
  EXPECT_EQ(column("lost_percent", "intervals"), "211.5");
  EXPECT_EQ(must(store->intervals(run, "", 0)).rows.at(0), interval);
}

TraceRecord golden_trace() {
  TraceRecord trace;
  trace.clock = "mono";
  trace.cpus = {{.cpu = 3,
                 .records = 301,
                 .bytes = 302,
                 .lost_events = 303,
                 .overrun = 304,
                 .commit_overrun = 305,
                 .dropped_events = 306,
                 .damaged = 307}};
  return trace;
}

TEST_F(GoldenColumns, hold_the_figures_of_a_cpu) {
  (void)finish([](RunRecord& record) { record.trace = golden_trace(); });
  EXPECT_EQ(column("cpu", "trace_cpus"), "3");
  EXPECT_EQ(column("records", "trace_cpus"), "301");
  EXPECT_EQ(column("bytes", "trace_cpus"), "302");
  EXPECT_EQ(column("lost_events", "trace_cpus"), "303");
  EXPECT_EQ(column("overrun", "trace_cpus"), "304");
  EXPECT_EQ(column("commit_overrun", "trace_cpus"), "305");
  EXPECT_EQ(column("dropped_events", "trace_cpus"), "306");
  EXPECT_EQ(column("damaged", "trace_cpus"), "307");
}

FunctionStats golden_function() {
  FunctionStats function;
  function.name = "hsr_rx";
  function.module = "hsr";
  function.duplicate = 2;
  function.hits = 401;
  function.total_ns = 402;
  function.self_ns = 403;
  function.recorded_ns = 404;
  function.interrupted_ns = 405;
  function.off_cpu_ns = 406;
  function.callees = 407;
  function.interruptions = 408;
  function.roots = 409;
  function.interrupt_roots = 410;
  function.min_ns = 411;
  function.max_ns = 416;
  function.p50_ns = 412;
  function.p90_ns = 413;
  function.p99_ns = 414;
  function.p999_ns = 415;
  function.histogram.buckets = {{3, 401}};
  function.corrected_self_ns = 417;
  function.slice_hits = {418};
  function.slice_self_ns = {419};
  return function;
}

FunctionProfile golden_profile() {
  FunctionProfile profile;
  profile.functions = {golden_function()};
  profile.edges = {{.caller = 0, .callee = 0, .hits = 501, .total_ns = 502}};
  profile.tree = {
      {.parent = {}, .function = 0, .in_interrupt = true, .hits = 511, .total_ns = 512, .self_ns = 513}};
  profile.damage = {.open_at_start = 521,
                    .open_at_end = 522,
                    .unmatched_exits = 523,
                    .unmatched_entries = 524,
                    .over_losses = 525,
                    .depth_overruns = 526,
                    .clipped = 527,
                    .out_of_order = 528,
                    .tree_overflow = 529};
  profile.slice_ns = 530;
  profile.sleep_in_recorded = true;
  profile.off_cpu_known = false;
  profile.depth = 531;
  profile.calibration = Calibration{
      .entry_ns = 532.5, .callee_ns = 533.5, .calls = 534, .entry_error_ns = 535.5, .callee_error_ns = 536.5};
  profile.not_calibrated = "not so";
  profile.builds = {{.module = "hsr", .release = "6.12", .build_id = "c0ffee", .srcversion = "A1"}};
  return profile;
}

TEST_F(GoldenColumns, hold_the_figures_of_a_function) {
  const RunId run = finish([](RunRecord& record) {
    record.trace = golden_trace();
    record.trace->profile = golden_profile();
  });
  EXPECT_EQ(column("name", "functions"), "hsr_rx");
  EXPECT_EQ(column("module", "functions"), "hsr");
  EXPECT_EQ(column("duplicate", "functions"), "2");
  EXPECT_EQ(column("hits", "functions"), "401");
  EXPECT_EQ(column("total_ns", "functions"), "402");
  EXPECT_EQ(column("self_ns", "functions"), "403");
  EXPECT_EQ(column("recorded_ns", "functions"), "404");
  EXPECT_EQ(column("interrupted_ns", "functions"), "405");
  EXPECT_EQ(column("off_cpu_ns", "functions"), "406");
  EXPECT_EQ(column("callees", "functions"), "407");
  EXPECT_EQ(column("interruptions", "functions"), "408");
  EXPECT_EQ(column("roots", "functions"), "409");
  EXPECT_EQ(column("interrupt_roots", "functions"), "410");
  EXPECT_EQ(column("min_ns", "functions"), "411");
  EXPECT_EQ(column("max_ns", "functions"), "416");
  EXPECT_EQ(column("p50_ns", "functions"), "412");
  EXPECT_EQ(column("p90_ns", "functions"), "413");
  EXPECT_EQ(column("p99_ns", "functions"), "414");
  EXPECT_EQ(column("p999_ns", "functions"), "415");
  EXPECT_EQ(column("corrected_self_ns", "functions"), "417");
  EXPECT_EQ(column("histogram", "functions"), "[[3,401]]");
  EXPECT_EQ(column("slice_hits", "functions"), "[418]");
  EXPECT_EQ(column("slice_self_ns", "functions"), "[419]");
  EXPECT_EQ(must(whole_profile(*store, run)).functions.at(0), golden_function());
}

TEST_F(GoldenColumns, hold_the_figures_of_calls_and_of_the_profile) {
  const RunId run = finish([](RunRecord& record) {
    record.trace = golden_trace();
    record.trace->profile = golden_profile();
  });
  EXPECT_EQ(column("hits", "call_edges"), "501");
  EXPECT_EQ(column("total_ns", "call_edges"), "502");
  EXPECT_EQ(column("in_interrupt", "call_nodes"), "1");
  EXPECT_EQ(column("hits", "call_nodes"), "511");
  EXPECT_EQ(column("total_ns", "call_nodes"), "512");
  EXPECT_EQ(column("self_ns", "call_nodes"), "513");
  const std::string profiles = "function_profiles";
  EXPECT_EQ(column("open_at_start", profiles), "521");
  EXPECT_EQ(column("open_at_end", profiles), "522");
  EXPECT_EQ(column("unmatched_exits", profiles), "523");
  EXPECT_EQ(column("unmatched_entries", profiles), "524");
  EXPECT_EQ(column("over_losses", profiles), "525");
  EXPECT_EQ(column("depth_overruns", profiles), "526");
  EXPECT_EQ(column("clipped", profiles), "527");
  EXPECT_EQ(column("out_of_order", profiles), "528");
  EXPECT_EQ(column("tree_overflow", profiles), "529");
  EXPECT_EQ(column("slice_ns", profiles), "530");
  EXPECT_EQ(column("timed", profiles), "1");
  EXPECT_EQ(column("sleep_in_recorded", profiles), "1");
  EXPECT_EQ(column("off_cpu_known", profiles), "0");
  EXPECT_EQ(column("depth", profiles), "531");
  EXPECT_EQ(column("calibration_entry_ns", profiles), "532.5");
  EXPECT_EQ(column("calibration_callee_ns", profiles), "533.5");
  EXPECT_EQ(column("calibration_calls", profiles), "534");
  EXPECT_EQ(column("calibration_entry_error_ns", profiles), "535.5");
  EXPECT_EQ(column("calibration_callee_error_ns", profiles), "536.5");
  EXPECT_EQ(column("not_calibrated", profiles), "not so");
  EXPECT_EQ(column("module", "builds"), "hsr");
  EXPECT_EQ(column("release", "builds"), "6.12");
  EXPECT_EQ(column("build_id", "builds"), "c0ffee");
  EXPECT_EQ(column("srcversion", "builds"), "A1");
  EXPECT_EQ(must(whole_profile(*store, run)), golden_profile());
}

TEST_F(GoldenColumns, hold_the_figures_of_a_trace) {
  (void)finish([](RunRecord& record) {
    TraceRecord& trace = record.trace.emplace();
    trace.skipped = "a reason";
    trace.broken = "an event";
    trace.clock = "mono";
    trace.buffer_bytes = 601;
    trace.functions = 602;
    trace.workload_only = true;
    trace.slice_width = std::chrono::nanoseconds{603};
    trace.stacks_left_out = 604;
    trace.recording_left_out = 605;
  });
  EXPECT_EQ(column("skipped", "traces"), "a reason");
  EXPECT_EQ(column("broken", "traces"), "an event");
  EXPECT_EQ(column("clock", "traces"), "mono");
  EXPECT_EQ(column("buffer_bytes", "traces"), "601");
  EXPECT_EQ(column("functions", "traces"), "602");
  EXPECT_EQ(column("workload_only", "traces"), "1");
  EXPECT_EQ(column("slice_width_ns", "traces"), "603");
  EXPECT_EQ(column("stacks_left_out", "traces"), "604");
  EXPECT_EQ(column("recording_left_out", "traces"), "605");
}

TEST_F(GoldenColumns, hold_what_was_traced) {
  (void)finish([](RunRecord& record) {
    TraceRecord& trace = record.trace.emplace();
    trace.events = {{.name = "net:x", .filter = "len > 1", .count = 611, .slices = {}}};
    trace.samples = {{.event = "net:x",
                      .ordinal = 612,
                      .time_ns = -613,
                      .cpu = 4,
                      .pid = 615,
                      .task = "iperf3",
                      .fields = {{.name = "len", .value = std::uint64_t{616}, .text = "long"}}}};
    trace.stacks = {{.event = "net:x", .frames = {"inner", "outer"}, .count = 617}};
    trace.drops = {{.reason = "NO_SOCKET", .location = "ip_rcv", .count = 618}};
    trace.marks = {{.time_ns = 619, .text = "here", .user = true}};
  });
  EXPECT_EQ(column("name", "trace_events"), "net:x");
  EXPECT_EQ(column("filter", "trace_events"), "len > 1");
  EXPECT_EQ(column("count", "trace_events"), "611");
  EXPECT_EQ(column("event", "trace_samples"), "net:x");
  EXPECT_EQ(column("ordinal", "trace_samples"), "612");
  EXPECT_EQ(column("time_ns", "trace_samples"), "-613");
  EXPECT_EQ(column("cpu", "trace_samples"), "4");
  EXPECT_EQ(column("pid", "trace_samples"), "615");
  EXPECT_EQ(column("task", "trace_samples"), "iperf3");
  EXPECT_EQ(column("name", "trace_sample_fields"), "len");
  EXPECT_EQ(column("value", "trace_sample_fields"), "616");
  EXPECT_EQ(column("text", "trace_sample_fields"), "long");
  EXPECT_EQ(column("event", "trace_stacks"), "net:x");
  EXPECT_EQ(column("frames", "trace_stacks"), "inner\nouter");
  EXPECT_EQ(column("count", "trace_stacks"), "617");
  EXPECT_EQ(column("reason", "trace_drops"), "NO_SOCKET");
  EXPECT_EQ(column("location", "trace_drops"), "ip_rcv");
  EXPECT_EQ(column("count", "trace_drops"), "618");
  EXPECT_EQ(column("time_ns", "trace_marks"), "619");
  EXPECT_EQ(column("text", "trace_marks"), "here");
  EXPECT_EQ(column("user", "trace_marks"), "1");
}

TEST_F(GoldenColumns, hold_the_ends_of_calls) {
  (void)finish([](RunRecord& record) {
    record.trace = golden_trace();
    FunctionProfile& profile = record.trace->profile.emplace(golden_profile());
    profile.functions = {golden_function(), golden_function(), golden_function()};
    profile.functions[1].name = "second";
    profile.functions[2].name = "third";
    profile.edges = {{.caller = 1, .callee = 2, .hits = 1, .total_ns = 1}};
    profile.tree = {
        {.parent = {}, .function = 2, .in_interrupt = false, .hits = 1, .total_ns = 1, .self_ns = 1},
        {.parent = 0, .function = 1, .in_interrupt = false, .hits = 1, .total_ns = 1, .self_ns = 1}};
  });
  EXPECT_EQ(column("caller", "call_edges"), "1");
  EXPECT_EQ(column("callee", "call_edges"), "2");
  EXPECT_EQ(ask(path(), "SELECT function FROM call_nodes WHERE parent IS NULL"), "2");
  EXPECT_EQ(ask(path(), "SELECT function FROM call_nodes WHERE parent = 0"), "1");
}

TEST_F(GoldenColumns, hold_counters_and_samples_of_tcp) {
  (void)finish([](RunRecord& record) {
    Counters& counters = record.counters.emplace();
    counters.deltas = {{.source = "nic", .netns = "left", .name = "tx", .delta = 701, .unit = "bytes"}};
    TcpSample& sample = counters.tcp.emplace_back();
    sample.time = std::chrono::microseconds{702};
    sample.local_port = 703;
    sample.remote_port = 704;
    sample.snd_cwnd = 705;
    sample.rtt_us = 706;
    sample.rttvar_us = 707;
    sample.retransmits = 708;
    sample.delivery_rate_bps = 709;
    sample.pacing_rate_bps = 710;
  });
  EXPECT_EQ(column("source", "counters"), "nic");
  EXPECT_EQ(column("netns", "counters"), "left");
  EXPECT_EQ(column("name", "counters"), "tx");
  EXPECT_EQ(column("delta", "counters"), "701");
  EXPECT_EQ(column("unit", "counters"), "bytes");
  EXPECT_EQ(column("time_us", "tcp_samples"), "702");
  EXPECT_EQ(column("local_port", "tcp_samples"), "703");
  EXPECT_EQ(column("remote_port", "tcp_samples"), "704");
  EXPECT_EQ(column("snd_cwnd", "tcp_samples"), "705");
  EXPECT_EQ(column("rtt_us", "tcp_samples"), "706");
  EXPECT_EQ(column("rttvar_us", "tcp_samples"), "707");
  EXPECT_EQ(column("retransmits", "tcp_samples"), "708");
  EXPECT_EQ(column("delivery_rate_bps", "tcp_samples"), "709");
  EXPECT_EQ(column("pacing_rate_bps", "tcp_samples"), "710");
}

}  // namespace
}  // namespace netperfd::store
