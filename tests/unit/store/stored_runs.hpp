// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs and runs that have everything that a database may hold.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/unit/golden_latency.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {

inline constexpr RunId kMeasured = 1;
inline constexpr RunId kFailed = 2;
inline constexpr RunId kWatched = 3;
inline constexpr RunId kFirstOfDesign = 4;
inline constexpr std::size_t kRunsOfDesign = 4;

inline Fingerprint the_environment() {
  return {.boot_id = "4c1c9d0e-0000-4000-8000-000000000001",
          .facts = {{"kernel", "release", "6.12.9"}, {"sysctl:net.core.rmem_max", "value", "212992"}},
          .unknown = {"nic: veth0: no permission"}};
}

inline Counters the_counters() {
  Counters counters;
  counters.deltas = {{.source = "cpu", .netns = "", .name = "busy", .delta = 9'000'000'000, .unit = "ns"},
                     {.source = "snmp", .netns = "left", .name = "TcpRetransSegs", .delta = 17, .unit = ""}};
  TcpSample sample;
  sample.time = std::chrono::milliseconds{500};
  sample.local_port = 41234;
  sample.remote_port = 5201;
  sample.snd_cwnd = 10;
  sample.rtt_us = 54;
  sample.rttvar_us = 8;
  sample.retransmits = 3;
  counters.tcp = {sample};
  QueueSample queue;
  queue.time = std::chrono::milliseconds{500};
  queue.device = "wire";
  queue.netns = "left";
  queue.kind = "fq_codel";
  queue.handle = "8001:";
  queue.parent = "root";
  queue.backlog_bytes = 30'280;
  queue.backlog_packets = 20;
  queue.sent_bytes = 9'000'000;
  queue.sent_packets = 5'945;
  queue.drops = 17;
  queue.overlimits = 2;
  queue.requeues = 1;
  counters.queues = {queue};
  counters.unknown = {"perf: not available here"};
  return counters;
}

inline SampleProfile the_samples() {
  SampleProfile profile{.rate = 199,
                        .event = "cycles",
                        .sees_interrupts_off = true,
                        .cpus = 4,
                        .duration_ns = 5'000'000'000,
                        .samples = 3'980,
                        .idle = 1'204,
                        .lost = 7,
                        .throttled = 3,
                        .unknown = 11,
                        .cut = 13,
                        .damaged = 2,
                        .frames = {},
                        .nodes = {},
                        .builds = {},
                        .skipped = "no skip"};
  profile.frames = {{.kind = FrameKind::program, .name = "iperf3", .module = ""},
                    {.name = "tcp_ack", .module = ""},
                    {.name = "xmit", .module = "hsr", .duplicate = 2},
                    {.kind = FrameKind::user, .name = "", .module = ""},
                    {.kind = FrameKind::others, .name = "", .module = ""},
                    {.kind = FrameKind::more, .name = "", .module = ""}};
  profile.nodes = {{.parent = {}, .frame = 0, .samples = 0},   {.parent = 0, .frame = 1, .samples = 1'000},
                   {.parent = 1, .frame = 2, .samples = 300},  {.parent = 0, .frame = 3, .samples = 20},
                   {.parent = {}, .frame = 4, .samples = 0},   {.parent = 4, .frame = 5, .samples = 0},
                   {.parent = 5, .frame = 1, .samples = 1'456}};
  profile.builds = {{.module = "", .release = "6.12.9", .build_id = "ab12", .srcversion = ""},
                    {.module = "hsr", .release = "", .build_id = "cd34", .srcversion = "E5"}};
  return profile;
}

inline JobSpec the_design() {
  JobSpec spec = a_job("hsr");
  const auto side = [](const char* name) {
    return Variant{.name = name, .apply = {}, .verify = {}, .builds = {}};
  };
  spec.design =
      Design{.a = side("list"), .b = side("hash"), .plain = false, .changed = {"module:hsr"}, .seed = 42};
  spec.figures = parse_figure_choices({"received", "latency.p99:5%"}).value();
  return spec;
}

// The design at the second point of a sweep, with the slots that it has without one.
inline core::NewJob add_swept(SqliteStore& store, WallTime now) {
  JobSpec spec = the_design();
  std::vector<Slot> slots = draw_slots(spec, *spec.design->seed);
  for (Slot& slot : slots) slot.point = 2;
  spec.design->sweep = {{.key = "streams", .values = {"4", "16"}}, {.key = "length", .values = {"512"}}};
  return must(store.add_job(spec, slots, 1000, now));
}

// Three jobs with the runs 1 to 7.
inline JobBudget the_budget() {
  return {.budget = {.asked = 0.2, .predicted = 0.17, .window_s = 1.5, .failure = "none really"},
          .functions = {{.function = "hsr_forward_skb", .calls = 812'345, .cost = 0.31, .traced = false},
                        {.function = "hsr_get_node", .calls = 4'711, .cost = 0.02, .traced = true}}};
}

inline void store_runs(SqliteStore& store) {
  JobSpec traced = a_job("veth-tcp", "before");
  traced.repeat = 2;
  traced.trace = a_watching_job().trace;
  const auto first = must(add_job(store, traced, 1000, kMorning));
  bring_to_collecting(store, first.runs[0]);
  RunRecord record = a_record(first.runs[0], 1, 4);
  record.trace = a_trace();
  record.trace->recording_left_out = 4096;
  record.trace->profile = a_profile();
  record.traffic = some_traffic();
  record.fingerprint = the_environment();
  record.counters = the_counters();
  record.workload.latency = golden_latency();
  record.figures = {{.name = "calls", .unit = "per second", .better = Better::higher, .value = 811.5},
                    {.name = "delay.p99", .unit = "", .better = Better::lower, .value = 0.25}};
  must(store.finish(record));
  bring_to_collecting(store, first.runs[1]);
  RunRecord failed;
  failed.id = first.runs[1];
  failed.state = RunState::failed;
  failed.error = "the server refused the connection";
  failed.started = kMorning + std::chrono::seconds{20};
  must(store.finish(failed));

  const auto watching = must(add_job(store, a_watching_job(), 0, kMorning + std::chrono::hours{1}));
  bring_to_collecting(store, watching.runs[0]);
  RunRecord watched;
  watched.id = watching.runs[0];
  watched.state = RunState::finished;
  watched.trace.emplace().skipped = "locked down";
  watched.files = {{.name = "trace.dat", .size = 815, .modified = kMorning, .sha256 = std::string(64, 'a')}};
  must(store.finish(watched));

  const auto compared = add_swept(store, kMorning + std::chrono::hours{2});
  for (const RunId run : compared.runs) {
    bring_to_collecting(store, run);
    RunRecord sampled = a_record(run, 1, 2);
    if (run == kFirstOfDesign) sampled.samples = the_samples();
    must(store.finish(sampled));
  }
  must(store.set_budget(compared.id, the_budget()));
  must(store.add_boot(compared.id, {.number = 1,
                                    .block = 1,
                                    .letter = 2,
                                    .side = 'B',
                                    .variant = {},
                                    .asked = kMorning,
                                    .settled = {},
                                    .boot_id = {},
                                    .kernel = {},
                                    .failure = {}}));
  must(store.end_boot(compared.id, 1,
                      {.settled = kMorning + std::chrono::seconds{95},
                       .boot_id = "boot-7",
                       .kernel = "6.12.9",
                       .failure = "late"}));
  core::AuditEntry entry;
  entry.first = entry.last = kMorning;
  entry.uid = 1000;
  entry.action = "start";
  entry.job = 1;
  must(store.add(entry));
  must(store.set_note(kMeasured, "with the new cable"));
}

}  // namespace netperfd::store
