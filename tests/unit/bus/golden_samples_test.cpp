// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of samples and of a budget, written out by hand as in golden_rows_test.cpp.
#include <gmock/gmock.h>

#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire_counters.hpp"
#include "daemon/bus/rows/wire_samples.hpp"
#include "dbus/rows/budget.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

SampleProfile golden_samples() {
  SampleProfile profile{.rate = 199,
                        .event = "cpu-clock",
                        .sees_interrupts_off = false,
                        .cpus = 2,
                        .duration_ns = 5'500'000'000,
                        .samples = 1'000,
                        .idle = 600,
                        .lost = 3,
                        .throttled = 4,
                        .unknown = 5,
                        .cut = 6,
                        .damaged = 7,
                        .frames = {},
                        .nodes = {},
                        .builds = {{.module = "hsr", .release = "", .build_id = "ab", .srcversion = "cd"}},
                        .skipped = ""};
  profile.frames = {{.kind = FrameKind::program, .name = "iperf3", .module = ""},
                    {.kind = FrameKind::others, .name = "", .module = ""},
                    {.name = "xmit", .module = "hsr", .duplicate = 2},
                    {.name = "finish_task_switch.isra.0", .module = ""}};
  profile.nodes = {{.parent = {}, .frame = 0, .samples = 0},
                   {.parent = 0, .frame = 3, .samples = 40},
                   {.parent = 1, .frame = 2, .samples = 100},
                   {.parent = {}, .frame = 1, .samples = 0},
                   {.parent = 3, .frame = 2, .samples = 260}};
  return profile;
}

TEST(GoldenSamples, are_those_of_a_profile) {
  const WireSamples wire = wire_samples(golden_samples());
  EXPECT_THAT(
      shown(wire.profile),
      UnorderedElementsAre("rate 199", "event cpu-clock", "sees_interrupts_off false", "cpus 2",
                           "duration_s 5.5", "samples 1000", "idle 600", "busy 400", "lost 3", "due 2189",
                           "missed 1186", "throttled 4", "unknown 5", "cut 6", "damaged 7", "functions 2",
                           "stacks 3", testing::StartsWith("resolution 0.0197")));
  ASSERT_THAT(wire.builds, testing::SizeIs(1));
  EXPECT_THAT(shown(wire.builds[0]), UnorderedElementsAre("module hsr", "build_id ab", "srcversion cd"));
  SampleProfile skipped;
  skipped.rate = 99;
  skipped.skipped = "refused";
  EXPECT_THAT(shown(wire_samples(skipped).profile), UnorderedElementsAre("rate 99", "skipped refused"));
}

TEST(GoldenSamples, are_those_of_a_function_and_of_a_stack) {
  const SampleProfile profile = golden_samples();
  const auto functions = functions_of(profile);
  ASSERT_THAT(functions, testing::SizeIs(2));
  EXPECT_THAT(
      shown(sampled_function_row(functions[0], profile)),
      UnorderedElementsAre("name xmit", "module hsr", "duplicate 2", "self 360", "total 360", "workload 100",
                           "self_share 0.9", testing::StartsWith("self_share_low 0.86"),
                           testing::StartsWith("self_share_high 0.92"), "total_share 0.9"));
  EXPECT_THAT(shown(sampled_function_row(functions[1], profile)),
              UnorderedElementsAre("name finish_task_switch.isra.0", "self 40", "total 140", "workload 40",
                                   "self_share 0.1", testing::StartsWith("self_share_low 0.07"),
                                   testing::StartsWith("self_share_high 0.13"), "total_share 0.35",
                                   "after_interrupts_off true"));
  const auto stacks = sampled_stacks(profile);
  ASSERT_THAT(stacks, ElementsAre(4, 2, 1));
  EXPECT_THAT(shown(sampled_stack_row(stacks[0], profile)),
              UnorderedElementsAre("samples 260", "share 0.65", R"(frames ["xmit [hsr]"])"));
  EXPECT_THAT(shown(sampled_stack_row(stacks[1], profile)),
              UnorderedElementsAre("program iperf3", "samples 100", "share 0.25",
                                   R"(frames ["xmit [hsr]", "finish_task_switch.isra.0"])"));
}

TEST(GoldenRows, of_a_budget) {
  EXPECT_THAT(
      shown(to_wire(rows::Budget{.asked = 0.25, .predicted = 0.125, .window_s = 1.5, .failure = "busy"})),
      UnorderedElementsAre("asked 0.25", "predicted 0.125", "window_s 1.5", "failure busy"));
  EXPECT_THAT(shown(to_wire(
                  rows::BudgetFunction{.function = "hsr_get_node", .calls = 7, .cost = 0.5, .traced = true})),
              UnorderedElementsAre("function hsr_get_node", "calls 7", "cost 0.5", "traced true"));
}

TEST(GoldenRows, of_a_sample_of_tcp) {
  TcpSample sample;
  sample.time = std::chrono::milliseconds{1'500};
  sample.local_port = 2;
  sample.remote_port = 3;
  sample.snd_cwnd = 4;
  sample.rtt_us = 5;
  sample.rttvar_us = 6;
  sample.retransmits = 7;
  sample.delivery_rate_bps = 8;
  sample.pacing_rate_bps = 9;
  EXPECT_THAT(shown(tcp_sample_row(sample)),
              UnorderedElementsAre("delivery_bits_per_second 8", "local_port 2", "pacing_bits_per_second 9",
                                   "remote_port 3", "retransmits 7", "rtt 5", "rttvar 6", "snd_cwnd 4",
                                   "time_s 1.5"));
}

TEST(GoldenRows, of_a_sample_of_a_queue) {
  const QueueSample sample{.time = std::chrono::milliseconds{1'500},
                           .device = "wire",
                           .netns = "left",
                           .kind = "tbf",
                           .handle = "1:",
                           .parent = "root",
                           .backlog_bytes = 2,
                           .backlog_packets = 3,
                           .sent_bytes = 4,
                           .sent_packets = 5,
                           .drops = 6,
                           .overlimits = 7,
                           .requeues = 8};
  EXPECT_THAT(shown(queue_sample_row(sample)),
              UnorderedElementsAre("backlog_bytes 2", "backlog_packets 3", "device wire", "drops 6",
                                   "handle 1:", "kind tbf", "netns left", "overlimits 7", "parent root",
                                   "requeues 8", "sent_bytes 4", "sent_packets 5", "time_s 1.5"));
}

}  // namespace
}  // namespace netperfd::bus
