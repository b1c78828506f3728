// SPDX-License-Identifier: GPL-2.0-or-later
// Daemon's calls about selections of runs.
#include <tuple>

#include "client/bus/daemon.hpp"
#include "client/bus/daemon_bus.hpp"

namespace netperfctl {
namespace {

dbus::Row options_of(const CompareRequest& request) {
  dbus::Row options;
  if (!request.changed.empty()) options.emplace("changed", sdbus::Variant{request.changed});
  if (request.despite) options.emplace("despite", sdbus::Variant{true});
  if (request.threshold) options.emplace("threshold", sdbus::Variant{*request.threshold});
  if (!request.figures.empty()) options.emplace("figures", sdbus::Variant{request.figures});
  if (request.point) options.emplace("point", sdbus::Variant{*request.point});
  return options;
}

}  // namespace

Outcome<ComparisonDetails> Daemon::compare(const CompareRequest& request) {
  const dbus::Row options = options_of(request);
  return call([&] {
    const Bus::Patience patience{*bus_};
    const auto ask = [&](const char* method, const auto&... runs) {
      return bus_->ask<RowOf<ComparisonView>, RowsOf<FunctionDeltaView>, RowsOf<CounterChangeView>,
                       RowsOf<FactChangeView>>(method, runs..., options);
    };
    ComparisonDetails details;
    std::tie(details.comparison, details.functions, details.counters, details.facts) =
        request.job ? ask("CompareJob", *request.job) : ask("Compare", request.a, request.b);
    return details;
  });
}

Outcome<SweepDetails> Daemon::compare_sweep(const CompareRequest& request) {
  return call([&] {
    const Bus::Patience patience{*bus_};
    SweepDetails details;
    std::tie(details.sweep, details.figures, details.trends) =
        bus_->ask<RowOf<SweepHeadView>, RowsOf<SweepFigureView>, RowsOf<SweepTrendView>>(
            "CompareSweep", request.job.value_or(0), options_of(request));
    return details;
  });
}

Outcome<ComparedStacks> Daemon::compare_samples(const std::vector<std::uint64_t>& a,
                                                const std::vector<std::uint64_t>& b, bool host) {
  dbus::Row options;
  if (host) options.emplace("host", sdbus::Variant{true});
  return call([&] {
    const Bus::Patience patience{*bus_};
    ComparedStacks stacks;
    std::tie(stacks.samples, stacks.frames) =
        bus_->ask<RowOf<ComparedSamplesView>, RowsOf<ComparedFrameView>>("CompareSamples", a, b, options);
    stacks.host = host;
    return stacks;
  });
}

dbus::Row plan_row(const PlanRequest& request) {
  dbus::Row options;
  if (request.effect) options.emplace("effect", sdbus::Variant{*request.effect});
  if (request.threshold) options.emplace("threshold", sdbus::Variant{*request.threshold});
  if (request.power) options.emplace("power", sdbus::Variant{*request.power});
  if (request.figure) options.emplace("figure", sdbus::Variant{*request.figure});
  if (request.repeat) options.emplace("repeat", sdbus::Variant{*request.repeat});
  if (request.like_job) options.emplace("like_job", sdbus::Variant{*request.like_job});
  if (request.until_most) options.emplace("until_most", sdbus::Variant{*request.until_most});
  return options;
}

Outcome<PlanView> Daemon::plan(const PlanRequest& request) {
  return call([&] {
    const Bus::Patience patience{*bus_};
    return bus_->ask<RowOf<PlanView>>("PlanRuns", request.runs, plan_row(request));
  });
}

}  // namespace netperfctl
