// SPDX-License-Identifier: GPL-2.0-or-later
// Whatever is lost, cut or out of order: every entry and every exit is counted in exactly one place.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "daemon/analysis/calls/histogram.hpp"
#include "tests/unit/analysis/calls/call_script.hpp"
#include "tests/unit/analysis/calls/simulated_machine.hpp"

namespace netperfd::analysis {
namespace {

struct Counts {
  std::uint64_t entries = 0, exits = 0;
};

void expect_conserved(const FunctionProfile& profile, const Counts& counts) {
  std::uint64_t calls = 0, roots = 0, self_ns = 0, callees = 0, in_edges = 0, in_tree = 0, root_total_ns = 0;
  std::uint64_t interrupts = 0, interruptions = 0, without_time = 0;
  for (const FunctionStats& stats : profile.functions) {
    calls += stats.hits;
    roots += stats.roots;
    self_ns += stats.self_ns.value_or(0);
    callees += stats.callees;
    EXPECT_LE(stats.interrupt_roots, stats.roots);
    interrupts += stats.interrupt_roots;
    interruptions += stats.interruptions;
    EXPECT_LE(stats.min_ns, stats.max_ns);
    EXPECT_LE(count(stats.histogram), stats.hits);
    without_time += stats.hits - count(stats.histogram);
    EXPECT_EQ(stats.self_ns.has_value(), stats.hits == 0 || count(stats.histogram) > 0);
  }
  for (const CallEdge& edge : profile.edges) in_edges += edge.hits;
  for (const CallNode& node : profile.tree) {
    in_tree += node.hits;
    if (!node.parent) root_total_ns += node.total_ns.value_or(0);
  }
  EXPECT_EQ(calls + profile.damage.unmatched_entries + profile.damage.open_at_end, counts.entries);
  EXPECT_EQ(calls + profile.damage.open_at_start + profile.damage.unmatched_exits, counts.exits);
  EXPECT_EQ(roots + in_edges, calls);
  EXPECT_EQ(in_tree + profile.damage.tree_overflow, calls);
  // Callers that never returned made calls too.
  EXPECT_LE(callees, in_edges);
  EXPECT_LE(interruptions, interrupts);
  if (profile.damage.unmatched_entries + profile.damage.open_at_end + profile.damage.clipped + without_time ==
      0) {
    EXPECT_EQ(self_ns, root_total_ns);
  }
}

// Records of a simulated machine, one CPU's after another's, so that times also go back.
std::vector<std::vector<GraphEvent>> history(std::uint64_t seed) {
  SimulatedMachine machine({.seed = seed, .cpus = 3});
  for (int step = 0; step < 50; ++step) machine.step();
  machine.begin_trace();
  machine.release();
  for (int step = 0; step < 2'000; ++step) machine.step();
  std::vector<std::vector<GraphEvent>> rings;
  for (std::uint32_t cpu = 0; cpu < 3; ++cpu) rings.push_back(machine.take(cpu, machine.waiting(cpu)));
  return rings;
}

void feed(CallTracker& tracker, Counts& counts, std::uint32_t cpu, const GraphEvent& event) {
  if (event.kind == GraphEventKind::entry) ++counts.entries;
  if (event.kind == GraphEventKind::exit) ++counts.exits;
  tracker.add(cpu, event);
}

TEST(CallConservation, holds_where_records_are_lost_and_cpus_are_out_of_step) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    CallTracker tracker({.tree_nodes = seed % 3 == 0 ? 20U : 10'000U, .tasks = seed % 4 == 0 ? 3U : 100U});
    Counts counts;
    for (std::uint32_t cpu = 0; const auto& ring : history(seed)) {
      for (std::size_t at = 0; at < ring.size(); ++at) {
        if (random() % 40 == 0) {
          GraphEvent lost;
          lost.kind = GraphEventKind::lost;
          at += random() % 20;
          lost.time = ring[std::min(at, ring.size() - 1)].time;
          tracker.add(cpu, lost);
        } else {
          feed(tracker, counts, cpu, ring[at]);
        }
      }
      ++cpu;
    }
    expect_conserved(tracker.finish(letter), counts);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CallConservation, holds_for_records_that_make_no_sense) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    CallTracker tracker({.tree_nodes = 50, .functions = 5, .tasks = 4, .slices = 3});
    Counts counts;
    for (int record = 0; record < 3'000; ++record) {
      GraphEvent event;
      event.kind = static_cast<GraphEventKind>(random() % 8 < 6 ? random() % 2 : 3 + random() % 3);
      event.time = random() >> random() % 64;
      event.function = random() % 8;
      event.start = random() >> random() % 64;
      event.end = random() % 3 == 0 ? random() : event.start + random() % 100;
      event.pid = static_cast<std::int32_t>(random() % 8) - 2;
      event.next_pid = static_cast<std::int32_t>(random() % 8) - 2;
      event.overrun = static_cast<std::uint32_t>(random() % 5);
      event.depth = static_cast<std::uint16_t>(random() % 20 == 0 ? random() : random() % 6);
      event.context = static_cast<ContextRank>(random() % 4);
      feed(tracker, counts, static_cast<std::uint32_t>(random() % 5), event);
    }
    const auto name = [](std::uint64_t address) { return letter('a' + address / 2); };
    expect_conserved(tracker.finish(name), counts);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace netperfd::analysis
