// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of a table, read or written in one go.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <tuple>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/columns.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Calls `take` for each row of `select`, up to the first one that cannot be read.
template <class Take>
[[nodiscard]] Status for_each_row(Statement& select, Take take) {
  RowReader row{select};
  while (row.status()) {
    auto more = select.step();
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
    take(row);
  }
  select.rewind();
  return row.status();
}

// Reads all rows with `columns`, in the order of `key`, into `rows`; `members` returns the members of one
// row.
template <class Row, class Members>
[[nodiscard]] Status read_all(Connection& connection, std::string_view table, std::string_view columns,
                              std::string_view key, RunId run, std::vector<Row>& rows, Members members) {
  auto select =
      connection.prepare(fmt::format("SELECT {} FROM {} WHERE run = ? ORDER BY {}", columns, table, key));
  if (!select) return std::unexpected(select.error());
  return for_each_row(select->bind(run), [&](RowReader& row) { row.read(members(rows.emplace_back())); });
}
template <rows::Described Row>
[[nodiscard]] Status read_all(Connection& connection, std::string_view table, std::string_view key, RunId run,
                              std::vector<Row>& rows) {
  return read_all(connection, table, columns_of<Row>(), key, run, rows,
                  [](Row& row) { return members_of(row); });
}

// Inserts `rows`, a vector or a span, with their positions, from `position` on.
template <class Rows, class Members>
[[nodiscard]] Status write_all(Connection& connection, std::string_view table, std::string_view columns,
                               RunId run, const Rows& rows, Members members, std::size_t position = 0) {
  auto insert = connection.prepare(insert_into(table, fmt::format("run, position, {}", columns)));
  if (!insert) return std::unexpected(insert.error());
  for (const auto& row : rows) {
    if (auto done = insert->bind(run, position++, members(row)).run(); !done) return done;
  }
  return {};
}
template <rows::Described Row>
[[nodiscard]] Status write_all(Connection& connection, std::string_view table, RunId run,
                               const std::vector<Row>& rows) {
  return write_all(connection, table, columns_of<Row>(), run, rows,
                   [](const Row& row) { return members_of(row); });
}
// For a table with one value per row.
template <class Value>
[[nodiscard]] Status write_all(Connection& connection, std::string_view table, std::string_view column,
                               RunId run, const std::vector<Value>& values) {
  return write_all(connection, table, column, run, values,
                   [](const Value& value) { return std::tie(value); });
}

}  // namespace netperfd::store
