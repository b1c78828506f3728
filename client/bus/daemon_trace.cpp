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
    const auto [trace, cpus, events, drops, marks] = bus_->GetTrace(run);
    return TraceDetails{from_row<TraceView>(trace), from_rows<TraceCpuView>(cpus),
                        from_rows<TraceEventView>(events), from_rows<DropView>(drops),
                        from_rows<MarkView>(marks)};
  });
}

Outcome<std::vector<SampleView>> Daemon::trace_samples(std::uint64_t run) {
  return guarded_call(*bus_, [&] {
    return all_pages<SampleView>(
        [&](const std::string& cursor) { return bus_->ListTraceSamples(run, "", cursor, 0); });
  });
}

Outcome<StackPage> Daemon::trace_stacks(std::uint64_t run, std::optional<std::uint32_t> limit) {
  return call([&] {
    if (limit) {
      const auto [rows, next] = bus_->ListTraceStacks(run, "", *limit);
      return StackPage{from_rows<StackView>(rows), !next.empty()};
    }
    return StackPage{all_pages<StackView>(
                         [&](const std::string& cursor) { return bus_->ListTraceStacks(run, cursor, 0); }),
                     false};
  });
}

Outcome<void> Daemon::mark(std::uint64_t job, const std::string& text) {
  return guarded_call(*bus_, [&] { bus_->Mark(job, text); });
}

Outcome<std::vector<CapabilityView>> Daemon::capabilities(bool fresh) {
  const auto ask = [&] { return from_rows<CapabilityView>(bus_->ListCapabilities(fresh)); };
  return fresh ? guarded_call(*bus_, ask) : call(ask);
}

Outcome<std::vector<ModuleView>> Daemon::modules(const std::string& pattern) {
  return call([&] { return from_rows<ModuleView>(bus_->ListModules(pattern)); });
}

Outcome<FunctionPage> Daemon::functions(const FunctionFilter& filter, std::optional<std::uint32_t> limit) {
  return call([&] {
    dbus::Row row;
    if (filter.module) row.emplace("module", *filter.module);
    if (!filter.pattern.empty()) row.emplace("pattern", filter.pattern);
    FunctionPage page;
    (void)follow_pages(
        [&](const std::string& cursor) {
          auto found = bus_->ListFunctions(row, cursor, limit.value_or(0));
          page.total = std::get<2>(found);
          page.nearest = std::get<3>(found);
          return found;
        },
        [&](const auto& rows) {
          std::ranges::move(from_rows<FunctionView>(rows), std::back_inserter(page.functions));
        },
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
    const auto [event, fields] = bus_->GetEvent(name);
    return EventDetails{from_row<EventView>(event), from_rows<EventFieldView>(fields)};
  });
}

Outcome<std::vector<TracerView>> Daemon::tracers() {
  return call([&] { return from_rows<TracerView>(bus_->ListTracers()); });
}

Outcome<EnvironmentView> Daemon::environment(std::uint64_t run) {
  return call([&] {
    auto [boot_id, facts, unknown] = bus_->GetFingerprint(run);
    return EnvironmentView{std::move(boot_id), from_rows<FactView>(facts), std::move(unknown)};
  });
}

}  // namespace netperfctl
