// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/repair.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace netperfd::workload {
namespace {

constexpr std::string_view kBeforeValue = ":,[ \t\r\n", kBehindValue = ",]} \t\r\n";

// Whether it is a number of JSON that is beyond a double, which ends the parser. One too small for it is 0.
bool is_too_large(std::string_view token) {
  double value = 0;
  const char* const end = token.data() + token.size();
  const auto [stopped, error] = std::from_chars(token.data(), end, value);
  return error == std::errc::result_out_of_range && stopped == end &&
         token.find("e-") == std::string_view::npos && token.find("E-") == std::string_view::npos;
}

// The length of what a parser does not take as a number, at position `at` if a value may stand there: `nan`
// and `inf`, with or without a sign, and numbers that are too large. 0 for anything else.
std::size_t bad_number_length(std::string_view bytes, std::size_t at) {
  constexpr std::array<std::string_view, 7> kTokens{"-nan", "nan",      "-inf",     "inf",
                                                    "NaN",  "Infinity", "-Infinity"};
  if (at == 0 || kBeforeValue.find(bytes[at - 1]) == std::string_view::npos) return 0;
  // No further, so that bytes made to cost time do not.
  constexpr std::size_t kLongest = 1024;
  const std::string_view rest = bytes.substr(at, kLongest);
  const std::size_t end = rest.find_first_of(kBehindValue);
  if (end == std::string_view::npos) return 0;
  const std::string_view token = rest.substr(0, end);
  return std::ranges::find(kTokens, token) != kTokens.end() || is_too_large(token) ? token.size() : 0;
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
