// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/paging.hpp"

#include <fmt/format.h>

#include <charconv>

namespace netperfd::store {

std::uint32_t page_size(std::uint32_t asked, std::uint32_t most) {
  return asked == 0 || asked > most ? most : asked;
}

std::string make_cursor(char listing, std::int64_t key) {
  return fmt::format("{}{}", listing, key);
}

Result<std::int64_t> parse_cursor(const std::string& cursor, char listing, std::int64_t first) {
  if (cursor.empty()) return first;
  std::int64_t key = -1;
  const char* end = cursor.data() + cursor.size();
  if (cursor.size() >= 2 && cursor.front() == listing) {
    const auto [stop, error] = std::from_chars(cursor.data() + 1, end, key);
    if (error == std::errc{} && stop == end && key >= 0) return key;
  }
  return fail(ErrorKind::invalid_argument, "the cursor is not one that the page before gave");
}

}  // namespace netperfd::store
