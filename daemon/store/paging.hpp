// Pages of a long listing: their size, and the cursor that leads from one to the next.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "daemon/base/error.hpp"
#include "daemon/core/ports.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// What was asked for, between 1 and `most`; 0 asks for the most.
[[nodiscard]] std::uint32_t page_size(std::uint32_t asked, std::uint32_t most);

// A cursor is the last key of its page behind the letter of its listing, so that one of another listing is
// refused. Keys are not negative.
[[nodiscard]] std::string make_cursor(char listing, std::int64_t key);
// `first` for an empty cursor; invalid_argument for one that make_cursor() did not make.
[[nodiscard]] Result<std::int64_t> parse_cursor(const std::string& cursor, char listing, std::int64_t first);

// The rows of `select`, which is bound to give one more than `size` where there is one. `read` fills one of
// them and gives its key, a Result<std::int64_t>.
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
