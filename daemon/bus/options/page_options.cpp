// SPDX-License-Identifier: GPL-2.0-or-later
// What arguments of many methods have in common: the sizes of texts, the pages of lists, the numbers of rows.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>

#include "daemon/bus/options/options.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::bus {

Status check_size(const char* what, const std::string& text, std::size_t limit_bytes) {
  if (text.size() <= limit_bytes) return {};
  return invalid(fmt::format("{}: {} bytes long; at most {} are allowed", what, text.size(), limit_bytes));
}

Status check_line(const char* what, const std::string& text, std::size_t limit_bytes) {
  if (auto checked = check_size(what, text, limit_bytes); !checked) return checked;
  if (const auto why = not_printable(text); !why.empty()) return invalid(fmt::format("{}: {}", what, why));
  return {};
}

Status check_label(const std::string& text) {
  if (auto checked = check_line("label", text, kLabelLimit); !checked) return checked;
  if (const auto why = not_distinct(text); !why.empty()) return invalid("label: " + why);
  return {};
}

std::uint32_t page_limit(std::uint32_t asked, std::uint32_t highest) {
  return asked == 0 ? highest : std::min(asked, highest);
}

Result<std::uint64_t> parse_cursor(const std::string& cursor) {
  if (cursor.empty()) return 0;
  std::uint64_t offset = 0;
  const char* end = cursor.data() + cursor.size();
  const auto [stop, error] = std::from_chars(cursor.data(), end, offset);
  if (error == std::errc{} && stop == end) return offset;
  return invalid(fmt::format("cursor: {} does not come from an earlier page", in_quotes(cursor)));
}

std::string next_cursor(std::uint64_t offset, std::size_t rows, std::uint64_t total) {
  if (rows == 0 || offset >= total || total - offset <= rows) return {};
  return std::to_string(offset + rows);
}

Result<std::int64_t> parse_id(std::uint64_t number, const char* what) {
  if (number == 0 || number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return fail(ErrorKind::not_found, fmt::format("{} {}: no such {}", what, number, what));
  }
  return static_cast<std::int64_t>(number);
}

}  // namespace netperfd::bus
