// SPDX-License-Identifier: GPL-2.0-or-later
// Methods about a run and its counters.
#include <fmt/format.h>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/methods/methods.hpp"
#include "daemon/bus/rows/list_part.hpp"
#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire.hpp"
#include "daemon/bus/rows/wire_counters.hpp"
#include "daemon/bus/rows/wire_fingerprint.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "daemon/log/log.hpp"

namespace netperfd::bus::methods {

std::tuple<Row, Rows, Rows> get_run(Call& call, std::uint64_t run) {
  // 0 is the newest that has ended, here as in the store.
  const RunId id = run == 0 ? 0 : value_or_throw(parse_id(run, "run"));
  const core::RunRow found = value_or_throw(call.ports.queries.run(id));
  return {run_row(found), all_rows(found.sums, to_wire<Totals>), flag_rows(found.flags)};
}

Rows list_streams(Call& call, Run run) {
  return all_rows(value_or_throw(call.ports.queries.streams(run.id)), to_wire<Totals>);
}

Page list_intervals(Call& call, Run run, Cursor cursor, Limit limit) {
  const auto fetch = [&](std::uint32_t rows) { return call.ports.queries.intervals(run.id, cursor, rows); };
  WirePage page = fitting_page(page_limit(limit, kMaxRows), fetch, to_wire<Interval>);
  return {std::move(page.rows), std::move(page.next)};
}

std::tuple<std::string, Rows, Texts> get_fingerprint(Call& call, Run run) {
  const Fingerprint found = value_or_throw(call.ports.queries.fingerprint(run.id));
  return {wire_text(found.boot_id, kShortTextBytes), all_rows(found.facts, fact_row),
          wire_texts(found.unknown, kListBytes).texts};
}

std::tuple<Rows, std::string, std::uint64_t, Texts> list_counters(Call& call, Run run, Cursor cursor,
                                                                  Limit limit) {
  const Counters found = value_or_throw(call.ports.queries.counters(run.id));
  auto [rows, next, total] = list_part(found.deltas, cursor, limit, counter_row);
  return {std::move(rows), std::move(next), total, unknown_counters(found)};
}

CountedPage list_tcp_samples(Call& call, Run run, Cursor cursor, Limit limit) {
  return list_part(value_or_throw(call.ports.queries.counters(run.id)).tcp, cursor, limit, tcp_sample_row);
}

CountedPage list_queue_samples(Call& call, Run run, Cursor cursor, Limit limit) {
  return list_part(value_or_throw(call.ports.queries.counters(run.id)).queues, cursor, limit,
                   queue_sample_row);
}

CountedPage list_figures(Call& call, Run run, Cursor cursor, Limit limit) {
  return list_part(value_or_throw(call.ports.queries.named_figures(run.id)), cursor, limit, named_figure_row);
}

void set_note(Call& call, Run run, Note note) {
  call.audited->detail = note.text;
  throw_if_failed(call.ports.store.set_note(run.id, note.text));
}

void delete_run(Call& call, Run run) {
  call.audited->job = value_or_throw(call.ports.queries.owner_of(run.id)).job;
  throw_if_failed(call.ports.store.remove(run.id));
  call.manager.run_deleted(run.id, *call.audited->job);
  log::info(fmt::format("deleted by uid {}", call.caller.uid), {.run = run.id});
}

}  // namespace netperfd::bus::methods
