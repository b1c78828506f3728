// SPDX-License-Identifier: GPL-2.0-or-later
// Compares histories of a simulated machine, read as rings are read, with the known truth.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/calls/call_tracker.hpp"
#include "daemon/analysis/calls/histogram.hpp"
#include "daemon/trace/ring/subbuffer_order.hpp"
#include "tests/unit/analysis/calls/call_script.hpp"
#include "tests/unit/analysis/calls/simulated_machine.hpp"
#include "tests/unit/trace/ring/subbuffer_maker.hpp"

namespace netperfd::analysis {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

// Reads rings in turns of a few steps each, one after the other, while the machine continues. A CPU may be
// left behind.
class Reading {
 public:
  Reading(const MachineShape& shape, const CallSettings& settings)
      : cpus_(shape.cpus), machine_(shape), tracker_(settings), random_(shape.seed + 1) {}

  void run() {
    for (std::uint64_t step = random_() % 300; step > 0; --step) machine_.step();
    machine_.begin_trace();
    for (int turns = 0; turns < 30; ++turns) turn();
    machine_.release();
    for (int turns = 0; turns < 70; ++turns) turn();
    for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu) read(cpu, kAll);
    EXPECT_TRUE(order_.finish(*this, [] { return true; }));
  }

  // Called by SubbufferOrder. The records are in our own format: a plain event.
  void turn_to(std::uint32_t cpu) { cpu_ = cpu; }
  void begin(const trace::SubbufferWalk& /*subbuffer*/) {}
  void take(const trace::RawRecord& record) {
    GraphEvent event;
    ASSERT_EQ(record.data.size(), sizeof event);
    std::memcpy(&event, record.data.data(), sizeof event);
    tracker_.add(cpu_, event);
  }
  void end(const trace::SubbufferWalk& /*subbuffer*/) {}

  [[nodiscard]] FunctionProfile profile() { return tracker_.finish(letter); }
  [[nodiscard]] Truth truth() const { return machine_.truth(); }

 private:
  void turn() {
    std::vector<std::uint32_t> behind;
    for (int step = 0; step < 30; ++step) machine_.step();
    for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu) {
      const bool stops_early = random_() % 5 == 0;
      if (stops_early) behind.push_back(cpu);
      read(cpu, stops_early ? random_() % (machine_.waiting(cpu) + 1) : kAll);
      for (int step = 0; step < 5; ++step) machine_.step();
    }
    order_.end_turn(behind, *this, [this] { return random_() % 10 != 0; });
  }
  void read(std::uint32_t cpu, std::size_t most) {
    std::optional<trace::test::SubbufferMaker> maker;
    std::uint64_t last = 0;
    for (const GraphEvent& event : machine_.take(cpu, most)) {
      const auto bytes = std::as_bytes(std::span(&event, 1));
      const trace::test::Bytes record(bytes.begin(), bytes.end());
      if (maker && event.time >= last && maker->add(event.time, record)) {
        last = event.time;
        continue;
      }
      if (maker) order_.add(cpu, maker->finish());
      maker.emplace(last = event.time);
      ASSERT_TRUE(maker->add(event.time, record));
    }
    if (maker) order_.add(cpu, maker->finish());
  }

  std::uint32_t cpus_;
  SimulatedMachine machine_;
  CallTracker tracker_;
  trace::SubbufferOrder order_{{}, std::size_t{10} << 20};
  std::uint32_t cpu_ = 0;
  std::mt19937_64 random_;
};

std::uint64_t percentile(const std::vector<std::uint64_t>& sorted, double fraction) {
  const auto place = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  const std::uint32_t bucket = bucket_of(sorted.at(std::max<std::size_t>(place, 1) - 1));
  return std::clamp(bucket_begin(bucket) + (bucket_width(bucket) - 1) / 2, sorted.front(), sorted.back());
}

