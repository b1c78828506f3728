// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of which column_rules.cpp chooses one for each column.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "daemon/model/figure.hpp"
#include "daemon/model/sample_codec.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/trace_record.hpp"
#include "daemon/store/column_rules.hpp"
#include "daemon/store/number_list.hpp"

namespace netperfd::store::value_rules {

// ---- Numbers

inline constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

template <std::int64_t least, std::int64_t most>
std::string number(const StoredValue& value) {
  const auto* const given = std::get_if<std::int64_t>(&value);
  if (given != nullptr && *given >= least && *given <= most) return {};
  if (most == kMost && least == kLeast) return "a number";
  if (most == kMost) return fmt::format("a number of at least {}", least);
  return fmt::format("a number from {} to {}", least, most);
}

inline constexpr ColumnRule kAnyNumber = number<kLeast, kMost>;
inline constexpr ColumnRule kCount = number<0, kMost>;
inline constexpr ColumnRule kId = number<1, kMost>;
inline constexpr ColumnRule kFlag = number<0, 1>;
inline constexpr ColumnRule kPort = number<0, 65'535>;
inline constexpr ColumnRule kSmall = number<0, std::numeric_limits<std::uint32_t>::max()>;
inline constexpr ColumnRule kOrdinal = number<1, std::numeric_limits<std::uint32_t>::max()>;
inline constexpr ColumnRule kCpu = number<0, 16'383>;
inline constexpr ColumnRule kSlice = number<0, std::int64_t{kMostSlices} - 1>;
// Positions, of lists that a message holds as a whole. Those of other lists have no limit of their own.
template <std::int64_t rows>
inline constexpr ColumnRule kPlaceIn = number<0, rows - 1>;
// Times stay within a day of the calendar, and lengths within what nanoseconds can hold.
inline constexpr ColumnRule kTime = number<0, 253'402'300'799'999'999>;  // to the end of the year 9999
inline constexpr ColumnRule kMicroseconds = number<0, kMost / 1'000>;
inline constexpr ColumnRule kMilliseconds = number<0, kMost / 1'000'000>;
inline constexpr ColumnRule kSinceRelease = number<-kMost / 1'000, kMost / 1'000>;
inline constexpr ColumnRule kSliceWidth = number<0, kMost / std::int64_t{kMostSlices}>;

inline std::string real(const StoredValue& value) {
  if (std::holds_alternative<std::int64_t>(value)) return {};
  const auto* const given = std::get_if<double>(&value);
  return given != nullptr && std::isfinite(*given) ? "" : "a number that is finite";
}

// ---- Texts

inline constexpr std::size_t kLongestText = 65'536;      // as of what is imported
inline constexpr std::size_t kLongestJob = 524'288;      // a job's text, written anew with its overrides
inline constexpr std::size_t kLongestStack = 1'048'576;  // of all frames

template <std::size_t most, class Check>
std::string text(const StoredValue& value, std::string_view expected, Check why_wrong) {
  const auto* const given = std::get_if<std::string>(&value);
  if (given == nullptr) return fmt::format("a text, {}", expected);
  if (given->size() > most)
    return fmt::format("{} of at most {} bytes, not {}", expected, most, given->size());
  const std::string why = why_wrong(*given);
  return why.empty() ? why : fmt::format("{}: {}", expected, why);
}

template <std::size_t most>
std::string line(const StoredValue& value) {
  return text<most>(value, "one printable line", not_printable);
}

template <std::size_t most>
std::string lines(const StoredValue& value) {
  return text<most>(value, "printable lines", [](std::string_view rest) {
    std::string why;
    while (!rest.empty() && why.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      why = not_printable(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return why;
  });
}

template <std::size_t most>
std::string word(const StoredValue& value) {
  return text<most>(value, "a word of letters, digits, '.', '_' and '-'", [](std::string_view given) {
    return is_word(given, "._-", most) ? "" : "it has another character, or begins with a sign";
  });
}

inline constexpr ColumnRule kLine = line<kLongestText>;
inline constexpr ColumnRule kShort = line<255>;
// The schema has the words.
inline constexpr ColumnRule kKnownWord = word<32>;

inline std::string digest(const StoredValue& value) {
  return text<64>(value, "a SHA-256 in lowercase hexadecimal digits, or nothing", [](std::string_view given) {
    const bool fits = given.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
                      (given.empty() || given.size() == 64);
    return fits ? "" : "it is none";
  });
}

// A number that may not fit into INTEGER.
inline std::string digits(const StoredValue& value) {
  return text<20>(value, "a number of 64 bits", [](std::string_view given) {
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(given.data(), given.data() + given.size(), number);
    return error == std::errc{} && stop == given.data() + given.size() ? "" : "it is none";
  });
}

inline std::string figure(const StoredValue& value) {
  return text<255>(value, "the name of a figure",
                   [](std::string_view given) { return parse_any_figure(given) ? "" : "it is none"; });
}

inline std::string histogram(const StoredValue& value) {
  return text<kLongestText>(value, "the buckets of a histogram", [](std::string_view given) {
    return read_buckets(given) ? "" : "they are none";
  });
}

inline std::string slices(const StoredValue& value) {
  return text<kLongestText>(value, "a list of numbers", [](std::string_view given) {
    const auto numbers = read_numbers(given);
    return numbers && numbers->size() <= kMostSlices ? "" : "it is none, or too long";
  });
}

inline std::string number_or_line(const StoredValue& value) {
  return std::holds_alternative<std::int64_t>(value) ? "" : kLine(value);
}

// ---- Bytes

inline std::string bytes(const StoredValue& value) {
  return std::holds_alternative<StoredBytes>(value) ? "" : "bytes";
}

inline std::string stacks(const StoredValue& value) {
  const auto* const given = std::get_if<StoredBytes>(&value);
  if (given == nullptr) return "bytes";
  SampleProfile profile;
  if (auto decoded = decode_stacks(given->bytes, profile); !decoded) return "stacks as netperfd stores them";
  const auto is_line = [](const std::string& text) { return kLine(text).empty(); };
  const bool fits =
      std::ranges::all_of(
          profile.frames,
          [&](const SampleFrame& frame) { return is_line(frame.name) && is_line(frame.module); }) &&
      std::ranges::all_of(profile.nodes,
                          [](const SampleNode& node) { return std::in_range<std::int64_t>(node.samples); }) &&
      std::ranges::all_of(profile.builds, [&](const Build& build) {
        return is_line(build.module) && is_line(build.release) && is_line(build.build_id) &&
               is_line(build.srcversion);
      });
  return fits ? "" : "stacks with printable names and counts of 63 bits";
}

}  // namespace netperfd::store::value_rules
