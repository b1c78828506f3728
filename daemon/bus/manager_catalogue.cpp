// SPDX-License-Identifier: GPL-2.0-or-later
// The methods of org.netperfd1.Manager for the capabilities of this machine and its kernel.
#include <tuple>
#include <utility>

#include "daemon/base/error.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/wire.hpp"
#include "daemon/bus/wire_catalogue.hpp"
#include "daemon/bus/wire_text.hpp"
#include "daemon/core/ports/catalogue.hpp"

namespace netperfd::bus {

void ManagerObject::ListCapabilities(sdbus::Result<Dicts>&& result, bool fresh) {
  const auto reply = share(std::move(result));
  const auto list = [this, reply, fresh] {
    auto rows = ports_.catalogue.capabilities(fresh);
    if (settings_.room) {
      const Status room = settings_.room();
      rows.push_back({.name = "database",
                      .ability = room ? core::Ability::yes : core::Ability::no,
                      .detail = room ? "it can store new runs" : room.error().message,
                      .advice = ""});
    }
    reply->ok(all_rows(rows, capability_row));
  };
  answer(reply, [&] {
    if (!fresh) return list();
    // Probing creates and removes trace instances, so only authorized callers may request it.
    with_allowed({.actions = {core::Action::measure}, .deed = "probe the capabilities anew"}, reply,
                 [list](const Caller&) { list(); });
  });
}

ManagerObject::Dicts ManagerObject::ListModules(const std::string& pattern) {
  return dbus::guarded([&] {
    throw_if_failed(check_line("pattern", pattern, kPatternLimit));
    return all_rows(value_or_throw(ports_.catalogue.modules(pattern)), module_row);
  });
}

std::tuple<ManagerObject::Dicts, std::string, std::uint64_t, std::vector<std::string>>
ManagerObject::ListFunctions(const Dict& filter, const std::string& cursor, const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const core::FunctionFilter wanted = value_or_throw(parse_function_filter(filter));
    const std::uint64_t offset = value_or_throw(parse_cursor(cursor));
    const auto found =
        value_or_throw(ports_.catalogue.functions(wanted, offset, page_limit(limit, kMaxRows)));
    std::size_t room = kRowsBudgetBytes - kListBytes;
    Dicts rows = fitting_rows(found.rows, function_row, room, room);
    std::string next = next_cursor(offset, rows.size(), found.total);
    return std::tuple{std::move(rows), std::move(next), found.total,
                      wire_texts(found.nearest, kListBytes).texts};
  });
}

std::vector<std::string> ManagerObject::ListEvents(const std::string& pattern) {
  return dbus::guarded([&] {
    throw_if_failed(check_line("pattern", pattern, kPatternLimit));
    std::vector<std::string> names;
    for (const core::EventRow& event : value_or_throw(ports_.catalogue.events(pattern))) {
      names.push_back(event.name);
    }
    WireTexts wire = wire_texts(names, kRowsBudgetBytes);
    if (wire.cut) throw to_dbus(too_much_for_a_message());
    return std::move(wire.texts);
  });
}

std::vector<std::string> ManagerObject::ListAllowedEvents(const std::string& pattern) {
  return dbus::guarded([&] {
    throw_if_failed(check_line("pattern", pattern, kPatternLimit));
    std::vector<std::string> names;
    for (const core::EventRow& event : value_or_throw(ports_.catalogue.events(pattern))) {
      if (fits_event(settings_.trace_events, event.name)) names.push_back(event.name);
    }
    WireTexts wire = wire_texts(names, kRowsBudgetBytes);
    if (wire.cut) throw to_dbus(too_much_for_a_message());
    return std::move(wire.texts);
  });
}

std::tuple<ManagerObject::Dict, ManagerObject::Dicts> ManagerObject::GetEvent(const std::string& name) {
  return dbus::guarded([&] {
    throw_if_failed(check_line("name", name, kNameLimit));
    const core::EventDetails event = value_or_throw(ports_.catalogue.event(name));
    return std::tuple{event_row(event, fits_event(settings_.trace_events, event.name)).row,
                      all_rows(event.fields, event_field_row)};
  });
}

ManagerObject::Dicts ManagerObject::ListTracers() {
  return dbus::guarded([&] { return all_rows(value_or_throw(ports_.catalogue.tracers()), tracer_row); });
}

}  // namespace netperfd::bus