void expect_function(const FunctionStats& found, Truth::Function truth) {
  EXPECT_EQ(found.hits, truth.hits);
  EXPECT_EQ(found.total_ns, truth.total_ns);
  EXPECT_EQ(found.self_ns, truth.self_ns);
  EXPECT_EQ(found.recorded_ns, truth.recorded_ns);
  EXPECT_EQ(found.interrupted_ns, truth.interrupted_ns);
  EXPECT_EQ(found.off_cpu_ns, truth.off_cpu_ns);
  EXPECT_EQ(found.callees, truth.callees);
  EXPECT_EQ(found.interruptions, truth.interruptions);
  EXPECT_EQ(found.roots, truth.roots);
  EXPECT_EQ(found.interrupt_roots, truth.interrupt_roots);
  std::ranges::sort(truth.totals);
  EXPECT_EQ(found.min_ns, truth.totals.front());
  EXPECT_EQ(found.max_ns, truth.totals.back());
  using Maybe = std::optional<std::uint64_t>;
  EXPECT_EQ(found.p50_ns, truth.hits < 20 ? Maybe{} : Maybe{percentile(truth.totals, 0.5)});
  EXPECT_EQ(found.p90_ns, truth.hits < 100 ? Maybe{} : Maybe{percentile(truth.totals, 0.9)});
  EXPECT_EQ(found.p99_ns, truth.hits < 1'000 ? Maybe{} : Maybe{percentile(truth.totals, 0.99)});
  EXPECT_EQ(found.p999_ns, truth.hits < 10'000 ? Maybe{} : Maybe{percentile(truth.totals, 0.999)});
  EXPECT_EQ(count(found.histogram), truth.hits);
}

void expect_slices(const FunctionProfile& profile, const Truth& truth, std::size_t most) {
  std::uint64_t last = truth.release;
  for (const auto& [address, function] : truth.functions) last = std::max(last, function.ended.back().first);
  std::uint64_t width = 1 << 20;
  while ((last - truth.release) / width >= most) width *= 2;
  EXPECT_EQ(profile.slice_ns, width);
  for (const FunctionStats& found : profile.functions) {
    if (found.hits == 0) continue;
    std::vector<std::uint64_t> hits, self_ns;
    for (const auto& [time, self] : truth.functions.at(static_cast<unsigned char>(found.name[0])).ended) {
      if (time < truth.release) continue;
      const std::size_t slice = (time - truth.release) / width;
      hits.resize(std::max(hits.size(), slice + 1));
      self_ns.resize(hits.size());
      ++hits[slice];
      self_ns[slice] += self;
    }
    EXPECT_EQ(found.slice_hits, hits);
    EXPECT_EQ(found.slice_self_ns, self_ns);
  }
}

using Rows = std::map<std::string, std::vector<std::uint64_t>>;

void expect_tree(const FunctionProfile& profile, const Truth& truth) {
  Rows found, expected;
  std::vector<std::string> paths;
  std::map<std::string, std::uint64_t> last_sibling;
  for (const CallNode& node : profile.tree) {
    const std::string above = node.parent ? paths.at(*node.parent) : "";
    paths.push_back(above + (node.in_interrupt ? "!" : "") + profile.functions.at(node.function).name);
    if (node.hits > 0) found[paths.back()] = {node.hits, node.total_ns.value(), node.self_ns.value()};
    EXPECT_FALSE(node.in_interrupt && node.parent);
    const auto [before, first] = last_sibling.try_emplace(above, node.total_ns.value());
    EXPECT_LE(node.total_ns.value(), before->second);
    before->second = node.total_ns.value();
  }
  for (const auto& [path, node] : truth.paths) expected[path] = {node.hits, node.total_ns, node.self_ns};
  EXPECT_EQ(found, expected);
}

void expect_edges(const FunctionProfile& profile, const Truth& truth) {
  Rows found, expected;
  for (const CallEdge& edge : profile.edges) {
    found[profile.functions.at(edge.caller).name + profile.functions.at(edge.callee).name] = {edge.hits,
                                                                                              edge.total_ns};
  }
  for (const auto& [ends, edge] : truth.edges) {
    expected[{static_cast<char>(ends.first), static_cast<char>(ends.second)}] = {edge.hits, edge.total_ns};
  }
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(std::ranges::is_sorted(profile.edges, std::ranges::greater{}, &CallEdge::total_ns));
}

void expect_functions(const FunctionProfile& profile, const Truth& truth) {
  std::size_t called = 0;
  for (const FunctionStats& found : profile.functions) {
    SCOPED_TRACE(found.name);
    if (found.hits == 0) continue;
    ++called;
    expect_function(found, truth.functions.at(static_cast<unsigned char>(found.name[0])));
  }
  EXPECT_EQ(called, truth.functions.size());
  EXPECT_TRUE(std::ranges::is_sorted(profile.functions, std::ranges::greater{}, &FunctionStats::self_ns));
}

MachineShape shape_of(std::uint64_t seed) {
  MachineShape shape;
  shape.seed = seed;
  shape.cpus = static_cast<std::uint32_t>(1 + seed % 5);
  shape.tasks = static_cast<std::int32_t>(1 + seed % 11);
  shape.functions = static_cast<std::uint32_t>(2 + seed % 7);
  shape.sleep_in_recorded = seed % 3 != 0;
  shape.kernel_tells_times = seed % 2 == 0;
  return shape;
}

TEST(CallTruth, is_found_in_every_figure_of_a_random_history) {
  std::uint64_t calls = 0, interrupts = 0, interruptions = 0, slept_ns = 0, unmatched = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const MachineShape shape = shape_of(seed);
    CallSettings settings;
    settings.sleep_in_recorded = shape.sleep_in_recorded;
    settings.slices = 4 + seed % 60;
    Reading reading(shape, settings);
    reading.run();
    const FunctionProfile profile = reading.profile();
    const Truth truth = reading.truth();
    EXPECT_EQ(profile.damage, truth.damage);
    expect_functions(profile, truth);
    expect_slices(profile, truth, settings.slices);
    expect_edges(profile, truth);
    expect_tree(profile, truth);
    if (testing::Test::HasFailure()) return;
    unmatched += truth.damage.unmatched_entries;
    for (const auto& [address, function] : truth.functions) {
      calls += function.hits;
      interrupts += function.interrupt_roots;
      interruptions += function.interruptions;
      slept_ns += function.off_cpu_ns;
    }
  }
  EXPECT_GT(calls, 100'000U);
  EXPECT_GT(interrupts, 10'000U);
  EXPECT_GT(interruptions, 5'000U);
  EXPECT_GT(slept_ns, 1'000'000U);
  EXPECT_GT(unmatched, 100U);
}

TEST(CallTruth, is_found_in_functions_and_edges_where_the_tree_is_too_small) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const MachineShape shape = shape_of(seed);
    CallSettings settings;
    settings.sleep_in_recorded = shape.sleep_in_recorded;
    settings.tree_nodes = seed % 8;
    Reading reading(shape, settings);
    reading.run();
    const FunctionProfile profile = reading.profile();
    const Truth truth = reading.truth();
    expect_functions(profile, truth);
    expect_edges(profile, truth);
    EXPECT_LE(profile.tree.size(), settings.tree_nodes);
    std::uint64_t in_tree = 0, calls = 0;
    for (const CallNode& node : profile.tree) in_tree += node.hits;
    for (const auto& [address, function] : truth.functions) calls += function.hits;
    EXPECT_EQ(in_tree + profile.damage.tree_overflow, calls);
    EXPECT_GT(profile.damage.tree_overflow, 0U);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace netperfd::analysis
