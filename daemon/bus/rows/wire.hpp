// SPDX-License-Identifier: GPL-2.0-or-later
// Converts the model to the rows that dbus/org.netperfd1.Manager.xml documents. Unknown values have no key.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/spread.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/rows/row.hpp"
#include "daemon/core/ports/run_observer.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/core/ports/scenario_source.hpp"

namespace netperfd::bus {

// Bytes for rows in a message, which must stay below 1 MiB with its header and its other arguments.
inline constexpr std::size_t kRowsBudgetBytes = std::size_t{1024 - 32} * 1024;

[[nodiscard]] Row run_row(const core::RunRow& run);
// A row of a list, with the headline figures of the first direction. Long texts are cut.
[[nodiscard]] Row listed_run_row(const core::RunRow& run);
[[nodiscard]] Row named_figure_row(const NamedFigure& figure);
[[nodiscard]] Row scenario_row(const core::ScenarioRow& scenario);
[[nodiscard]] Row spread_row(const analysis::Spread& spread);
// From the job's runs, at least one.
[[nodiscard]] Row job_row(const core::JobRow& job);
[[nodiscard]] Row boot_row(const BootRecord& boot);
// Of all runs of a job, oldest first.
[[nodiscard]] core::JobRow summary_of(const std::vector<core::RunRow>& runs);
// The property Design of a live job; empty without one.
[[nodiscard]] Row design_row(const core::JobStatus& job);
// As many as the budget allows; GetRun's `flags` has the full number.
[[nodiscard]] Rows flag_rows(const std::vector<QualityFlag>& flags);

// As many rows, from the first on, as fit into the smaller of `limit_bytes` and `room_bytes`. Subtracts their
// size from `room_bytes`.
template <class Item, class MakeRow>
[[nodiscard]] Rows fitting_rows(const std::vector<Item>& items, MakeRow make_row, std::size_t limit_bytes,
                                std::size_t& room_bytes) {
  Rows rows;
  std::size_t bytes = 0;
  for (const Item& item : items) {
    Row made = make_row(item);
    if (bytes + made.bytes() > std::min(limit_bytes, room_bytes)) break;
    bytes += made.bytes();
    rows.push_back(std::move(made));
  }
  room_bytes -= bytes;
  return rows;
}

[[nodiscard]] inline Error too_much_for_a_message() {
  return {ErrorKind::unsupported,
          "the answer does not fit into one message of 1 MiB; a narrower pattern, where there is one, gives "
          "less"};
}

// The error for a page on which not even one row fits.
[[nodiscard]] inline Error too_large_for_a_message() {
  return {ErrorKind::internal, "one row is larger than a message may be"};
}

// Rows of a method that has no pages; throws Unsupported if they do not fit into one message.
template <class Item, class MakeRow>
[[nodiscard]] Rows all_rows(const std::vector<Item>& items, MakeRow make_row) {
  Rows rows;
  rows.reserve(items.size());
  std::size_t bytes = 0;
  for (const Item& item : items) {
    Row made = make_row(item);
    bytes += made.bytes();
    if (bytes > kRowsBudgetBytes) {
      throw to_dbus(too_much_for_a_message());
    }
    rows.push_back(std::move(made));
  }
  return rows;
}

// The rows from `offset` on of a list of `count` rows: at most `limit`, and only as many as fit into a
// message. `make_row(index)` makes them.
template <class MakeRow>
[[nodiscard]] Rows fitting_part(std::size_t count, std::uint64_t offset, std::uint32_t limit,
                                MakeRow make_row) {
  Rows rows;
  std::size_t bytes = 0;
  for (std::size_t i = std::min<std::uint64_t>(offset, count); i < count && rows.size() < limit; ++i) {
    Row made = make_row(i);
    bytes += made.bytes();
    if (bytes > kRowsBudgetBytes) {
      if (rows.empty()) throw to_dbus(too_large_for_a_message());
      break;
    }
    rows.push_back(std::move(made));
  }
  return rows;
}

struct WirePage {
  Rows rows;
  std::string next;
};

// The page that `fetch(limit)`, a Result<core::Page<Item>>, returns for `limit`. If it does not fit into a
// message, fetches again with the number of rows that fit, since cursors are the store's.
template <class Fetch, class MakeRow>
[[nodiscard]] WirePage fitting_page(std::uint32_t limit, Fetch fetch, MakeRow make_row) {
  for (;;) {
    const auto page = value_or_throw(fetch(limit));
    WirePage fitting;
    fitting.rows.reserve(page.rows.size());
    std::size_t bytes = 0;
    for (const auto& item : page.rows) {
      Row made = make_row(item);
      bytes += made.bytes();
      if (bytes > kRowsBudgetBytes) break;
      fitting.rows.push_back(std::move(made));
    }
    if (fitting.rows.size() == page.rows.size()) {
      fitting.next = page.next;
      return fitting;
    }
    if (fitting.rows.empty()) throw to_dbus(too_large_for_a_message());
    limit = static_cast<std::uint32_t>(fitting.rows.size());
  }
}

}  // namespace netperfd::bus
