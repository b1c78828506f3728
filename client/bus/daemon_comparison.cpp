// SPDX-License-Identifier: GPL-2.0-or-later
// Daemon's calls about selections of runs.
#include "client/bus/daemon.hpp"
#include "client/bus/daemon_bus.hpp"

namespace netperfctl {

Outcome<ComparisonDetails> Daemon::compare(const CompareRequest& request) {
  dbus::Row options;
  if (!request.changed.empty()) options.emplace("changed", sdbus::Variant{request.changed});
  if (request.despite) options.emplace("despite", sdbus::Variant{true});
  if (request.threshold) options.emplace("threshold", sdbus::Variant{*request.threshold});
  if (!request.figures.empty()) options.emplace("figures", sdbus::Variant{request.figures});
  return call([&] {
    const Bus::Patience patience{*bus_};
    const auto [comparison, functions, counters, facts] =
        request.job ? bus_->CompareJob(*request.job, options) : bus_->Compare(request.a, request.b, options);
    ComparisonDetails details;
    details.comparison = from_row<ComparisonView>(comparison);
    details.functions = from_rows<FunctionDeltaView>(functions);
    details.counters = from_rows<CounterChangeView>(counters);
    details.facts = from_rows<FactChangeView>(facts);
    return details;
  });
}

Outcome<ComparedStacks> Daemon::compare_samples(const std::vector<std::uint64_t>& a,
                                                const std::vector<std::uint64_t>& b, bool host) {
  dbus::Row options;
  if (host) options.emplace("host", sdbus::Variant{true});
  return call([&] {
    const Bus::Patience patience{*bus_};
    const auto [samples, frames] = bus_->CompareSamples(a, b, options);
    ComparedStacks stacks;
    stacks.samples = from_row<ComparedSamplesView>(samples);
    stacks.frames = from_rows<ComparedFrameView>(frames);
    stacks.host = host;
    return stacks;
  });
}

Outcome<PlanView> Daemon::plan(const PlanRequest& request) {
  dbus::Row options;
  if (request.effect) options.emplace("effect", sdbus::Variant{*request.effect});
  if (request.threshold) options.emplace("threshold", sdbus::Variant{*request.threshold});
  if (request.power) options.emplace("power", sdbus::Variant{*request.power});
  if (request.figure) options.emplace("figure", sdbus::Variant{*request.figure});
  if (request.repeat) options.emplace("repeat", sdbus::Variant{*request.repeat});
  return call([&] {
    const Bus::Patience patience{*bus_};
    return from_row<PlanView>(bus_->PlanRuns(request.runs, options));
  });
}

}  // namespace netperfctl
