// SPDX-License-Identifier: GPL-2.0-or-later
// Methods about what this machine and its kernel can do.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/methods/methods.hpp"
#include "daemon/bus/rows/wire.hpp"
#include "daemon/bus/rows/wire_catalogue.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "daemon/core/ports/catalogue.hpp"
#include "daemon/core/queue/scheduler.hpp"
#include "daemon/core/sides/left_sides.hpp"
#include "daemon/model/event_patterns.hpp"

namespace netperfd::bus::methods {
namespace {

template <class IsListed>
Texts names_of_events(Call& call, const Pattern& pattern, IsListed is_listed) {
  Texts names;
  for (const core::EventRow& event : value_or_throw(call.ports.catalogue.events(pattern.text))) {
    if (is_listed(event.name)) names.push_back(event.name);
  }
  WireTexts wire = wire_texts(names, kRowsBudgetBytes);
  if (wire.cut) throw to_dbus(too_much_for_a_message());
  return std::move(wire.texts);
}

// A script among the words would hide all else.
std::string shown_command(const std::vector<std::string>& argv) {
  constexpr std::size_t kShownWords = 160;  // bytes
  const std::string words = fmt::format("{}", fmt::join(argv, " "));
  return words.size() > kShownWords ? fmt::format("its command, which begins with `{}`,", argv.front())
                                    : fmt::format("`{}`", words);
}

// What ended designs left changed on the machine, and the way out.
core::Capability sides_row(const core::Scheduler& scheduler) {
  core::Capability row{.name = "sides",
                       .ability = core::Ability::yes,
                       .detail = "no ended job left anything changed on the machine",
                       .advice = ""};
  const auto all = scheduler.left_sides();
  if (!all) {
    row.ability = core::Ability::no;
    row.detail = fmt::format("it is not known what is to be brought back: {}", all.error().message);
    row.advice = "as long as that lasts, no design with commands or settings runs";
  }
  if (!all || all->empty()) return row;
  std::vector<std::string> details, advice;
  for (const core::LeftSide& left : *all) {
    details.push_back(fmt::format("{}{}{}", core::words_of(left.note),
                                  left.failure.empty() ? "" : "; the last way back failed: ", left.failure));
    advice.push_back(fmt::format("`netperfctl undo {}`, for its owner and root, runs {} again", left.note.job,
                                 shown_command(left.note.apply)));
  }
  row.ability = core::Ability::limited;
  row.detail = fmt::format("{}; designs that concern the same do not run", fmt::join(details, "; "));
  row.advice = fmt::format("{}; the next job does too, and a reboot ends it", fmt::join(advice, "; "));
  return row;
}

}  // namespace

Task<Rows> list_capabilities(Call& call, bool fresh) {
  // Probing creates and removes trace instances.
  if (fresh) co_await call.allow(core::Action::measure, "probe the capabilities anew");
  auto rows = call.ports.catalogue.capabilities(fresh);
  rows.push_back(sides_row(call.ports.scheduler));
  const Status room = call.ports.store_keeper.room();
  rows.push_back({.name = "database",
                  .ability = room ? core::Ability::yes : core::Ability::no,
                  .detail = room ? "it can store new runs" : room.error().message,
                  .advice = ""});
  co_return all_rows(rows, capability_row);
}

Rows list_modules(Call& call, Pattern pattern) {
  return all_rows(value_or_throw(call.ports.catalogue.modules(pattern.text)), module_row);
}

std::tuple<Rows, std::string, std::uint64_t, Texts> list_functions(Call& call, core::FunctionFilter filter,
                                                                   Cursor cursor, Limit limit) {
  const std::uint64_t offset = value_or_throw(parse_cursor(cursor));
  const auto found =
      value_or_throw(call.ports.catalogue.functions(filter, offset, page_limit(limit, kMaxRows)));
  std::size_t room = kRowsBudgetBytes - kListBytes;
  Rows rows = fitting_rows(found.rows, function_row, room, room);
  std::string next = next_cursor(offset, rows.size(), found.total);
  return {std::move(rows), std::move(next), found.total, wire_texts(found.nearest, kListBytes).texts};
}

Texts list_events(Call& call, Pattern pattern) {
  return names_of_events(call, pattern, [](const std::string&) { return true; });
}

Texts list_allowed_events(Call& call, Pattern pattern) {
  return names_of_events(
      call, pattern, [&](const std::string& name) { return fits_event(call.settings.trace_events, name); });
}

RowAndRows get_event(Call& call, Name name) {
  const core::EventDetails event = value_or_throw(call.ports.catalogue.event(name.text));
  return {event_row(event, fits_event(call.settings.trace_events, event.name)),
          all_rows(event.fields, event_field_row)};
}

Rows list_tracers(Call& call) {
  return all_rows(value_or_throw(call.ports.catalogue.tracers()), tracer_row);
}

}  // namespace netperfd::bus::methods
