// Files of /proc that are read again and again, and the words in them.
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

// Enough for a hundred thousand routes; who has more gets no count rather than a daemon that stands still.
inline constexpr std::size_t kLargestText = std::size_t{16} << 20;

// Open for reading; not open where it is not there.
[[nodiscard]] Fd open_to_read(const std::string& path);

// From its beginning, as it is now.
[[nodiscard]] std::optional<std::string> read_again(const Fd& file);

// The first line of `text`, which loses it.
[[nodiscard]] std::string_view take_line(std::string_view& text);

// What stands between blanks.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line);

// A word that is a number and nothing else.
template <std::integral Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view word, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace netperfd::counters
