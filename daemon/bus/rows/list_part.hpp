// SPDX-License-Identifier: GPL-2.0-or-later
// A page of a list that the daemon holds as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/options/options.hpp"
#include "daemon/bus/rows/wire.hpp"

namespace netperfd::bus {

// The rows from `cursor` on that fit into a message, the cursor of the next page, and the length of the list.
template <class Item, class MakeRow>
[[nodiscard]] std::tuple<Rows, std::string, std::uint64_t> list_part(const std::vector<Item>& items,
                                                                     const std::string& cursor,
                                                                     std::uint32_t limit, MakeRow make_row) {
  const std::uint64_t offset = value_or_throw(parse_cursor(cursor));
  auto rows = fitting_part(items.size(), offset, page_limit(limit, kMaxRows),
                           [&](std::size_t i) { return make_row(items[i]); });
  std::string next = next_cursor(offset, rows.size(), items.size());
  return {std::move(rows), std::move(next), items.size()};
}

}  // namespace netperfd::bus
