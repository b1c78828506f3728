// SPDX-License-Identifier: GPL-2.0-or-later
// The header of a database file, <https://sqlite.org/fileformat.html>, for code that has the file only as
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace netperfd::store {

struct FileHeader {
  static constexpr std::size_t kBytes = 100;

  std::uint64_t page_bytes = 0;
  std::uint64_t pages = 0;  // 0: it does not say
  std::int64_t version = 0;
  std::int64_t application_id = 0;
  bool is_utf8 = false;
};

// Absent if the bytes do not begin as a database does.
[[nodiscard]] std::optional<FileHeader> read_header(std::string_view bytes);

// Changes the first page, or its header, so that the file says how many pages it has and needs no write-ahead
// log beside it.
void make_self_contained(std::string& first_page, std::uint64_t pages);

}  // namespace netperfd::store
