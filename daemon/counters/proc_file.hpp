// SPDX-License-Identifier: GPL-2.0-or-later
// Files of /proc that are read repeatedly, and the words in them.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "daemon/base/fd.hpp"

namespace netperfd::counters {

// Enough for a hundred thousand routes. A machine with more gets no count, so that the daemon does not stall.
inline constexpr std::size_t kLargestText = std::size_t{16} << 20;

// Opens a file for reading; the result is invalid if the file does not exist.
[[nodiscard]] Fd open_to_read(const std::string& path);

// Reads the file from its beginning, with its current contents.
[[nodiscard]] std::optional<std::string> read_again(const Fd& file);

// Removes the first line of `text` and returns it.
[[nodiscard]] std::string_view take_line(std::string_view& text);

// The words between blanks.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line);

// A word that is only a number.
template <std::integral Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view word, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace netperfd::counters
