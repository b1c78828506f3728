// SPDX-License-Identifier: GPL-2.0-or-later
// Methods about a run's trace.
#include "daemon/bus/errors.hpp"
#include "daemon/bus/methods/methods.hpp"
#include "daemon/bus/rows/wire.hpp"
#include "daemon/bus/rows/wire_trace.hpp"

namespace netperfd::bus::methods {
namespace {

constexpr std::uint32_t kPageLimit = 500;

}  // namespace

std::tuple<Row, Rows, Rows, Rows, Rows> get_trace(Call& call, Run run) {
  WireTrace wire = wire_trace(value_or_throw(call.ports.queries.trace(run.id)));
  return {std::move(wire.trace), std::move(wire.cpus), std::move(wire.events), std::move(wire.drops),
          std::move(wire.marks)};
}

Page list_trace_samples(Call& call, Run run, EventName event, Cursor cursor, Limit limit) {
  const auto fetch = [&](std::uint32_t rows) {
    return call.ports.queries.trace_samples(run.id, event.text, cursor, rows);
  };
  WirePage page = fitting_page(page_limit(limit, kPageLimit), fetch, sample_row);
  return {std::move(page.rows), std::move(page.next)};
}

Page list_trace_stacks(Call& call, Run run, Cursor cursor, Limit limit) {
  const auto fetch = [&](std::uint32_t rows) {
    return call.ports.queries.trace_stacks(run.id, cursor, rows);
  };
  WirePage page = fitting_page(page_limit(limit, kPageLimit), fetch, stack_row);
  return {std::move(page.rows), std::move(page.next)};
}

}  // namespace netperfd::bus::methods
