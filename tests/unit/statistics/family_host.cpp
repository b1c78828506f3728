// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/statistics/family_host.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace netperfd::analysis {
namespace {

// Standard deviations. That of a run's bytes, as a share, is common to the costs and calls of all functions.
constexpr double kBytesVary = 0.015;
constexpr double kTimesVary = 0.003;      // share of the time of a call, of each function in each run
constexpr double kCallsVary = 0.002;      // share of the calls, of each function in each run
constexpr double kTracerByBoot = 4;       // ns a call, of the tracer's own cost
constexpr double kTracerByRun = 1;        // the same, between runs of one boot
constexpr double kCalibrationVaries = 5;  // ns, of a calibration about the cost in its boot

constexpr double kTracerCostNs = 876;

}  // namespace

std::string FamilyDesign::words() const {
  return fmt::format("{} {}", samples, in_blocks ? "blocks" : "runs a side");
}

double FamilyFunction::calls(bool of_b) const {
  return share * kCpuNsPerByte / ns * (of_b ? 1 + more_calls : 1);
}

std::string name_of_planted(double ns) {
  return fmt::format("planted_{:.0f}", ns);
}

std::vector<FamilyFunction> functions_of_family(std::size_t count, double more) {
  std::vector<FamilyFunction> functions{
      {.name = std::string(kLarge), .share = 0.2, .ns = 400},
      {.name = std::string(kSlower), .share = 0.1, .ns = 400, .more_ns = 400 * more},
      {.name = std::string(kFrequent), .share = 0.1, .ns = 400, .more_calls = more}};
  const std::size_t others = count - functions.size();
  const double steepness = std::log(100) / std::log(static_cast<double>(others));
  const std::array<std::size_t, 4> planted = {1, others / 3, 2 * others / 3, others - 1};
  for (std::size_t i = 0; i < others; ++i) {
    FamilyFunction& function = functions.emplace_back();
    function.name = fmt::format("function_{}", i);
    function.share = 0.05 * std::pow(static_cast<double>(i + 1), -steepness);
    function.ns = 100 * std::pow(2, static_cast<double>(i % 5));
    const auto* const place = std::ranges::find(planted, i);
    if (place == planted.end()) continue;
    function.more_ns = kPlantedNs.at(static_cast<std::size_t>(place - planted.begin()));
    function.name = name_of_planted(function.more_ns);
  }
  return functions;
}

std::vector<FamilyFunction> unchanged_functions(std::size_t count) {
  std::vector<FamilyFunction> functions = functions_of_family(count, 0);
  for (FamilyFunction& function : functions) function.more_ns = 0;
  return functions;
}

FamilyHost::Sides FamilyHost::sides(const FamilyDesign& design) {
  Sides sides;
  callee_error_ = noise_.callee_error > 0 ? noise_.callee_error * normal_(random_) : 0;
  Tracer of_a, of_b;
  for (std::size_t i = 0; i < design.samples; ++i) {
    if (i == 0 || !design.one_boot_a_side) {
      of_a = tracer_of_boot();
      of_b = design.in_blocks ? of_a : tracer_of_boot();
    }
    sides.a.push_back(run(of_a, false));
    sides.b.push_back(run(of_b, true));
    if (design.in_blocks) sides.a.back().block = sides.b.back().block = static_cast<std::uint32_t>(i + 1);
    if (design.one_boot_a_side && design.tells_boots) {
      sides.a.back().fingerprint.emplace().boot_id = "a";
      sides.b.back().fingerprint.emplace().boot_id = "b";
    }
  }
  return sides;
}

FamilyHost::Tracer FamilyHost::tracer_of_boot() {
  Tracer tracer{.entry_ns = kTracerCostNs + kTracerByBoot * normal_(random_), .callee_ns = noise_.callee_ns};
  if (noise_.callee_varies > 0) tracer.callee_ns += noise_.callee_varies * normal_(random_);
  return tracer;
}

TracerCost FamilyHost::calibrated(const Tracer& boot) {
  TracerCost cost{.entry_ns = boot.entry_ns + kCalibrationVaries * normal_(random_),
                  .callee_ns = boot.callee_ns + callee_error_,
                  .entry_error_ns = 2,
                  .callee_error_ns = 0};
  if (noise_.callee_varies > 0) cost.callee_ns += noise_.callee_varies * normal_(random_);
  return cost;
}

ComparedRun FamilyHost::run(const Tracer& boot, bool is_b) {
  ComparedRun run;
  run.goodput_bytes = static_cast<std::uint64_t>(kBytesOfTrace);
  ComparedTrace& trace = run.trace.emplace();
  trace.cost = calibrated(boot);
  const Tracer tracer{.entry_ns = boot.entry_ns + kTracerByRun * normal_(random_),
                      .callee_ns = boot.callee_ns};
  const double bytes = varied(kBytesVary);
  const double slowness = noise_.slow > 0 && uniform_(random_) < noise_.slow ? 1 + noise_.slow_by : 1;
  trace.functions.reserve(functions_.size());
  for (const FamilyFunction& each : functions_) {
    trace.functions.push_back(traced(each, is_b, tracer, bytes, slowness));
    trace.calls += trace.functions.back().hits;
  }
  return run;
}

ComparedFunction FamilyHost::traced(const FamilyFunction& each, bool is_b, const Tracer& tracer, double bytes,
                                    double slowness) {
  ComparedFunction function;
  function.name = each.name;
  double calls = kBytesOfTrace * each.calls(is_b) * bytes * varied(kCallsVary);
  double luck = varied(kTimesVary);
  if (each.is_counted) {
    calls = std::poisson_distribution<int>(calls)(random_);
    // The mean of so many calls, each of which is exponential.
    if (calls > 0) luck *= std::gamma_distribution<double>(calls, 1 / calls)(random_);
  }
  const double ns = each.ns * slowness * luck + (is_b ? each.more_ns : 0) * luck;
  const double within = each.within + (is_b ? each.more_within : 0);
  function.hits = static_cast<std::uint64_t>(std::round(calls));
  const auto hits = static_cast<double>(function.hits);
  function.traced_within = static_cast<std::uint64_t>(std::round(hits * within));
  function.self_ns =
      static_cast<std::uint64_t>(hits * (ns + tracer.entry_ns * slowness) +
                                 static_cast<double>(function.traced_within) * tracer.callee_ns * slowness);
  return function;
}

RunList pointers_to(const std::vector<ComparedRun>& runs) {
  RunList list;
  for (const ComparedRun& run : runs) list.push_back(&run);
  return list;
}

}  // namespace netperfd::analysis
