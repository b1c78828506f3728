// SPDX-License-Identifier: GPL-2.0-or-later
// Makes rows for the bus and counts their bytes: a message must stay below 1 MiB, and sd-bus reports an
// excess only when it is too late.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/bus/wire.hpp"
#include "daemon/bus/wire_text.hpp"
#include "daemon/model/run_record.hpp"
#include "dbus/compat.hpp"
#include "dbus/rows/field.hpp"

namespace netperfd::bus {

// Makes a row and counts the bytes that it takes in a message.
class RowMaker {
 public:
  template <class Number>
    requires std::is_arithmetic_v<Number>
  void put(std::string_view key, Number value) {
    // A figure that is not finite comes from a division by zero: it is not known.
    if constexpr (std::is_floating_point_v<Number>) {
      if (!std::isfinite(value)) return;
    }
    constexpr std::size_t kBytes = std::is_same_v<Number, bool> ? 4 : sizeof(Number);
    add(key, sdbus::Variant{value}, 1, kBytes, kBytes);
  }
  template <class Word>
    requires std::is_enum_v<Word>
  void put(std::string_view key, Word word) {
    put(key, std::string{to_string(word)});
  }
  void put(std::string_view key, const std::string& text, std::size_t limit_bytes = kShortTextBytes) {
    const std::string clean = wire_text(text, limit_bytes);
    add(key, sdbus::Variant{clean}, 1, 4, text_bytes(clean.size()));
  }
  void put(std::string_view key, const std::vector<std::string>& texts,
           std::size_t limit_bytes = kListBytes) {
    const WireTexts clean = wire_texts(texts, limit_bytes);
    add(key, sdbus::Variant{clean.texts}, 2, 4, clean.bytes);
  }
  void put(std::string_view key, const std::vector<std::uint64_t>& numbers) {
    put_list(key, numbers, 2, numbers.size() * 8);
  }
  void put(std::string_view key, const std::vector<std::uint32_t>& numbers) {
    add(key, sdbus::Variant{numbers}, 2, 4, 4 + numbers.size() * 4);
  }
  void put(std::string_view key, const std::vector<bool>& truths) {
    add(key, sdbus::Variant{truths}, 2, 4, 4 + truths.size() * 4);
  }
  // A list of rows within a row.
  template <rows::Described Row>
  void put(std::string_view key, const std::vector<Row>& rows);
  // For elements that are aligned to 8 bytes and take `bytes` together.
  template <class Element>
  void put_list(std::string_view key, const std::vector<Element>& elements, std::size_t signature_length,
                std::size_t bytes) {
    add(key, sdbus::Variant{elements}, signature_length, 4, 8 + bytes);
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  WireRow take() { return {std::move(row_), bytes_}; }

 private:
  // An entry is its key, the signature of its value (a length byte, its characters, a NUL) and the value.
  void add(std::string_view key, sdbus::Variant value, std::size_t signature_length, std::size_t alignment,
           std::size_t bytes) {
    const std::size_t head = text_bytes(key.size()) + 2 + signature_length;
    bytes_ += round_up(round_up(head, alignment) + bytes, 8);
    row_.emplace(std::string{key}, std::move(value));
  }

  dbus::Row row_;
  std::size_t bytes_ = 8;  // the row's length and padding
};

// Makes a row by its description (dbus/rows/field.hpp). Members that are not known get no key.
template <rows::Described Row>
[[nodiscard]] RowMaker make_row(const Row& row) {
  RowMaker made;
  rows::visit_fields(row, [&made](const auto& field, const auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    const auto put = [&](const auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      if constexpr (std::is_same_v<Value, std::string>) {
        made.put(field.key, value, field.long_text ? kLongTextBytes : kShortTextBytes);
      } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        made.put(field.key, value, field.long_text ? kRowsBudgetBytes / 2 : kListBytes);
      } else {
        made.put(field.key, value);
      }
    };
    if constexpr (requires(const Member& given) { given.has_value(); }) {
      if (member) put(*member);
    } else if constexpr (requires(const Member& given) { given.valueless_by_exception(); }) {
      std::visit(put, member);
    } else {
      put(member);
    }
  });
  return made;
}

template <rows::Described Row>
void RowMaker::put(std::string_view key, const std::vector<Row>& rows) {
  dbus::Rows made;
  std::size_t bytes = 0;
  for (const Row& row : rows) {
    WireRow wire = make_row(row).take();
    bytes += wire.bytes;
    made.push_back(std::move(wire.row));
  }
  put_list(key, made, std::string_view{"aa{sv}"}.size(), bytes);
}

template <rows::Described Row>
[[nodiscard]] WireRow to_wire(const Row& row) {
  return make_row(row).take();
}

// For keys that are left out if the model has an empty text, or no time.
[[nodiscard]] inline std::optional<std::string> if_any(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional{text};
}
[[nodiscard]] inline std::optional<std::uint64_t> microseconds(const std::optional<WallTime>& time) {
  if (!time) return {};
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, time->time_since_epoch().count()));
}

}  // namespace netperfd::bus
