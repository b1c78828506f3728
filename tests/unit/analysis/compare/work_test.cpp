// SPDX-License-Identifier: GPL-2.0-or-later
// What costs are divided by, and when they lead. The numbers are written by hand.
#include "daemon/analysis/compare/work.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "daemon/model/noise.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

using testing::DoubleEq;
using testing::Optional;

constexpr std::string_view kForwarded = "counter.to-far@router.tx_packets";

std::vector<ComparedFigure> figures(std::initializer_list<std::string_view> names) {
  std::vector<ComparedFigure> all;
  for (const std::string_view name : names) all.push_back({.figure = parse_any_figure(name).value()});
  return all;
}

// Four seconds of 2,000 packets and a million bytes.
std::vector<ComparedRun> some_runs() {
  std::vector<ComparedRun> runs = runs_from(0, eight_around(1e8));
  for (ComparedRun& run : runs) {
    run.goodput_bytes = 1'000'000;
    run.packets = 2'000;
    run.busy_ns = 8'000'000;
    run.counters = {noise::counter_of(noise::kWindow, 4'000'000'000, "ns")};
  }
  return runs;
}

void bring(std::vector<ComparedRun>& runs, const char* unit, double value) {
  for (ComparedRun& run : runs)
    run.own_figures = {{.name = "calls", .unit = unit, .better = Better::higher, .value = value}};
}

struct Chosen {
  WorkUnit unit;
  double amount;
  bool operator==(const Chosen&) const = default;
};

Chosen chosen(std::vector<ComparedRun> a, std::vector<ComparedRun> b,
              std::initializer_list<std::string_view> names) {
  const WorkUnit unit = choose_work(a, b, figures(names));
  return {unit, work_of(a.front()).value_or(-1)};
}

TEST(Work, is_bytes_unless_the_figures_speak_of_something_else) {
  const auto runs = some_runs();
  EXPECT_EQ(chosen(runs, runs, {"received"}), (Chosen{WorkUnit::byte, 1e6}));
  EXPECT_EQ(chosen(runs, runs, {"received", "cpu.packet"}), (Chosen{WorkUnit::packet, 2'000}));
  EXPECT_EQ(chosen(runs, runs, {kForwarded}), (Chosen{WorkUnit::packet, 2'000}));
  EXPECT_EQ(chosen(runs, runs, {"counter.softnet.dropped"}), (Chosen{WorkUnit::byte, 1e6}));
  EXPECT_EQ(chosen(runs, runs, {"cpu.transaction"}), (Chosen{WorkUnit::byte, 1e6})) << "nobody counts any";
  EXPECT_EQ(work_of(runs.front()), 1e6) << "before it is chosen";
}

TEST(Work, is_what_the_own_figures_of_the_runs_count) {
  auto runs = some_runs();
  bring(runs, "requests/s", 250);
  EXPECT_EQ(chosen(runs, runs, {"calls"}), (Chosen{WorkUnit::transaction, 1'000}));
  EXPECT_EQ(chosen(runs, runs, {"received"}), (Chosen{WorkUnit::byte, 1e6}));
  for (ComparedRun& run : runs) run.goodput_bytes.reset();
  EXPECT_EQ(chosen(runs, runs, {"received"}), (Chosen{WorkUnit::transaction, 1'000}))
      << "nobody counts bytes";
  bring(runs, "packets/s", 100);
  EXPECT_EQ(chosen(runs, runs, {"calls"}), (Chosen{WorkUnit::packet, 400})) << "not those of the device";
  bring(runs, "ns", 100);
  EXPECT_EQ(chosen(runs, runs, {"calls"}), (Chosen{WorkUnit::packet, 2'000}));
  for (ComparedRun& run : runs) run.packets.reset();
  EXPECT_EQ(chosen(runs, runs, {"calls"}), (Chosen{WorkUnit::byte, -1})) << "nobody counts anything";
}

TEST(Work, is_of_one_unit_on_both_sides) {
  auto a = some_runs();
  const auto b = some_runs();
  bring(a, "transactions/s", 250);
  EXPECT_EQ(chosen(a, b, {"cpu.transaction"}), (Chosen{WorkUnit::byte, 1e6}));
  EXPECT_EQ(chosen(a, {}, {"cpu.transaction"}), (Chosen{WorkUnit::transaction, 1'000}))
      << "there is no other";
}

TEST(Work, is_what_the_cpu_time_and_the_functions_are_divided_by) {
  auto a = some_runs(), b = some_runs();
  for (ComparedRun& run : b) run.busy_ns = 12'000'000;
  for (auto* side : {&a, &b}) {
    for (ComparedRun& run : *side) {
      run.figures["cpu.packet"] = static_cast<double>(*run.busy_ns) / 2'000;
      run.sources["cpu.packet"] = "nic";
    }
  }
  ComparisonSettings settings;
  settings.figures = figures({"received", kForwarded});
  settings.work = choose_work(a, b, settings.figures);
  const Comparison comparison = compare(a, b, settings);
  EXPECT_EQ(comparison.work, WorkUnit::packet);
  ASSERT_EQ(comparison.beside.size(), 1U);
  EXPECT_EQ(comparison.beside.front().name, "cpu.packet");
  EXPECT_EQ(comparison.beside.front().source, "nic");
  EXPECT_EQ(comparison.beside.front().unit, "ns_per_packet");
  EXPECT_EQ(comparison.beside.front().verdict, Verdict::regression);
  ASSERT_TRUE(comparison.attribution.ns_per_byte);
  EXPECT_DOUBLE_EQ(comparison.attribution.ns_per_byte->centre_a, 4'000);
  EXPECT_FALSE(comparison.attribution.of_counted_part) << "packets are counted over the whole run";
  EXPECT_THAT(comparison.attribution.whole_ns_per_byte->shift, Optional(DoubleEq(2'000)));
}

void ask(std::vector<ComparedRun>& runs, std::uint64_t rate) {
  for (ComparedRun& run : runs)
    run.counters.push_back(noise::counter_of(noise::kAskedRate, rate, "bits_per_second"));
}

TEST(OfferedRate, is_reached_if_all_of_it_arrives_in_all_plain_runs) {
  auto a = some_runs(), b = some_runs();
  EXPECT_EQ(offered_rate(a, b, 0.02), std::nullopt) << "nobody asked for one";
  ask(a, 100'000'000);
  EXPECT_EQ(offered_rate(a, b, 0.02), std::nullopt) << "on one side";
  ask(b, 100'000'000);
  EXPECT_THAT(offered_rate(a, b, 0.02), Optional(1e8)) << "all are within 1 %";
  EXPECT_EQ(offered_rate(a, b, 0.0001), std::nullopt) << "some did not arrive";
  auto slow = b;
  slow.back().received_bits_per_second = 9e7;
  EXPECT_EQ(offered_rate(a, slow, 0.02), std::nullopt);
  slow.back().trace.emplace();
  EXPECT_THAT(offered_rate(a, slow, 0.02), Optional(1e8)) << "a traced run may be slower";
  auto flagged = b;
  flagged.front().flags = {std::string{noise::kRateMissed}};
  EXPECT_EQ(offered_rate(a, flagged, 0.02), std::nullopt);
  auto unknown = b;
  unknown.front().received_bits_per_second.reset();
  EXPECT_EQ(offered_rate(a, unknown, 0.02), std::nullopt);
  auto other = some_runs();
  ask(other, 90'000'000);
  EXPECT_EQ(offered_rate(a, other, 0.02), std::nullopt) << "they were offered different rates";
  EXPECT_EQ(offered_rate(a, {}, 0.02), std::nullopt);
}

TEST(OfferedRate, is_in_the_comparison) {
  auto a = some_runs(), b = some_runs();
  ask(a, 100'000'000);
  ask(b, 100'000'000);
  ComparisonSettings settings;
  settings.threshold = 0.02;
  EXPECT_THAT(compare(a, b, settings).offered, Optional(1e8));
  EXPECT_EQ(compare(some_runs(), b, settings).offered, std::nullopt);
}

}  // namespace
}  // namespace netperfd::analysis
