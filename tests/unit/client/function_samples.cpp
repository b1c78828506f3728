// SPDX-License-Identifier: GPL-2.0-or-later
// Views of runs with traced functions: an HSR ring over veth under iperf3, and everything that can go wrong
// with it.
#include <array>
#include <cmath>
#include <string>

#include "tests/unit/client/samples.hpp"

namespace netperfctl::samples {
namespace {

constexpr double kEntryNs = 112.4;
constexpr double kCalleeNs = 163.8;
constexpr std::uint64_t kPackets = 71'320;
constexpr std::uint64_t kGoodput = 101'340'000;

// Means per call: self time without the tracer's cost, number of traced callees, and total time.
struct Row {
  const char* name;
  std::uint64_t hits;
  double self, callees, total;
};

constexpr std::array<Row, 20> kRing{{{"hsr_get_node", 142'644, 1'050, 1, 1'460},
                                     {"hsr_forward_skb", 142'636, 601, 6.5, 9'870},
                                     {"hsr_addr_is_self", 213'966, 312, 1, 730},
                                     {"hsr_dev_xmit", 71'322, 702, 1, 12'400},
                                     {"hsr_create_tagged_frame", 142'640, 348, 1, 2'190},
                                     {"hsr_register_frame_out", 213'961, 204, 0, 317},
                                     {"hsr_handle_frame", 142'580, 288, 3, 6'020},
                                     {"hsr_fill_frame_info", 142'636, 240, 1, 780},
                                     {"hsr_port_get_hsr", 427'932, 66, 0, 179},
                                     {"hsr_drop_frame", 142'640, 180, 0, 293},
                                     {"hsr_addr_subst_dest", 142'640, 164, 1, 604},
                                     {"hsr_addr_subst_source", 71'314, 178, 0, 291},
                                     {"hsr_get_untagged_frame", 71'266, 131, 0, 244},
                                     {"is_supervision_frame.isra.0", 142'636, 48, 0, 161},
                                     {"hsr_invalid_dan_ingress_frame", 142'580, 30, 0, 143},
                                     {"hsr_register_frame_in", 71'290, 12, 0, 125},
                                     {"hsr_announce", 22, 5'400, 2, 41'300},
                                     {"hsr_prune_nodes", 4, 3'900, 1, 4'350},
                                     {"hsr_is_node_in_db", 44, 0, 0, 96},
                                     {"hsr_get_max_mtu", 1, 2'140, 0, 2'253}}};

std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(std::llround(value));
}

FunctionStatsView stats(const Row& row) {
  const auto hits = static_cast<double>(row.hits);
  FunctionStatsView view;
  view.function = row.name;
  view.module = "hsr";
  view.hits = row.hits;
  view.callees = whole(row.callees * hits);
  view.corrected_self_ns = whole(row.self * hits);
  view.self_ns = whole((row.self + kEntryNs + row.callees * kCalleeNs) * hits);
  if (row.self == 0) view.self_ns = whole(96 * hits);
  view.total_ns = whole(row.total * hits);
  view.recorded_ns = whole(row.total * hits * 1.03);
  view.interrupted_ns = whole(row.total * hits * 0.03);
  view.off_cpu_ns = 0;
  const bool is_root = std::string{row.name} == "hsr_dev_xmit" || std::string{row.name} == "hsr_handle_frame";
  view.interruptions = row.hits / 100;
  view.roots = is_root ? row.hits : 0;
  view.interrupt_roots = std::string{row.name} == "hsr_handle_frame" ? row.hits - 71'300 : 0;
  view.min_ns = whole(row.total * 0.62);
  view.p50_ns = whole(row.total * 0.94);
  view.p90_ns = whole(row.total * 1.21);
  if (row.hits >= 1'000) view.p99_ns = whole(row.total * 1.58);
  if (row.hits >= 10'000) view.p999_ns = whole(row.total * 4.4);
  view.max_ns = whole(row.total * 96);
  view.bucket_ns = {*view.min_ns, *view.p50_ns, *view.p90_ns, *view.max_ns};
  view.bucket_calls = {row.hits / 4, row.hits / 2, row.hits / 8, 1};
  view.self_ns_per_call = row.self;
  view.self_ns_per_byte = row.self * hits / static_cast<double>(kGoodput);
  view.calls_per_packet = hits / static_cast<double>(kPackets);
  return view;
}

FunctionSlicesView slices(const Row& row) {
  FunctionSlicesView view;
  view.function = row.name;
  view.module = "hsr";
  view.hits.emplace();
  view.self_ns.emplace();
  // The throughput of tcp(), in slices of half a second; the omitted second is slow.
  constexpr std::array<double, 22> kLoad{0.1,  0.2, 0.9,  0.92, 0.97, 0.96, 1,    1.01, 1,    0.99, 0.96,
                                         0.95, 1,   1.01, 1.01, 1.01, 1.03, 1.04, 1,    0.99, 1.01, 1.0};
  constexpr double kSum = 20.06;
  for (const double load : kLoad) {
    const double hits = std::floor(static_cast<double>(row.hits) * load / kSum);
    view.hits->push_back(whole(hits));
    view.self_ns->push_back(whole(hits * (row.self + kEntryNs + row.callees * kCalleeNs)));
  }
  return view;
}

CallNodeView node(std::uint32_t depth, const char* function, std::uint64_t hits, double total, double self) {
  CallNodeView view;
  view.depth = depth;
  view.function = function;
  view.module = "hsr";
  view.in_interrupt = false;
  view.hits = hits;
  view.total_ns = whole(total * static_cast<double>(hits));
  view.self_ns = whole(self * static_cast<double>(hits));
  return view;
}

CallEdgeView edge(const char* caller, const char* callee, std::uint64_t hits, double total) {
  return {.caller = caller,
          .caller_module = "hsr",
          .caller_duplicate = {},
          .callee = callee,
          .callee_module = "hsr",
          .callee_duplicate = {},
          .hits = hits,
          .total_ns = whole(total * static_cast<double>(hits))};
}

std::vector<CallNodeView> tree() {
  std::vector<CallNodeView> nodes{node(0, "hsr_dev_xmit", 71'322, 12'400, 978),
                                  node(1, "hsr_forward_skb", 71'322, 11'258, 2'010),
                                  node(2, "hsr_create_tagged_frame", 142'640, 2'190, 624),
                                  node(3, "hsr_addr_subst_dest", 142'640, 604, 440),
                                  node(2, "hsr_get_node", 71'322, 1'460, 1'326),
                                  node(3, "hsr_addr_is_self", 71'322, 134, 134),
                                  node(2, "hsr_port_get_hsr", 71'322, 3.2, 3.2),
                                  node(0, "hsr_handle_frame", 71'280, 6'020, 890),
                                  node(1, "hsr_forward_skb", 71'280, 4'610, 1'640),
                                  node(2, "hsr_get_node", 71'280, 1'460, 1'326),
                                  node(0, "hsr_announce", 22, 41'300, 5'840),
                                  node(1, "hsr_is_node_in_db", 44, 96, 96)};
  nodes[7].in_interrupt = true;
  return nodes;
}

std::vector<CallEdgeView> edges() {
  return {edge("hsr_dev_xmit", "hsr_forward_skb", 71'322, 11'258),
          edge("hsr_handle_frame", "hsr_forward_skb", 71'314, 4'610),
          edge("hsr_forward_skb", "hsr_create_tagged_frame", 142'640, 2'190),
          edge("hsr_forward_skb", "hsr_get_node", 142'644, 1'460),
          edge("hsr_get_node", "hsr_addr_is_self", 142'644, 730),
          edge("hsr_handle_frame", "hsr_addr_is_self", 71'322, 730)};
}

std::vector<BuildView> builds() {
  return {{.module = {},
           .release = "6.12.117+deb13-amd64",
           .build_id = "1a2b3c4de5f60718293a4b5c6d7e8f9001122334",
           .srcversion = {}},
          {.module = "hsr",
           .release = {},
           .build_id = "3f9c21d0aa5566778899aabbccddeeff00112233",
           .srcversion = {}}};
}

ProfileView profile_of(const ProfileDetails& details) {
  ProfileView profile;
  profile.functions = details.functions.size();
  profile.edges = details.edges.size();
  profile.nodes = details.tree.size();
  profile.hits = profile.self_ns = profile.corrected_self_ns = 0;
  for (const FunctionStatsView& function : details.functions) {
    *profile.hits += *function.hits;
    *profile.self_ns += *function.self_ns;
    *profile.corrected_self_ns += *function.corrected_self_ns;
  }
  profile.timed = true;
  profile.slice_s = 0.5;
  profile.sleep_in_recorded = false;
  profile.off_cpu_known = true;
  profile.calibration_entry_ns = kEntryNs;
  profile.calibration_callee_ns = kCalleeNs;
  profile.calibration_calls = 10'000;
  profile.goodput_bytes = kGoodput;
  profile.packets = kPackets;
  profile.packet_bytes = 105'981'520;
  profile.packet_device = "hsr0";
  profile.packet_netns = "ring-a";
  profile.packet_direction = "tx";
  for (auto* count : {&profile.open_at_start, &profile.open_at_end, &profile.unmatched_exits,
                      &profile.unmatched_entries, &profile.over_losses, &profile.depth_overruns,
                      &profile.clipped, &profile.out_of_order, &profile.tree_overflow}) {
    *count = 0;
  }
  return profile;
}

}  // namespace

ShowView ring() {
  ShowView view = tcp();
  RunView& run = view.details.run;
  run.streams = 4;
  run.workload = "iperf3";
  run.trace_events = 4'749'720;
  run.trace_lost = 0;
  run.documents = {"client.stdout", "client.stderr", "trace.dat"};
  view.trace.emplace();
  view.trace->trace.clock = "mono";
  view.trace->trace.buffer_bytes = 8'388'608;
  view.trace->trace.functions = 73;
  view.trace->trace.slice_s = 0.5;
  view.trace->trace.events = run.trace_events;
  view.trace->trace.lost = 0;
  view.functions.emplace();
  ProfileDetails& details = *view.functions;
  std::uint64_t hits = 0;
  std::vector<std::uint64_t> calls(22);
  for (const Row& row : kRing) {
    details.functions.push_back(stats(row));
    details.slices.push_back(slices(row));
    hits += row.hits;
    for (std::size_t i = 0; i < calls.size(); ++i) calls[i] += details.slices.back().hits->at(i);
  }
  for (const char* event : {"ftrace:funcgraph_exit", "ftrace:funcgraph_entry"})
    view.trace->events.push_back({.event = event, .filter = {}, .count = hits, .slices = calls});
  details.edges = edges();
  details.tree = tree();
  details.builds = builds();
  details.profile = profile_of(details);
  return view;
}

ShowView ring_damaged() {
  ShowView view = ring();
  view.trace->trace.lost = view.details.run.trace_lost = 12'011;
  view.trace->cpus.push_back({.cpu = 0,
                              .records = 4'737'000,
                              .bytes = 198'000'000,
                              .lost_events = 12'011,
                              .overrun = 12'011,
                              .commit_overrun = 0,
                              .dropped_events = 0,
                              .damaged = 0});
  ProfileView& profile = view.functions->profile;
  profile.open_at_start = 3;
  profile.open_at_end = 1;
  profile.unmatched_exits = 412;
  profile.unmatched_entries = 398;
  profile.over_losses = 27;
  profile.depth_overruns = 5;
  profile.clipped = 2;
  profile.out_of_order = 9;
  profile.tree_overflow = 1'204;
  profile.depth = 3;
  profile.off_cpu_known = false;
  return view;
}

ShowView ring_uncalibrated() {
  ShowView view = ring();
  ProfileView& profile = view.functions->profile;
  profile.corrected_self_ns.reset();
  profile.calibration_entry_ns.reset();
  profile.calibration_callee_ns.reset();
  profile.calibration_calls.reset();
  profile.not_calibrated = "another session was tracing while it was to be measured";
  profile.packets.reset();
  profile.packet_bytes.reset();
  profile.packet_device.reset();
  profile.packet_netns.reset();
  profile.packet_direction.reset();
  for (FunctionStatsView& function : view.functions->functions) {
    function.corrected_self_ns.reset();
    function.calls_per_packet.reset();
    const double self = static_cast<double>(*function.self_ns);
    function.self_ns_per_call = self / static_cast<double>(*function.hits);
    function.self_ns_per_byte = self / static_cast<double>(kGoodput);
  }
  return view;
}

ShowView mixed() {
  ShowView view = ring();
  ProfileDetails& details = *view.functions;
  details.functions.resize(4);
  details.functions[1].function = "skb_clone";
  details.functions[1].module.reset();
  details.functions[2].function = "nf_hook_entries_grow.constprop.0_with_a_tail";
  details.functions[2].duplicate = 2;
  details.functions[3].module = "veth";
  details.profile.functions = 4;
  details.builds.push_back(
      {.module = "veth", .release = {}, .build_id = {}, .srcversion = "A1B2C3D4E5F60718"});
  details.slices.clear();
  return view;
}

ShowView imported() {
  ShowView view;
  RunView& run = view.details.run;
  run.run = 51;
  run.job = 19;
  run.index = run.repeat = 1;
  run.scenario = "import";
  run.label = "from the lab";
  run.state = "finished";
  run.owner = 1000;
  run.created_us = run.ended_us = kNow - 2 * kMinute;
  run.flags = 0;
  run.workload = "import";
  run.files = {"hsr.dat"};
  run.measured_us = kNow - 26 * 60 * kMinute;
  run.measured_by = "file";
  const ShowView traced = ring();
  run.trace_events = traced.details.run.trace_events;
  run.trace_lost = 0;
  view.trace = traced.trace;
  view.trace->trace.functions.reset();
  view.functions = ring_uncalibrated().functions;
  ProfileView& profile = view.functions->profile;
  profile.not_calibrated = "what the tracer cost where it was recorded is not known";
  profile.goodput_bytes.reset();
  for (FunctionStatsView& function : view.functions->functions) function.self_ns_per_byte.reset();
  view.functions->builds.clear();
  return view;
}

TraceProgressView function_progress() {
  return {.seconds = 1.0,
          .lost = 0,
          .events = {{.event = "ftrace:funcgraph_exit", .filter = {}, .count = 233'445, .slices = {}},
                     {.event = "ftrace:funcgraph_entry", .filter = {}, .count = 233'440, .slices = {}},
                     {.event = "skb:kfree_skb", .filter = {}, .count = 1'204, .slices = {}}},
          .functions = {{"hsr_port_get_hsr", 38'903},
                        {"hsr_addr_is_self", 19'451},
                        {"hsr_register_frame_out", 19'451},
                        {"hsr_get_node", 12'967},
                        {"hsr_forward_skb", 12'966}}};
}

}  // namespace netperfctl::samples
