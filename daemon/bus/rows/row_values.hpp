// SPDX-License-Identifier: GPL-2.0-or-later
// The values of rows as compact bytes: a letter for the type, then the value. These are the bytes of a Row
// (row.hpp) and of the answer of a query's process (query_bytes.hpp), which is not trusted.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "daemon/base/byte_archive.hpp"
#include "daemon/bus/rows/wire_text.hpp"

namespace netperfd::bus {

// A message is below 1 MiB with its header.
inline constexpr std::size_t kMessageBytes = std::size_t{1024 - 8} * 1024;
// Longest text that the daemon keeps of an answer: half of the rows of a message.
inline constexpr std::size_t kAnswerTextBytes = std::size_t{1024 - 32} * 1024 / 2;

// The types that values of rows have. Lists of rows, 'R', are handled where rows are.
template <class Value>
inline constexpr char kLetter = '\0';
template <>
inline constexpr char kLetter<bool> = 'b';
template <>
inline constexpr char kLetter<std::uint16_t> = 'q';
template <>
inline constexpr char kLetter<std::uint32_t> = 'u';
template <>
inline constexpr char kLetter<std::uint64_t> = 't';
template <>
inline constexpr char kLetter<std::int32_t> = 'i';
template <>
inline constexpr char kLetter<std::int64_t> = 'x';
template <>
inline constexpr char kLetter<double> = 'd';
template <>
inline constexpr char kLetter<std::string_view> = 's';
template <>
inline constexpr char kLetter<std::vector<std::string_view>> = 'S';
template <>
inline constexpr char kLetter<std::vector<bool>> = 'B';
template <>
inline constexpr char kLetter<std::vector<std::uint32_t>> = 'U';
template <>
inline constexpr char kLetter<std::vector<std::uint64_t>> = 'T';
inline constexpr char kRowsLetter = 'R';

template <class Value>
concept RowValue = kLetter<Value> != '\0';
template <class Value>
concept RowNumber = RowValue<Value> && std::is_arithmetic_v<Value>;

// Bytes of a number in a message.
template <RowNumber Number>
inline constexpr std::size_t kNumberBytes = std::is_same_v<Number, bool> ? 4 : sizeof(Number);

// What a value takes in a message, behind its signature. Lists begin with the number of their bytes.
struct MessageSize {
  std::size_t signature_length = 1;
  std::size_t alignment = 1;
  std::size_t bytes = 0;
};
template <RowNumber Number>
[[nodiscard]] MessageSize message_size(Number /*value*/) {
  return {1, kNumberBytes<Number>, kNumberBytes<Number>};
}
[[nodiscard]] inline MessageSize message_size(std::string_view text) {
  return {1, 4, text_bytes(text.size())};
}
[[nodiscard]] inline MessageSize message_size(const std::vector<std::string_view>& texts) {
  std::size_t bytes = 4;
  for (const std::string_view text : texts) bytes = round_up(bytes, 4) + text_bytes(text.size());
  return {2, 4, bytes};
}
template <RowNumber Number>
[[nodiscard]] MessageSize message_size(const std::vector<Number>& numbers) {
  constexpr std::size_t kHead = kNumberBytes<Number> == 8 ? 8 : 4;
  return {2, 4, kHead + numbers.size() * kNumberBytes<Number>};
}

namespace detail {

template <RowNumber Number>
std::uint64_t bits_of(Number value) {
  if constexpr (std::is_same_v<Number, double>) {
    return std::bit_cast<std::uint64_t>(value);
  } else if constexpr (std::is_signed_v<Number>) {
    // Small numbers of either sign take few bytes: 0, -1, 1, -2 are 0, 1, 2, 3.
    return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(std::int64_t{value} >> 63U);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

// Fails the reader if no number of this type has these bits.
template <RowNumber Number>
Number number_of(ByteReader& reader) {
  std::uint64_t bits = 0;
  reader.number(bits);
  if constexpr (std::is_same_v<Number, double>) {
    return std::bit_cast<double>(bits);
  } else if constexpr (std::is_signed_v<Number>) {
    const auto wide = static_cast<std::int64_t>((bits >> 1U) ^ (0 - (bits & 1U)));
    if (!std::in_range<Number>(wide)) reader.fail();
    return static_cast<Number>(wide);
  } else {
    if (bits > std::uint64_t{std::numeric_limits<Number>::max()}) reader.fail();
    return static_cast<Number>(bits);
  }
}

template <class Element>
std::vector<Element> list_of(ByteReader& reader);

}  // namespace detail

// Of elements that follow, each of which takes a byte at least.
[[nodiscard]] inline std::size_t count_of(ByteReader& reader) {
  std::uint64_t number = 0;
  reader.number(number);
  if (number > reader.bytes_left()) reader.fail();
  return reader.failed() ? 0 : static_cast<std::size_t>(number);
}

template <RowNumber Number>
void write_value(ByteWriter& writer, Number value) {
  writer.number(detail::bits_of(value));
}
inline void write_value(ByteWriter& writer, std::string_view text) {
  writer.text(text);
}
template <class Element>
  requires RowValue<Element>
void write_value(ByteWriter& writer, const std::vector<Element>& list) {
  writer.number(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) write_value(writer, static_cast<Element>(list[i]));
}

// Reads the value of a type and calls `visit(value)`; texts are views of the bytes. Fails the reader if the
// bytes are no such value, or would not fit into a message. False for a list of rows and for what is no type.
template <class Visit>
bool visit_value(ByteReader& reader, std::uint64_t letter, Visit visit) {
  const auto number = [&]<class Number>(Number /*type*/) {
    const auto value = detail::number_of<Number>(reader);
    if (!reader.failed()) visit(value);
    return true;
  };
  const auto list = [&]<class Element>(Element /*type*/) {
    const auto elements = detail::list_of<Element>(reader);
    if (!reader.failed()) visit(elements);
    return true;
  };
  switch (letter) {
    case 'b':
      return number(bool{});
    case 'q':
      return number(std::uint16_t{});
    case 'u':
      return number(std::uint32_t{});
    case 't':
      return number(std::uint64_t{});
    case 'i':
      return number(std::int32_t{});
    case 'x':
      return number(std::int64_t{});
    case 'd':
      return number(double{});
    case 's': {
      const std::string_view text = reader.view();
      if (!reader.failed()) visit(text);
      return true;
    }
    case 'S':
      return list(std::string_view{});
    case 'B':
      return list(bool{});
    case 'U':
      return list(std::uint32_t{});
    case 'T':
      return list(std::uint64_t{});
    default:
      return false;
  }
}

namespace detail {

template <class Element>
std::vector<Element> list_of(ByteReader& reader) {
  std::vector<Element> list;
  const std::size_t elements = count_of(reader);
  std::size_t least = 4 + 1;  // a text's length and its NUL
  if constexpr (RowNumber<Element>) least = kNumberBytes<Element>;
  if (elements > kMessageBytes / least) reader.fail();
  if (reader.failed()) return list;
  list.reserve(elements);
  for (std::size_t i = 0; i < elements && !reader.failed(); ++i) {
    if constexpr (RowNumber<Element>) {
      list.push_back(number_of<Element>(reader));
    } else {
      list.push_back(reader.view());
    }
  }
  return list;
}

}  // namespace detail

}  // namespace netperfd::bus
