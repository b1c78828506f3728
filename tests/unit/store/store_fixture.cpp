// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/store/store_fixture.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/store/sqlite.hpp"
#include "daemon/workload/job/traits.hpp"

namespace netperfd::store {

StoreTest::StoreTest() {
  auto pattern = (std::filesystem::temp_directory_path() / "netperfd-store-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
  folder = pattern;
}

StoreTest::~StoreTest() {
  store.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

void StoreTest::open(std::uint64_t min_free_bytes) {
  static std::string made;  // the bytes of a store without a job
  store.reset();
  if (!std::filesystem::exists(path())) {
    if (made.empty()) {
      must(SqliteStore::open(path(), 0)).reset();
      std::ifstream file(path(), std::ios::binary);
      made.assign(std::istreambuf_iterator<char>{file}, {});
    } else {
      std::ofstream(path(), std::ios::binary) << made;
    }
  }
  store = must(SqliteStore::open(path(), min_free_bytes));
}

RunId StoreTest::run_under_way(const JobSpec& spec, WallTime now) {
  const auto job = must(add_job(*store, spec, 1000, now));
  bring_to_collecting(*store, job.runs.front());
  return job.runs.front();
}

RunId StoreTest::store_job(const JobSpec& spec, RunState state, WallTime now) {
  const auto job = must(add_job(*store, spec, 1000, now));
  for (const auto run : job.runs) {
    bring_to_collecting(*store, run);
    auto record = a_record(run, 1, 2);
    record.state = state;
    must(store->finish(record));
  }
  return job.runs.back();
}

JobSpec a_job(const std::string& name, const std::string& label) {
  JobSpec spec;
  spec.workload = workload::traits_of("iperf3");
  spec.name = name;
  spec.label = label;
  spec.description = "TCP between two namespaces";
  spec.text = "name: " + name + "\n";
  spec.test.path.server = "10.0.0.2";
  spec.test.path.local = LocalServer{.netns = "right", .bind = "10.0.0.2"};
  spec.test.path.netns = "left";
  spec.test.traffic.streams = 4;
  spec.test.traffic.duration = std::chrono::seconds{10};
  spec.test.traffic.omit = std::chrono::seconds{1};
  return spec;
}

namespace {

Totals some_totals() {
  return {.direction = Direction::send,
          .stream = std::nullopt,
          .seconds = 10.000213,
          .sent_bytes = 39'822'819'328,
          .received_bytes = 39'819'083'776,
          .sent_bits_per_second = 31857576888.25,
          .received_bits_per_second = 31842123456.75,
          .retransmits = 17,
          .max_snd_cwnd = 4'194'304,
          .min_rtt = 31,
          .mean_rtt = 54,
          .max_rtt = 411,
          .jitter_ms = 0.01625,
          .packets = 27'501'256,
          .lost_packets = 12,
          .lost_percent = 4.3634e-05,
          .out_of_order = 3};
}

// Row `row` of a TCP test: the streams of one second, then their sum. The figures vary from row to row like
// measured ones; otherwise the database would be unrealistically small.
Interval some_interval(std::size_t row, std::size_t streams) {
  const auto place = row % (streams + 1);
  const auto second = static_cast<double>(row - place) / static_cast<double>(streams + 1);
  Interval interval;
  interval.omitted = row == 0;
  interval.start_s = second + 0.000061;
  interval.end_s = second + 1.000058;
  interval.seconds = 0.999997;
  interval.bytes = 995'570'483 + 131'072 * row;
  interval.bits_per_second = 7964587753.137 + 1048579.25 * static_cast<double>(row);
  interval.retransmits = row % 3;
  if (place == streams) return interval;
  interval.stream = static_cast<std::int64_t>(5 + 2 * place);
  interval.snd_cwnd = 2'097'152 + 1448 * (row % 1000);
  interval.rtt = 50 + row % 200;
  interval.rttvar = 8 + row % 10;
  interval.pmtu = 1500;
  return interval;
}

}  // namespace

RunRecord a_record(RunId run, std::size_t streams, std::size_t interval_rows) {
  RunRecord record;
  record.id = run;
  record.state = RunState::finished;
  record.started = kMorning + std::chrono::seconds{1};
  record.ended = kMorning + std::chrono::seconds{12};
  record.workload.client_usage = ResourceUsage{.user = std::chrono::microseconds{120'034},
                                               .system = std::chrono::microseconds{4'310'221}};
  auto& report = record.workload.report;
  report.version = "3.12";
  report.client = Endpoint{.host = "10.0.0.1", .port = 41234};
  report.server = Endpoint{.host = "10.0.0.2", .port = 5201};
  report.mss_bytes = 1448;
  report.congestion = "cubic";
  report.cpu_client_percent = 97.25;
  report.cpu_server_percent = 41.5;
  report.sums.push_back(some_totals());
  for (std::size_t i = 0; i < streams; ++i) {
    report.streams.push_back(some_totals());
    report.streams.back().stream = static_cast<std::int64_t>(5 + 2 * i);
  }
  for (std::size_t row = 0; row < interval_rows; ++row)
    report.intervals.push_back(some_interval(row, streams));
  record.flags.push_back(
      {.code = "sum-mismatch", .message = "The streams add up to 17, not 16; 17 was used."});
  record.workload.documents = {{.name = "client.stdout", .bytes = "{\"start\": {}}\n"},
                               {.name = "client.stderr", .bytes = ""}};
  return record;
}

JobSpec a_watching_job() {
  JobSpec spec;
  spec.name = "watch";
  spec.description = "somebody else's traffic";
  spec.text = "name: watch\n";
  spec.workload = workload::traits_of("none");
  spec.trace = TraceSpec{};
  spec.trace->events = {{.name = "skb:kfree_skb", .filter = {}, .stacktrace = true}};
  return spec;
}

TraceRecord a_trace() {
  TraceRecord trace;
  trace.broken = "module hsr was unloaded";
  trace.clock = "mono";
  trace.buffer_bytes = 8 << 20;
  trace.functions = 73;
  trace.missing_functions = {"hsr_absent", "hsr_inlined"};
  trace.workload_only = true;
  trace.only_cpus = {3, 0};
  trace.slice_width = std::chrono::milliseconds{100};
  TraceCpu first;
  first.cpu = 0;
  first.records = 210;  // including stacks and marks
  first.bytes = 65'536;
  first.lost_events = 2;
  first.overrun = 7;
  TraceCpu second;
  second.cpu = 3;
  second.records = 21;
  second.bytes = 4096;
  second.commit_overrun = 1;
  second.dropped_events = 30;
  second.damaged = 4;
  trace.cpus = {first, second};
  trace.events = {
      {.name = "skb:kfree_skb", .filter = "reason != 'CONSUMED'", .count = 90, .slices = {0, 40, 0, 49}},
      {.name = "tcp:tcp_retransmit_skb", .filter = "", .count = 1, .slices = {}}};
  trace.samples = {{.event = "skb:kfree_skb",
                    .ordinal = 1,
                    .time_ns = -1'500,
                    .cpu = 3,
                    .pid = -1,
                    .task = "",
                    .fields = {{.name = "reason", .value = std::int64_t{2}, .text = "NOT_SPECIFIED"},
                               {.name = "location", .value = std::string{"tcp_v4_rcv+0x1c"}, .text = ""}}},
                   {.event = "tcp:tcp_retransmit_skb",
                    .ordinal = 1,
                    .time_ns = 17,
                    .cpu = 0,
                    .pid = 4711,
                    .task = "iperf3",
                    .fields = {}},
                   {.event = "skb:kfree_skb",
                    .ordinal = 90,
                    .time_ns = 399'999'999,
                    .cpu = 0,
                    .pid = 0,
                    .task = "swapper/0",
                    .fields = {}}};
  trace.stacks = {
      {.event = "skb:kfree_skb", .frames = {"kfree_skb+0x10", "hsr_handle+0x2c [hsr]"}, .count = 80},
      {.event = "skb:kfree_skb", .frames = {}, .count = 10}};
  trace.stacks_left_out = 5;
  trace.drops = {{.reason = "NO_SOCKET", .location = "tcp_v4_rcv", .count = 60},
                 {.reason = "NOT_SPECIFIED", .location = "ip_rcv", .count = 30}};
  trace.marks = {{.time_ns = 0, .text = "release", .user = false},
                 {.time_ns = 200'000'000, .text = "phase 2", .user = true}};
  return trace;
}

namespace {

// A function of `hits` calls with these self times; every other figure differs from those of the other
// functions.
FunctionStats a_function(const std::string& name, const std::string& module, std::uint64_t hits,
                         std::uint64_t self_ns, std::optional<std::uint64_t> corrected_self_ns) {
  FunctionStats function;
  function.name = name;
  function.module = module;
  function.hits = hits;
  function.total_ns = self_ns + 1;
  function.self_ns = self_ns;
  function.recorded_ns = self_ns + 2;
  function.interrupted_ns = 3;
  function.off_cpu_ns = 4;
  function.callees = 5;
  function.interruptions = 11;
  function.roots = 6;
  function.interrupt_roots = 7;
  function.min_ns = 8;
  function.max_ns = 900;
  function.p50_ns = 10;
  function.p90_ns = 90;
  function.p99_ns = 99;
  function.p999_ns = 999;
  function.histogram.buckets = {{8, hits - 1}, {899, 1}};
  function.corrected_self_ns = corrected_self_ns;
  function.slice_hits = {0, hits - 2, 0, 1};
  function.slice_self_ns = {0, self_ns - 9, 0, 9};
  return function;
}

}  // namespace

FunctionProfile a_profile() {
  FunctionProfile profile;
  profile.functions = {a_function("hsr_forward_skb", "hsr", 100, 600'000, 500'000),
                       a_function("hsr_get_node", "hsr", 200, 300'000, 250'000),
                       a_function("ip_rcv", "", 50, 100'000, std::nullopt)};
  profile.functions[1].duplicate = 2;
  profile.functions[2].histogram = {};
  profile.functions[2].slice_hits.clear();
  profile.functions[2].slice_self_ns.clear();
  profile.edges = {{.caller = 0, .callee = 1, .hits = 150, .total_ns = 200'000},
                   {.caller = 2, .callee = 1, .hits = 50, .total_ns = 100'000}};
  profile.tree = {
      {.parent = {},
       .function = 0,
       .in_interrupt = false,
       .hits = 99,
       .total_ns = 801'000,
       .self_ns = 601'000},
      {.parent = 0,
       .function = 1,
       .in_interrupt = false,
       .hits = 150,
       .total_ns = 202'000,
       .self_ns = 201'000},
      {.parent = 1, .function = 0, .in_interrupt = false, .hits = 1, .total_ns = 3000, .self_ns = 2000},
      {.parent = {},
       .function = 2,
       .in_interrupt = true,
       .hits = 50,
       .total_ns = 204'000,
       .self_ns = 104'000},
      {.parent = 3,
       .function = 1,
       .in_interrupt = false,
       .hits = 50,
       .total_ns = 106'000,
       .self_ns = 105'000}};
  profile.damage = {.open_at_start = 1,
                    .open_at_end = 2,
                    .unmatched_exits = 3,
                    .unmatched_entries = 4,
                    .over_losses = 5,
                    .depth_overruns = 6,
                    .clipped = 7,
                    .out_of_order = 8,
                    .tree_overflow = 9};
  profile.slice_ns = 100'000'000;
  profile.sleep_in_recorded = false;
  profile.off_cpu_known = false;
  profile.depth = 12;
  profile.calibration = Calibration{
      .entry_ns = 95.25, .callee_ns = 310.5, .calls = 10'000, .entry_error_ns = 1.5, .callee_error_ns = 2.5};
  profile.builds = {
      {.module = "", .release = "6.12.117+deb13-amd64", .build_id = "3f9c21d0", .srcversion = ""},
      {.module = "hsr", .release = "", .build_id = "71ab0c44", .srcversion = "0A1B2C"}};
  return profile;
}

TrafficCount some_traffic() {
  return {.goodput_bytes = 1'000'000,
          .packets = PacketCount{
              .device = "hsr0", .netns = "ring-a", .sent = true, .packets = 80, .bytes = 1'005'280}};
}

namespace {

// `ask(offset)` returns a part, `take(row)` receives each of its rows.
template <class Ask, class Take>
Status all_parts(Ask ask, Take take) {
  for (std::uint64_t offset = 0;;) {
    auto part = ask(offset);
    if (!part) return std::unexpected(part.error());
    for (auto& row : part->rows) take(std::move(row));
    offset += part->rows.size();
    if (part->rows.empty() || offset >= part->total) {
      EXPECT_EQ(offset, part->total);
      return {};
    }
  }
}

}  // namespace

Result<FunctionProfile> whole_profile(core::RunQueries& queries, RunId run, std::uint32_t limit) {
  auto summary = queries.profile(run);
  if (!summary) return std::unexpected(summary.error());
  FunctionProfile whole = std::move(summary->profile);
  const auto expect_named = [&](const core::FunctionName& name, std::uint32_t index) {
    const FunctionStats& function = whole.functions.at(index);
    EXPECT_EQ(std::tie(name.name, name.module, name.duplicate),
              std::tie(function.name, function.module, function.duplicate));
  };
  auto done = all_parts(
      [&](auto offset) { return queries.functions(run, offset, limit, {.histogram = true, .slices = true}); },
      [&](FunctionStats function) { whole.functions.push_back(std::move(function)); });
  if (done) {
    done = all_parts([&](auto offset) { return queries.call_edges(run, offset, limit); },
                     [&](const core::NamedEdge& edge) {
                       whole.edges.push_back(edge.edge);
                       expect_named(edge.caller, edge.edge.caller);
                       expect_named(edge.callee, edge.edge.callee);
                     });
  }
  std::vector<std::uint32_t> depths;
  if (done) {
    done = all_parts([&](auto offset) { return queries.call_nodes(run, offset, limit); },
                     [&](const core::NamedNode& node) {
                       whole.tree.push_back(node.node);
                       expect_named(node.function, node.node.function);
                       depths.push_back(node.node.parent ? depths.at(*node.node.parent) + 1 : 0);
                       EXPECT_EQ(node.depth, depths.back());
                     });
  }
  if (!done) return std::unexpected(done.error());
  EXPECT_EQ(std::tie(summary->functions, summary->edges, summary->nodes),
            std::tuple(whole.functions.size(), whole.edges.size(), whole.tree.size()));
  return whole;
}

void bring_to_collecting(core::RunStore& store, RunId run) {
  for (const auto state : {RunState::preparing, RunState::running, RunState::collecting}) {
    must(store.set_state(run, state));
  }
}

}  // namespace netperfd::store
