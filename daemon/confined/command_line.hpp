// SPDX-License-Identifier: GPL-2.0-or-later
// The words of a confined process's command line, on both sides.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "daemon/confined/confinement.hpp"

namespace netperfd::confined {

inline constexpr std::size_t kConfinementWords = 5;

template <class Number>
[[nodiscard]] bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// kConfinementWords of them.
[[nodiscard]] inline std::vector<std::string> to_words(const Confinement& confinement) {
  return {std::to_string(confinement.parent), std::to_string(confinement.uid),
          std::to_string(confinement.gid), std::to_string(confinement.memory_bytes),
          std::to_string(confinement.cpu_seconds)};
}

// Reads the words from `first` on.
[[nodiscard]] inline std::optional<Confinement> from_words(char** first) {
  Confinement confinement;
  const bool read = read_number(first[0], confinement.parent) && read_number(first[1], confinement.uid) &&
                    read_number(first[2], confinement.gid) &&
                    read_number(first[3], confinement.memory_bytes) &&
                    read_number(first[4], confinement.cpu_seconds);
  return read ? std::optional(confinement) : std::nullopt;
}

}  // namespace netperfd::confined
