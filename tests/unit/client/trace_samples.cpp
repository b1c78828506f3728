// SPDX-License-Identifier: GPL-2.0-or-later
// Views of traces, and of a kernel's functions and events.
#include <string>

#include "tests/unit/client/samples.hpp"

namespace netperfctl::samples {
namespace {

// Two events on two CPUs over the eleven seconds of tcp(), in slices of half a second; a burst at 4 s.
TraceDetails trace() {
  TraceDetails details;
  details.trace.clock = "mono";
  details.trace.buffer_bytes = 8'388'608;
  details.trace.functions = 0;
  details.trace.workload_only = false;
  details.trace.only_cpus = {{0, 1}};
  details.trace.slice_s = 0.5;
  details.trace.events = 1'221;
  details.trace.lost = 0;
  details.trace.stacks_left_out = 0;
  for (const std::uint32_t cpu : {0U, 1U}) {
    details.cpus.push_back({.cpu = cpu,
                            .records = cpu == 0 ? 1'200 : 21,
                            .bytes = cpu == 0 ? 122'880 : 4'096,
                            .lost_events = 0,
                            .overrun = 0,
                            .commit_overrun = 0,
                            .dropped_events = 0,
                            .damaged = 0});
  }
  details.events = {{.event = "skb:kfree_skb",
                     .filter = "reason != 2",
                     .count = 1'204,
                     .slices = {{4, 2, 2, 2, 2, 2, 2, 2, 400, 560, 200, 2, 2, 2, 2, 2, 2, 2, 2, 2, 4}}},
                    {.event = "tcp:tcp_retransmit_skb",
                     .filter = {},
                     .count = 17,
                     .slices = {{0, 0, 0, 0, 0, 0, 0, 0, 5, 9, 2, 0, 0, 1}}}};
  details.drops = {{.reason = "NETFILTER_DROP", .location = "nf_hook_slow", .count = 1'100},
                   {.reason = "NO_SOCKET", .location = "tcp_v4_rcv", .count = 90},
                   {.reason = "NOT_SPECIFIED", .location = "unix_release_sock", .count = 6},
                   {.reason = "TCP_OLD_DATA", .location = "tcp_data_queue", .count = 4},
                   {.reason = "TCP_ZEROWINDOW", .location = "tcp_data_queue", .count = 2},
                   {.reason = "SOCKET_RCVBUFF", .location = "sock_queue_rcv_skb_reason", .count = 1},
                   {.reason = "UNHANDLED_PROTO", .location = "__netif_receive_skb_core", .count = 1}};
  details.marks = {
      {.time_s = -0.012, .text = "start", .user = false},
      {.time_s = 0, .text = "release", .user = false},
      {.time_s = 4.02, .text = "filter on", .user = true},
      {.time_s = 5.31, .text = "filter off, after what was meant to be one second", .user = true},
      {.time_s = 11.004, .text = "end", .user = false}};
  return details;
}

std::vector<StackView> stacks() {
  return {{.event = "skb:kfree_skb",
           .count = 1'100,
           .frames = {{"nf_hook_slow+0xb4", "ip_local_deliver+0xc1", "ip_rcv+0x170",
                       "__netif_receive_skb_one_core+0x89", "process_backlog+0x87", "net_rx_action+0x2e1"}}},
          {.event = "tcp:tcp_retransmit_skb",
           .count = 17,
           .frames = {{"tcp_retransmit_skb+0x8a", "tcp_xmit_retransmit_queue+0x1c3"}}}};
}

SampleView sample(const char* event, std::uint64_t ordinal, double time_s) {
  SampleView view;
  view.event = event;
  view.ordinal = ordinal;
  view.time_s = time_s;
  view.cpu = 0;
  view.pid = 812;
  view.task = "iperf3";
  return view;
}

std::vector<SampleView> event_samples() {
  SampleView first = sample("skb:kfree_skb", 1, 0.000'123);
  first.fields = {{{"skbaddr", "object-1", {}},
                   {"location", "nf_hook_slow+0xb4", {}},
                   {"rx_sk", "", "(nil)"},
                   {"protocol", std::uint64_t{2048}, {}},
                   {"reason", std::int64_t{7}, "NETFILTER_DROP"}}};
  SampleView early = sample("tcp:tcp_retransmit_skb", 1, -0.004);
  early.pid = 0;
  early.task.reset();
  early.fields = {{{"sport", std::uint64_t{43210}, {}}, {"temperature", std::int64_t{-3}, {}}}};
  SampleView last = sample("skb:kfree_skb", 1'204, 10.998'2);
  last.cpu = 1;
  return {early, first, last};
}

RunView traced_run(RunView run, std::uint64_t events, std::uint64_t lost) {
  run.workload = "iperf3";
  run.trace_events = events;
  run.trace_lost = lost;
  return run;
}

}  // namespace

ShowView traced() {
  ShowView view = tcp();
  view.details.run = traced_run(view.details.run, 1'221, 0);
  view.trace = trace();
  view.stacks = {.stacks = stacks(), .more = true};
  view.samples = event_samples();
  return view;
}

ShowView traced_losses() {
  ShowView view = traced();
  view.details.run = traced_run(view.details.run, 12'327, 12'011);
  TraceDetails& trace = *view.trace;
  trace.trace.events = 12'327;
  trace.trace.lost = 12'011;
  trace.trace.workload_only = true;
  trace.trace.functions = 71;
  trace.trace.missing_functions = {{"tcp_v4_fill_cb", "tcp_add_to_queue"}};
  trace.events.front().count = 12'310;
  trace.cpus.front().records = 12'306;
  trace.cpus.front().lost_events = 11'000;
  trace.cpus.front().overrun = 12'004;
  trace.cpus.back().dropped_events = 7;
  trace.cpus.back().damaged = 1;
  trace.drops.clear();
  trace.marks.clear();
  view.stacks = {};
  return view;
}

ShowView trace_skipped() {
  ShowView view = tcp();
  view.details.run.workload = "iperf3";
  view.details.run.trace_skipped =
      "function_graph: the kernel is locked down (integrity) and refuses function tracing even to root";
  view.trace = TraceDetails{};
  view.trace->trace.skipped = view.details.run.trace_skipped;
  return view;
}

ShowView trace_broken() {
  ShowView view = traced();
  view.details.run.trace_broken = "the module hsr was unloaded while it was traced";
  view.trace->trace.broken = view.details.run.trace_broken;
  view.trace->drops.clear();
  view.stacks = {};
  return view;
}

ShowView trace_only() {
  ShowView view;
  RunView& run = view.details.run;
  run.run = 47;
  run.job = 14;
  run.index = run.repeat = 1;
  run.scenario = "watch-drops";
  run.state = "finished";
  run.owner = 1000;
  run.ended_us = kNow - 3 * kMinute;
  run.created_us = run.started_us = *run.ended_us - 11'004'000;
  run.flags = 0;
  run.workload = "none";
  run.trace_events = 1'221;
  run.trace_lost = 0;
  view.trace = trace();
  return view;
}

std::vector<RunView> traced_runs() {
  std::vector<RunView> rows = runs();
  rows[2] = traced_run(rows[2], 2'567'896, 12'004);
  rows[4] = traced_run(rows[4], 1'221, 0);
  rows[5].trace_skipped = "the kernel refuses";
  RunView only = trace_only().details.run;
  only.trace_broken = "the module hsr was unloaded";
  rows.insert(rows.begin(), only);
  return rows;
}

TraceProgressView trace_progress() {
  return {.seconds = 1.0,
          .lost = 0,
          .events = {{.event = "skb:kfree_skb", .filter = {}, .count = 1'204, .slices = {}},
                     {.event = "tcp:tcp_retransmit_skb", .filter = {}, .count = 17, .slices = {}}},
          .functions = {}};
}

std::vector<CapabilityView> locked_down() {
  return {
      {.name = "tracepoints",
       .ability = "yes",
       .detail = "2,113 events, with filters and stack traces",
       .advice = {}},
      {.name = "function_graph",
       .ability = "no",
       .detail = "the kernel is locked down (integrity) and refuses function tracing even to root",
       .advice =
           "boot without lockdown, or trace in a virtual machine; jobs with `optional: true` run without it"},
      {.name = "iperf3",
       .ability = "limited",
       .detail = "3.12, no --json-stream (3.17 has it): intervals come at the end",
       .advice = "install iperf3 3.17 or newer"},
      {.name = "hardware_counters",
       .ability = "no",
       .detail = "this machine has no PMU (a virtual machine)",
       .advice = {}}};
}

std::vector<CapabilityView> capable() {
  return {{.name = "tracepoints", .ability = "yes", .detail = "2,113 events", .advice = {}},
          {.name = "function_graph",
           .ability = "yes",
           .detail = "61,034 functions of 118 modules and the kernel",
           .advice = {}},
          {.name = "iperf3", .ability = "yes", .detail = "3.18, with --json-stream", .advice = {}}};
}

std::vector<ModuleView> modules() {
  return {{.name = "bridge", .loaded = false, .built_in = false, .functions = {}, .hint = "modprobe bridge"},
          {.name = "hsr", .loaded = true, .built_in = false, .functions = 73, .hint = {}},
          {.name = "tcp_cubic", .loaded = true, .built_in = true, .functions = 1'014, .hint = {}}};
}

FunctionPage functions() {
  return {.functions = {{.name = "hsr_get_node", .module = "hsr"},
                        {.name = "hsr_forward_skb", .module = "hsr"},
                        {.name = "tcp_sendmsg", .module = {}}},
          .total = 1'234,
          .nearest = {}};
}

FunctionPage no_function() {
  return {.functions = {}, .total = 0, .nearest = {"tcp_sendmsg", "tcp_sendmsg_locked", "tcp_send_mss"}};
}

std::vector<EventView> events() {
  return {{.name = "skb:consume_skb", .id = {}, .print = {}, .allowed = true},
          {.name = "skb:kfree_skb", .id = {}, .print = {}, .allowed = true},
          {.name = "skb:skb_copy_datagram_iovec", .id = {}, .print = {}, .allowed = true},
          {.name = "tcp:tcp_bad_csum", .id = {}, .print = {}, .allowed = true},
          {.name = "tcp:tcp_cong_state_set", .id = {}, .print = {}, .allowed = true},
          {.name = "tcp:tcp_destroy_sock", .id = {}, .print = {}, .allowed = true},
          {.name = "tcp:tcp_probe", .id = {}, .print = {}, .allowed = false},
          {.name = "tcp:tcp_retransmit_skb", .id = {}, .print = {}, .allowed = true}};
}

EventDetails event() {
  return {.event = {.name = "skb:kfree_skb",
                    .id = 1540,
                    .print = "\"skbaddr=%p rx_sk=%p protocol=%u location=%pS reason: %s\", REC->skbaddr",
                    .allowed = true},
          .fields = {
              {.name = "skbaddr", .type = "void *", .offset = 8, .size = 8, .is_signed = false, .values = {}},
              {.name = "reason",
               .type = "enum skb_drop_reason",
               .offset = 36,
               .size = 4,
               .is_signed = false,
               .values = {{"2=NOT_SPECIFIED", "3=NO_SOCKET", "4=SOCKET_CLOSE", "5=SOCKET_FILTER",
                           "6=SOCKET_RCVBUFF", "7=UNIX_DISCONNECT"}}},
              {.name = "note",
               .type = "__data_loc char[]",
               .offset = 40,
               .size = 0,
               .is_signed = true,
               .values = {}}}};
}

std::vector<TracerView> tracers() {
  return {{.name = "function_graph", .current = false}, {.name = "nop", .current = true}};
}

}  // namespace netperfctl::samples
