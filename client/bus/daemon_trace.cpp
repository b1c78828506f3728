// SPDX-License-Identifier: GPL-2.0-or-later
// Daemon's calls about traces and about this machine's capabilities.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "client/bus/daemon.hpp"
#include "client/bus/daemon_bus.hpp"

namespace netperfctl {

Outcome<TraceDetails> Daemon::trace(std::uint64_t run) {
  return call([&] {
    auto [trace, cpus, events, drops, marks] =
        bus_->ask<RowOf<TraceView>, RowsOf<TraceCpuView>, RowsOf<TraceEventView>, RowsOf<DropView>,
                  RowsOf<MarkView>>("GetTrace", run);
    return TraceDetails{std::move(trace), std::move(cpus), std::move(events), std::move(drops),
                        std::move(marks)};
  });
}

Outcome<std::vector<SampleView>> Daemon::trace_samples(std::uint64_t run) {
  return guarded_call(*bus_, [&] { return bus_->list<SampleView>("ListTraceSamples", run, std::string{}); });
}

Outcome<StackPage> Daemon::trace_stacks(std::uint64_t run, std::optional<std::uint32_t> limit) {
  return call([&] {
    if (limit) {
      auto [stacks, next] =
          bus_->ask<RowsOf<StackView>, std::string>("ListTraceStacks", run, std::string{}, *limit);
      return StackPage{std::move(stacks), !next.empty()};
    }
    return StackPage{bus_->list<StackView>("ListTraceStacks", run), false};
  });
}

Outcome<void> Daemon::mark(std::uint64_t job, const std::string& text) {
  return guarded_call(*bus_, [&] { bus_->Mark(job, text); });
}

Outcome<std::vector<CapabilityView>> Daemon::capabilities(bool fresh) {
  const auto ask = [&] { return bus_->ask<RowsOf<CapabilityView>>("ListCapabilities", fresh); };
  return fresh ? guarded_call(*bus_, ask) : call(ask);
}

Outcome<std::vector<ModuleView>> Daemon::modules(const std::string& pattern) {
  return call([&] { return bus_->ask<RowsOf<ModuleView>>("ListModules", pattern); });
}

Outcome<FunctionPage> Daemon::functions(const FunctionFilter& filter, std::optional<std::size_t> limit) {
  return call([&] {
    dbus::Row row;
    if (filter.module) row.emplace("module", *filter.module);
    if (!filter.pattern.empty()) row.emplace("pattern", filter.pattern);
    FunctionPage page;
    (void)follow_pages(
        [&](const std::string& cursor) {
          auto found = bus_->ask<RowsOf<FunctionView>, std::string, std::uint64_t, std::vector<std::string>>(
              "ListFunctions", row, cursor, static_cast<std::uint32_t>(limit.value_or(0)));
          page.total = std::get<2>(found);
          page.nearest = std::get<3>(found);
          return found;
        },
        [&](std::vector<FunctionView>&& functions) { append(std::move(functions), page.functions); },
        [&] { return limit.has_value(); });
    return page;
  });
}

Outcome<std::vector<EventView>> Daemon::events(const std::string& pattern) {
  return call([&] {
    std::vector<EventView> events;
    const std::vector<std::string> allowed = bus_->ListAllowedEvents(pattern);
    for (const std::string& name : bus_->ListEvents(pattern)) {
      events.push_back({name, {}, {}, std::ranges::find(allowed, name) != allowed.end()});
    }
    return events;
  });
}

Outcome<EventDetails> Daemon::event(const std::string& name) {
  return call([&] {
    auto [event, fields] = bus_->ask<RowOf<EventView>, RowsOf<EventFieldView>>("GetEvent", name);
    return EventDetails{std::move(event), std::move(fields)};
  });
}

Outcome<std::vector<TracerView>> Daemon::tracers() {
  return call([&] { return bus_->ask<RowsOf<TracerView>>("ListTracers"); });
}

Outcome<EnvironmentView> Daemon::environment(std::uint64_t run) {
  return call([&] {
    auto [boot_id, facts, unknown] =
        bus_->ask<std::string, RowsOf<FactView>, std::vector<std::string>>("GetFingerprint", run);
    return EnvironmentView{std::move(boot_id), std::move(facts), std::move(unknown)};
  });
}

}  // namespace netperfctl
