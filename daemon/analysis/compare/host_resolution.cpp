#include "daemon/analysis/compare/host_resolution.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "daemon/analysis/compare/run_planner.hpp"
#include "daemon/analysis/compare/throughput_effect.hpp"

namespace netperfd::analysis {
namespace {

constexpr std::size_t kFewest = 3;

std::optional<double> log_rate(const ComparedRun& run) {
  return std::log(*run.received_bits_per_second);
}

}  // namespace

std::optional<double> code_resolution(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                      double level) {
  const ArmRuns runs = throughput_runs(a, b);
  if (runs.a.empty() || runs.b.empty()) return std::nullopt;
  const Sampling sampling(runs.a, runs.b);
  if (!sampling.in_blocks() || sampling.pairing() == Pairing::blocks) return std::nullopt;
  const Samples units =
      sampling.samples_of(Unit::build_in_boot, values_of(runs.a, log_rate), values_of(runs.b, log_rate));
  if (units.a.size() < kFewest) return std::nullopt;
  double squares = 0;
  for (std::size_t i = 0; i < units.a.size(); ++i) squares += std::pow(units.b[i] - units.a[i], 2);
  const auto count = static_cast<double>(units.a.size());
  return std::exp(students_t_quantile(count, (1 + level) / 2) * std::sqrt(squares / count));
}

std::optional<double> settings_resolution(const RatioEstimate& self_test, Verdict verdict) {
  if (verdict != Verdict::improvement && verdict != Verdict::regression) return std::nullopt;
  return std::max(*self_test.high, 1 / *self_test.low);
}

}  // namespace netperfd::analysis
