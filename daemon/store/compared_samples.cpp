// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/compared_samples.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "daemon/analysis/compare/sampled_costs.hpp"
#include "daemon/model/noise.hpp"
#include "daemon/store/sample_store.hpp"

namespace netperfd::store {
namespace {

// About 200 MB.
constexpr std::size_t kMostFunctions = 2'000'000;

std::set<analysis::FunctionKey> traced_functions(const std::vector<analysis::ComparedRun>& runs) {
  std::set<analysis::FunctionKey> traced;
  for (const auto& run : runs) {
    if (!run.trace) continue;
    for (const auto& function : run.trace->functions) traced.insert(analysis::function_key(function));
  }
  return traced;
}

// Samples begin later than the readings if iperf3 tells when its test begins. It is busy all the time.
std::optional<std::uint64_t> busy_while_sampled(const SampleProfile& profile,
                                                const std::vector<CounterDelta>& counters) {
  const auto busy = noise::busy_ns(counters);
  const auto window = noise::figure(counters, noise::kWindow);
  if (!busy || !window || *window <= profile.duration_ns) return busy;
  return static_cast<std::uint64_t>(static_cast<double>(*busy) * static_cast<double>(profile.duration_ns) /
                                    static_cast<double>(*window));
}

}  // namespace

Status add_samples(Connection& connection, std::vector<analysis::ComparedRun>& runs) {
  const auto traced = traced_functions(runs);
  std::size_t functions = 0;
  for (auto& run : runs) {
    if (run.trace) continue;
    const auto profile = read_samples(connection, run.id);
    if (!profile && profile.error().kind == ErrorKind::not_found) continue;
    if (!profile) return std::unexpected(profile.error());
    run.samples = analysis::sampled_costs(*profile, traced, busy_while_sampled(*profile, run.counters));
    if (!run.samples) continue;
    run.samples->with_start = !noise::figure(run.counters, noise::kUncountedStart);
    functions += run.samples->functions.size();
    if (functions > kMostFunctions) {
      return fail(ErrorKind::invalid_argument,
                  fmt::format("the runs to compare have more than {} sampled functions together; select "
                              "fewer of them",
                              kMostFunctions));
    }
  }
  return {};
}

}  // namespace netperfd::store
