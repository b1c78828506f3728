// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3_repair.hpp"

#include <array>

namespace netperfd::workload {
namespace {

// The length of a `nan` or `inf`, with or without a sign, at position `at` if a value may stand there; 0 for
// anything else.
std::size_t bad_number_length(std::string_view bytes, std::size_t at) {
  constexpr std::array<std::string_view, 7> kTokens{"-nan", "nan",      "-inf",     "inf",
                                                    "NaN",  "Infinity", "-Infinity"};
  if (at == 0 || std::string_view(":,[ \t\r\n").find(bytes[at - 1]) == std::string_view::npos) return 0;
  for (const auto token : kTokens) {
    if (!bytes.substr(at).starts_with(token)) continue;
    const std::size_t end = at + token.size();
    if (end < bytes.size() && std::string_view(",]} \t\r\n").find(bytes[end]) != std::string_view::npos) {
      return token.size();
    }
  }
  return 0;
}

// The length of the UTF-8 character at `at`; 0 if there is none. Overlong forms, surrogates and what is
// beyond Unicode are none.
std::size_t character_length(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
    return 0;
  }
  return length;
}

}  // namespace

Repaired repair(std::string_view bytes) {
  Repaired result;
  result.text.reserve(bytes.size());
  bool in_string = false;
  for (std::size_t i = 0; i < bytes.size();) {
    if (in_string && bytes[i] == '\\' && i + 1 < bytes.size()) {
      result.text += bytes[i++];
    } else if (bytes[i] == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      if (const std::size_t length = bad_number_length(bytes, i); length > 0) {
        result.text += "null";
        ++result.tokens;
        i += length;
        continue;
      }
    }
    const std::size_t length = character_length(bytes, i);
    if (length == 0) {
      result.text += '?';
      ++result.bytes;
      ++i;
    } else {
      result.text += bytes.substr(i, length);
      i += length;
    }
  }
  return result;
}

}  // namespace netperfd::workload
