// SPDX-License-Identifier: GPL-2.0-or-later
// The basic values of a record, for the writer and the reader of daemon/base/byte_archive.hpp.
#pragma once

#include <bit>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "daemon/base/byte_archive.hpp"

namespace netperfd::reading {

// Of this namespace, so that put() is found for every type, wherever it is declared.
class ByteWriter : public netperfd::ByteWriter {};
class ByteReader : public netperfd::ByteReader {
 public:
  using netperfd::ByteReader::ByteReader;
  // Limit of intervals that differs from that of a file.
  std::optional<std::size_t> most_intervals;
};

template <class Archive, std::unsigned_integral Number>
void put(Archive& archive, Number& value) {
  std::uint64_t wide = value;
  archive.number(wide);
  if constexpr (Archive::kReads) {
    if (wide > std::numeric_limits<Number>::max()) return archive.fail();
    value = static_cast<Number>(wide);
  }
}

// Small ones of either sign become small: 0, -1, 1, -2 are 0, 1, 2, 3.
template <class Archive>
void put_signed(Archive& archive, std::int64_t& value) {
  auto wide = (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63U);
  archive.number(wide);
  if constexpr (Archive::kReads) value = static_cast<std::int64_t>((wide >> 1U) ^ (0 - (wide & 1U)));
}

template <class Archive>
void put(Archive& archive, std::int64_t& value) {
  put_signed(archive, value);
}

template <class Archive>
void put(Archive& archive, std::int32_t& value) {
  std::int64_t wide = value;
  put_signed(archive, wide);
  if constexpr (Archive::kReads) {
    if (!std::in_range<std::int32_t>(wide)) return archive.fail();
    value = static_cast<std::int32_t>(wide);
  }
}

template <class Archive>
void put(Archive& archive, bool& value) {
  std::uint64_t wide = value ? 1 : 0;
  archive.number(wide);
  if constexpr (Archive::kReads) {
    if (wide > 1) return archive.fail();
    value = wide == 1;
  }
}

template <class Archive>
void put(Archive& archive, double& value) {
  auto wide = std::bit_cast<std::uint64_t>(value);
  archive.number(wide);
  if constexpr (Archive::kReads) value = std::bit_cast<double>(wide);
}

template <class Archive, class Period>
void put(Archive& archive, std::chrono::duration<std::int64_t, Period>& value) {
  std::int64_t count = value.count();
  put_signed(archive, count);
  if constexpr (Archive::kReads) value = std::chrono::duration<std::int64_t, Period>{count};
}

template <class Archive, class Clock, class Duration>
void put(Archive& archive, std::chrono::time_point<Clock, Duration>& value) {
  Duration since = value.time_since_epoch();
  put(archive, since);
  if constexpr (Archive::kReads) value = std::chrono::time_point<Clock, Duration>{since};
}

// An enumerator, by its number.
template <class Archive, class Enum>
void put_word(Archive& archive, Enum& value, Enum last) {
  auto number = static_cast<std::uint64_t>(value);
  archive.number(number);
  if constexpr (Archive::kReads) {
    if (number > static_cast<std::uint64_t>(last)) return archive.fail();
    value = static_cast<Enum>(number);
  }
}

template <class Archive>
void put(Archive& archive, std::string& text) {
  archive.text(text);
}

}  // namespace netperfd::reading
