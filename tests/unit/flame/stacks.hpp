// SPDX-License-Identifier: GPL-2.0-or-later
// Runs to draw, as the daemon describes them.
#pragma once

#include <string>
#include <vector>

#include "client/rows/views.hpp"

namespace netperfctl::flame {

using Names = std::vector<std::string>;

inline RunView hsr_run() {
  RunView run;
  run.run = 43;
  run.scenario = "hsr-ring";
  run.label = "before";
  return run;
}

// 3,000 busy samples: 600 + 900 + 300 + 1,080 + 120.
inline SampledDetails sampled() {
  SampledDetails details;
  details.profile.rate = 199;
  details.profile.event = "cpu-clock";
  details.profile.sees_interrupts_off = false;
  details.profile.cpus = 2;
  details.profile.duration_s = 10.1;
  details.profile.samples = 4'020;
  details.profile.idle = 1'020;
  details.profile.busy = 3'000;
  details.profile.lost = 12;
  details.profile.cut = 3;
  details.stacks = {
      {{}, 1'080, {}, Names{"hsr_get_node [hsr]", "hsr_handle_frame [hsr]", "__netif_receive_skb_core"}},
      {"iperf3", 900, {}, Names{"_copy_from_iter", "tcp_sendmsg_locked", "tcp_sendmsg", "do_syscall_64"}},
      {"iperf3", 600, {}, Names{"hsr_get_node [hsr]", "hsr_dev_xmit [hsr]", "tcp_sendmsg", "do_syscall_64"}},
      {"iperf3", 300, {}, Names{"[user]"}},
      {{}, 120, {}, Names{"tcp_ack", "[more]"}}};
  return details;
}

// 900 ns of self time.
inline ProfileDetails traced() {
  ProfileDetails details;
  details.profile.hits = 16;
  details.profile.functions = 4;
  details.profile.timed = true;
  details.profile.self_ns = 900;
  details.profile.tree_overflow = 7;
  const auto node = [](std::uint32_t depth, const char* name, std::uint64_t hits, std::uint64_t self) {
    CallNodeView row;
    row.depth = depth;
    row.function = name;
    row.module = "hsr";
    row.hits = hits;
    row.self_ns = self;
    return row;
  };
  details.tree = {node(0, "hsr_dev_xmit", 2, 100), node(1, "hsr_get_node", 4, 500), node(2, "twin", 4, 0),
                  node(1, "twin", 1, 70),          node(0, "hsr_handle", 1, 30),    node(1, "twin", 4, 200)};
  details.tree[2].duplicate = 2;
  details.tree[4].in_interrupt = true;
  return details;
}

// What a program may call itself, and what no tool may take for its own marks.
inline const Names kHostile{"a;b 7",           "<script>alert(1)</script>", "\"'&amp;]]>",  "two\nlines 9",
                            "\x1b[2J\x01\x7f", "\u202Eright to left",       "\uFFFE\uFFFF", "grüße 漢字"};

inline SampledDetails hostile() {
  SampledDetails details;
  details.profile.busy = kHostile.size();
  for (const std::string& name : kHostile) details.stacks.push_back({name, 1, {}, Names{name, "tcp_ack"}});
  return details;
}

// Six blocks, in which B looks for no nodes any more and handles more acknowledgements.
inline ComparedStacks compared() {
  const auto frame = [](std::uint32_t depth, const char* name, double a, double b) {
    ComparedFrameView row;
    row.depth = depth;
    row.name = name;
    row.total_a = a;
    row.total_b = b;
    row.samples_a = static_cast<std::uint64_t>(a * 200);
    row.samples_b = static_cast<std::uint64_t>(b * 200);
    return row;
  };
  const auto tested = [&](std::uint32_t depth, const char* name, double a, double b, double p) {
    ComparedFrameView row = frame(depth, name, a, b);
    row.cost_a = a;
    row.cost_b = b;
    row.shift = b - a;
    row.low = b - a - 0.2;
    row.high = b - a + 0.2;
    row.level = 0.95;
    row.p_adjusted = p;
    return row;
  };
  ComparedStacks stacks;
  stacks.words_a = "label:before";
  stacks.words_b = "label:after";
  stacks.samples.runs_a = {1, 4, 5, 8, 9, 12};
  stacks.samples.runs_b = {2, 3, 6, 7, 10, 11};
  stacks.samples.not_sampled_a = {13};
  stacks.samples.unit = "byte";
  stacks.samples.tested = 4;
  stacks.samples.left_out = 3;
  stacks.frames = {tested(0, "all", 5.62, 4.12, 0.031), tested(1, "tcp_sendmsg", 5.12, 3.12, 0.2),
                   tested(2, "hsr_get_node", 2, 0, 0.031), frame(2, "rare", 0.02, 0.02),
                   tested(1, "tcp_ack", 0.5, 1, 0.031)};
  stacks.frames[1].self_a = stacks.frames[1].self_b = 3;
  stacks.frames[2].module = "hsr";
  return stacks;
}

}  // namespace netperfctl::flame
