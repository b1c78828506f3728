// SPDX-License-Identifier: GPL-2.0-or-later
// Figures that divide one measured value of a run by another one: CPU time by packets or transactions, and
// counters by the time in which they changed. Both vary from run to run. docs/statistics.md shows the rates.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/work.hpp"
#include "daemon/model/figure_readings.hpp"
#include "daemon/model/figure_registry.hpp"
#include "tests/unit/statistics/gate_rates.hpp"
#include "tests/unit/statistics/synthetic.hpp"
#include "tests/unit/statistics/synthetic_functions.hpp"

namespace netperfd::analysis {
namespace {

constexpr int kWorkSets = 1'000;
constexpr double kWithin = 0.021;  // three standard errors
constexpr double kPerSecond = 12'500;
constexpr double kNsForOne = 10'000;

// What is measured of a run of about ten seconds; `effect` is in logarithms.
struct MeasuredWork {
  const char* name;
  const char* figure;
  double effect;
  FigureReadings (*measure)(double effect, Dice& dice);
};

std::uint64_t rounded(double value) {
  return static_cast<std::uint64_t>(std::llround(value));
}

// The counters are read a little before the workload and a little after it.
double window_of(double seconds, Dice& dice) {
  return seconds + 0.2 + 0.05 * std::abs(dice.normal());
}

// CPU time for so many packets or transactions: most of it grows with them, and has a tail to the dear side;
// ticks of the kernel and interrupts add to it or are missed.
std::uint64_t cpu_for(double amount, double effect, Dice& dice) {
  const double each = kNsForOne * std::exp(effect - 0.5 * log_of_run(Shape::skewed, dice));
  return rounded(amount * each + 0.01 * kPerSecond * 10 * kNsForOne * dice.normal());
}

FigureReadings at_fixed_rate(double effect, Dice& dice) {
  FigureReadings run;
  run.packets = rounded(kPerSecond * 10 + 20 * dice.normal());
  run.cpu_ns = cpu_for(static_cast<double>(*run.packets), effect, dice);
  return run;
}

// As many as the CPU can do, so the side that is dearer forwards fewer of them.
FigureReadings at_full_speed(double effect, Dice& dice) {
  FigureReadings run;
  run.packets = rounded(kPerSecond * 10 * std::exp(0.05 * dice.normal() - effect));
  run.cpu_ns = cpu_for(static_cast<double>(*run.packets), effect, dice);
  return run;
}

// The workload tells a rate of its own time, which is multiplied by that of the counters.
FigureReadings of_transactions(double effect, Dice& dice) {
  FigureReadings run;
  const double per_second = kPerSecond * std::exp(log_of_run(Shape::bimodal, dice));
  run.own = {{.name = "rate", .unit = "transactions/s", .better = Better::higher, .value = per_second}};
  run.window_ns = rounded(1e9 * window_of(10, dice));
  run.cpu_ns = cpu_for(per_second * 10, effect, dice);
  return run;
}

// A number of independent events has a standard deviation of its root.
FigureReadings of_counter(const char* name, double events, Dice& dice) {
  FigureReadings run;
  run.window_ns = rounded(1e9 * window_of(10, dice));
  const double count = events * static_cast<double>(*run.window_ns) / 10e9;
  run.counters = {{.source = "nic",
                   .netns = "",
                   .name = std::string{"eth0 "} + name,
                   .delta = rounded(std::max(0.0, count + std::sqrt(count) * dice.normal())),
                   .unit = ""}};
  return run;
}

FigureReadings of_packets_a_second(double effect, Dice& dice) {
  return of_counter("rx_packets", kPerSecond * 10 * std::exp(effect + log_of_run(Shape::skewed, dice)), dice);
}

FigureReadings of_few_drops(double effect, Dice& dice) {
  return of_counter("rx_dropped", 100 * std::exp(effect), dice);
}

const MeasuredWork kMeasured[] = {
    {"cpu.packet at a fixed rate", "cpu.packet", std::log(1.05), at_fixed_rate},
    {"cpu.packet at full speed", "cpu.packet", std::log(1.05), at_full_speed},
    {"cpu.transaction", "cpu.transaction", std::log(1.05), of_transactions},
    {"packets a second", "counter.eth0.rx_packets", std::log(1.05), of_packets_a_second},
    {"10 drops a second", "counter.eth0.rx_dropped", std::log(1.3), of_few_drops}};

struct WorkHost {
  const char* name;
  std::uint32_t count;  // ABBA blocks, or runs per side
  bool paired;
};
constexpr WorkHost kWorkHosts[] = {
    {"6 blocks", 6, true}, {"12 blocks", 12, true}, {"8 runs a side", 8, false}};

ComparedRun run_of(const FigureReadings& measured, const Figure& figure) {
  ComparedRun run;
  run.job = 1;
  run.received_bits_per_second = 50e6;
  run.packets = measured.packets;
  run.busy_ns = measured.cpu_ns;
  run.own_figures = measured.own;
  run.fingerprint.emplace().boot_id = "boot";
  if (const auto value = find_figure(figure.name)->read(measured, figure))
    run.figures[to_string(figure)] = *value;
  return run;
}

FigureResult judged(const MeasuredWork& work, const WorkHost& host, double effect, Dice& dice) {
  const Figure figure = parse_figure(work.figure).value();
  GatedSides sides;
  for (std::uint32_t block = 1; block <= host.count; ++block) {
    for (std::uint32_t letter = 1; letter <= (host.paired ? 4 : 2); ++letter) {
      const bool is_a = letter == 1 || letter == 4;
      ComparedRun run = run_of(work.measure(is_a ? 0 : effect, dice), figure);
      run.block = host.paired ? block : 0;
      run.letter = host.paired ? letter : 0;
      run.fingerprint->facts = {{"nic", "eth0 gro", is_a ? "on" : "off"}};
      (is_a ? sides.a : sides.b).push_back(run);
    }
  }
  ComparisonSettings settings;
  settings.changed = {"nic"};
  settings.figures = {{.figure = figure}};
  settings.work = choose_work(sides.a, sides.b, settings.figures);
  return compare(sides.a, sides.b, settings).figures.front();
}

bool holds(const FigureResult& result, double effect) {
  return std::log(*result.effect.low) <= effect && effect <= std::log(*result.effect.high);
}

TEST(WorkFigures, have_intervals_that_hold_what_is_planted_as_often_as_their_level_says) {
  fmt::print("coverage, and sides that are the same and found to differ, %\n");
  for (const MeasuredWork& work : kMeasured) {
    for (const WorkHost& host : kWorkHosts) {
      Dice dice(301 + host.count);
      double own = 0, found = 0, said = 0;
      const double held = share_of(kWorkSets, [&] {
        const FigureResult result = judged(work, host, work.effect, dice);
        own = result.effect.level;
        found += is_change(result.verdict) ? 1.0 / kWorkSets : 0;
        return holds(result, work.effect);
      });
      const double falsely = share_of(kWorkSets, [&] {
        const FigureResult result = judged(work, host, 0, dice);
        said += is_change(result.verdict) ? 1.0 / kWorkSets : 0;
        return !holds(result, 0);
      });
      fmt::print(
          "{:<28}{:<15} own level {:.1f}: holds {:.1f}, differs {:.1f}; verdicts: {:.1f} falsely, {:.1f} "
          "truly\n",
          work.name, host.name, 100 * own, 100 * held, 100 * falsely, 100 * said, 100 * found);
      EXPECT_GE(held, own - kWithin) << work.name << ", " << host.name;
      EXPECT_LE(falsely, 1 - own + kWithin) << work.name << ", " << host.name;
      EXPECT_LE(said, falsely) << work.name << ", " << host.name;
      EXPECT_GE(found, 0.5) << work.name << ", " << host.name;
    }
  }
}

// Samples and traces of the same runs, per packet: a function takes 40 ns more in each of two calls.
TEST(WorkFigures, of_functions_hold_the_ns_per_packet_that_are_planted) {
  constexpr int kTracedSets = 100;
  constexpr double kNsPerPacket = kNsMore * kCallsPerPacket;
  FunctionHost host(302, true);
  int sampled = 0, traced = 0;
  for (int i = 0; i < kTracedSets; ++i) {
    auto a = host.side({}), b = host.side({.ns_more = kNsMore});
    ComparisonSettings settings;
    settings.figures = {{.figure = parse_figure("cpu.packet").value()}};
    settings.work = choose_work(a, b, settings.figures);
    ASSERT_EQ(settings.work, WorkUnit::packet);
    const Attribution attribution = compare(a, b, settings).attribution;
    for (const FunctionDelta& function : attribution.functions) {
      const auto covers = [](const ShiftEstimate& cost) {
        return *cost.low <= kNsPerPacket && kNsPerPacket <= *cost.high;
      };
      if (function.name != "changed") continue;
      if (covers(function.cost)) ++traced;
      if (covers(function.sampled->cost)) ++sampled;
    }
  }
  fmt::print("80 ns per packet are in the interval of the trace in {} %, of the samples in {} %\n", traced,
             sampled);
  EXPECT_GE(traced, 89);
  EXPECT_GE(sampled, 89);
}

}  // namespace
}  // namespace netperfd::analysis
