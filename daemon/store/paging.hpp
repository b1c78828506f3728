// SPDX-License-Identifier: GPL-2.0-or-later
// Pages of a long listing: their size, and the cursor for the next page.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// The requested size, limited to between 1 and `most`; 0 means `most`.
[[nodiscard]] std::uint32_t page_size(std::uint32_t asked, std::uint32_t most);

// A cursor is the letter of the listing followed by the last key of the page, so that a cursor of another
// listing is refused. Keys are not negative.
[[nodiscard]] std::string make_cursor(char listing, std::int64_t key);
// `first` for an empty cursor; invalid_argument for a cursor not made by make_cursor().
[[nodiscard]] Result<std::int64_t> parse_cursor(const std::string& cursor, char listing, std::int64_t first);

// The rows of `select`, which must ask for one row more than `size`, to see whether a page follows. `read`
// fills one row and returns its key, a Result<std::int64_t>.
template <class Row, class Read>
[[nodiscard]] Result<core::Page<Row>> read_page(Statement& select, char listing, std::uint32_t size,
                                                Read read) {
  core::Page<Row> page;
  std::int64_t last = 0;
  for (;;) {
    auto more = select.step();
    if (!more) return std::unexpected(std::move(more.error()));
    if (!*more) return page;
    if (page.rows.size() == size) {
      page.next = make_cursor(listing, last);
      return page;
    }
    Result<std::int64_t> key = read(page.rows.emplace_back());
    if (!key) return std::unexpected(std::move(key.error()));
    last = *key;
  }
}

}  // namespace netperfd::store
