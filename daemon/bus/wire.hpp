// The model as the rows that dbus/org.netperfd1.Manager.xml documents. What is not known has no key.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/spread.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/core/ports.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// Room for rows in a message that, with its header and its other arguments, has to stay below 1 MiB.
inline constexpr std::size_t kRowsBudgetBytes = std::size_t{1024 - 32} * 1024;

struct WireRow {
  dbus::Row row;
  std::size_t bytes = 0;  // of the row in a message, padding included
};

[[nodiscard]] WireRow run_row(const core::RunRow& run);
// As in a list: with the headline figures of the first direction, long texts cut.
[[nodiscard]] WireRow listed_run_row(const core::RunRow& run);
[[nodiscard]] WireRow scenario_row(const core::ScenarioRow& scenario);
[[nodiscard]] WireRow spread_row(const analysis::Spread& spread);
// From the job's runs, of which there is at least one.
[[nodiscard]] WireRow job_row(const std::vector<core::RunRow>& runs);
// The property Design of a live job; empty without one.
[[nodiscard]] WireRow design_row(const core::JobStatus& job);
// As many as the budget allows; GetRun's `flags` has their number.
[[nodiscard]] dbus::Rows flag_rows(const std::vector<QualityFlag>& flags);

// As many rows, from the first on, as fit into the smaller of `limit_bytes` and `room_bytes`, off which it
// takes what they need.
template <class Item, class MakeRow>
[[nodiscard]] dbus::Rows fitting_rows(const std::vector<Item>& items, MakeRow make_row,
                                      std::size_t limit_bytes, std::size_t& room_bytes) {
  dbus::Rows rows;
  std::size_t bytes = 0;
  for (const Item& item : items) {
    WireRow made = make_row(item);
    if (bytes + made.bytes > std::min(limit_bytes, room_bytes)) break;
    bytes += made.bytes;
    rows.push_back(std::move(made.row));
  }
  room_bytes -= bytes;
  return rows;
}

[[nodiscard]] inline Error too_much_for_a_message() {
  return {ErrorKind::unsupported,
          "the answer does not fit into one message of 1 MiB; a narrower pattern, where there is one, gives "
          "less"};
}

// Of a page that could never get anywhere.
[[nodiscard]] inline Error too_large_for_a_message() {
  return {ErrorKind::internal, "one row is larger than a message may be"};
}

// Rows of a method that has no pages; throws Unsupported where they do not fit into one message.
template <class Item, class MakeRow>
[[nodiscard]] dbus::Rows all_rows(const std::vector<Item>& items, MakeRow make_row) {
  dbus::Rows rows;
  rows.reserve(items.size());
  std::size_t bytes = 0;
  for (const Item& item : items) {
    WireRow made = make_row(item);
    bytes += made.bytes;
    if (bytes > kRowsBudgetBytes) {
      throw to_dbus(too_much_for_a_message());
    }
    rows.push_back(std::move(made.row));
  }
  return rows;
}

// Of a list of `count`, the rows from `offset` on, `limit` of them at most and as many as fit into a message;
// `make_row(index)` makes them.
template <class MakeRow>
[[nodiscard]] dbus::Rows fitting_part(std::size_t count, std::uint64_t offset, std::uint32_t limit,
                                      MakeRow make_row) {
  dbus::Rows rows;
  std::size_t bytes = 0;
  for (std::size_t i = std::min<std::uint64_t>(offset, count); i < count && rows.size() < limit; ++i) {
    WireRow made = make_row(i);
    bytes += made.bytes;
    if (bytes > kRowsBudgetBytes) {
      if (rows.empty()) throw to_dbus(too_large_for_a_message());
      break;
    }
    rows.push_back(std::move(made.row));
  }
  return rows;
}

struct WirePage {
  dbus::Rows rows;
  std::string next;
};

// The page that `fetch(limit)`, a Result<core::Page<Item>>, gives for `limit`, or a shorter one where that
// would not fit into a message: cursors are the store's, so it is asked again for as many rows as there was
// room for.
template <class Fetch, class MakeRow>
[[nodiscard]] WirePage fitting_page(std::uint32_t limit, Fetch fetch, MakeRow make_row) {
  for (;;) {
    const auto page = value_or_throw(fetch(limit));
    WirePage fitting;
    fitting.rows.reserve(page.rows.size());
    std::size_t bytes = 0;
    for (const auto& item : page.rows) {
      WireRow made = make_row(item);
      bytes += made.bytes;
      if (bytes > kRowsBudgetBytes) break;
      fitting.rows.push_back(std::move(made.row));
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
