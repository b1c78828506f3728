// Rows of a table, read in one go.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Calls `take` for each row of `select`.
template <class Take>
[[nodiscard]] Status for_each_row(Statement& select, Take take) {
  for (;;) {
    auto more = select.step();
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
    take(select);
  }
  select.rewind();
  return {};
}

// Reads all rows with `columns`, in the order of `key`, into `rows`; `members` returns the members of one
// row.
template <class Row, class Members>
[[nodiscard]] Status read_all(Connection& connection, std::string_view table, std::string_view columns,
                              std::string_view key, RunId run, std::vector<Row>& rows, Members members) {
  auto select =
      connection.prepare(fmt::format("SELECT {} FROM {} WHERE run = ? ORDER BY {}", columns, table, key));
  if (!select) return std::unexpected(select.error());
  return for_each_row(select->bind(run),
                      [&](const Statement& row) { row.read(members(rows.emplace_back())); });
}

}  // namespace netperfd::store
