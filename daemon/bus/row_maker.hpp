// Rows for the bus, counted while they are made: a message has to stay below 1 MiB, and sd-bus says only when
// it is too late that one does not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "daemon/bus/wire.hpp"
#include "daemon/bus/wire_text.hpp"
#include "daemon/model/run_record.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// Makes a row and counts what it will take in a message.
class RowMaker {
 public:
  template <class Number>
    requires std::is_arithmetic_v<Number>
  void put(const char* key, Number value) {
    constexpr std::size_t kBytes = std::is_same_v<Number, bool> ? 4 : sizeof(Number);
    add(key, sdbus::Variant{value}, 1, kBytes, kBytes);
  }
  template <class Number>
  void put(const char* key, const std::optional<Number>& value) {
    if (value) put(key, *value);
  }
  void put(const char* key, const std::string& text, std::size_t limit_bytes = kShortTextBytes) {
    const std::string clean = wire_text(text, limit_bytes);
    add(key, sdbus::Variant{clean}, 1, 4, text_bytes(clean.size()));
  }
  void put(const char* key, std::string_view word) { put(key, std::string{word}); }
  void put_if_any(const char* key, const std::string& text, std::size_t limit_bytes = kShortTextBytes) {
    if (!text.empty()) put(key, text, limit_bytes);
  }
  void put(const char* key, const std::optional<WallTime>& time) {
    if (time)
      put(key, static_cast<std::uint64_t>(std::max<std::int64_t>(0, time->time_since_epoch().count())));
  }
  void put(const char* key, const std::vector<std::string>& texts, std::size_t limit_bytes = kListBytes) {
    const WireTexts clean = wire_texts(texts, limit_bytes);
    add(key, sdbus::Variant{clean.texts}, 2, 4, clean.bytes);
  }
  void put(const char* key, const std::vector<std::uint64_t>& numbers) {
    put_list(key, numbers, 2, numbers.size() * 8);
  }
  void put(const char* key, const std::vector<std::uint32_t>& numbers) {
    add(key, sdbus::Variant{numbers}, 2, 4, 4 + numbers.size() * 4);
  }
  void put(const char* key, const std::vector<bool>& truths) {
    add(key, sdbus::Variant{truths}, 2, 4, 4 + truths.size() * 4);
  }
  // Of elements that begin at multiples of 8 and take `bytes` together.
  template <class Element>
  void put_list(const char* key, const std::vector<Element>& elements, std::size_t signature_length,
                std::size_t bytes) {
    add(key, sdbus::Variant{elements}, signature_length, 4, 8 + bytes);
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  WireRow take() { return {std::move(row_), bytes_}; }

 private:
  // An entry is its key, the signature of its value (a length byte, its characters, a NUL) and the value.
  void add(const char* key, sdbus::Variant value, std::size_t signature_length, std::size_t alignment,
           std::size_t bytes) {
    const std::size_t head = text_bytes(std::string_view{key}.size()) + 2 + signature_length;
    bytes_ += round_up(round_up(head, alignment) + bytes, 8);
    row_.emplace(key, std::move(value));
  }

  dbus::Row row_;
  std::size_t bytes_ = 8;  // the row's length and padding
};

}  // namespace netperfd::bus
