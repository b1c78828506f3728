// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/values.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "daemon/model/text.hpp"

namespace netperfd::workload {
namespace {

using nlohmann::json;

constexpr auto kMaxInteger = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

const json* find(const json& object, const char* key) {
  const auto at = object.find(key);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

// The number that a text is from its first character to its last.
template <class Number>
std::optional<Number> number_in(const json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  if (text == nullptr) return std::nullopt;
  Number number{};
  const char* const end = text->data() + text->size();
  const auto [stopped, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

// 3.0 and 3.1 end `system_info` by a newline.
std::string_view without_blanks_around(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n";
  const auto first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhite) - first + 1);
}

std::optional<std::uint64_t> whole(double real) {
  constexpr double kLimit = 9.2e18;  // below both 2^63 and 2^64
  if (real >= 0 && real < kLimit && std::floor(real) == real) return static_cast<std::uint64_t>(real);
  return std::nullopt;
}

}  // namespace

std::optional<double> ValueReader::number(const json& object, const char* key) {
  const json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  const auto real = value->is_number() ? value->get<double>() : number_in<double>(*value);
  if (!real || !std::isfinite(*real)) return unreadable(key);
  return real;
}

std::optional<std::uint64_t> ValueReader::count(const json& object, const char* key) {
  const json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  if (const auto count = number_in<std::uint64_t>(*value)) return count;
  const auto real = value->is_number_float() ? value->get<double>() : number_in<double>(*value);
  const auto count = real ? whole(*real) : std::nullopt;
  if (!count) return unreadable(key);
  return count;
}

std::optional<std::int64_t> ValueReader::integer(const json& object, const char* key) {
  const json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number_integer() &&
      !(value->is_number_unsigned() && value->get<std::uint64_t>() > kMaxInteger)) {
    return value->get<std::int64_t>();
  }
  const auto number = number_in<std::int64_t>(*value);
  if (!number) return unreadable(key);
  return number;
}

std::optional<bool> ValueReader::boolean(const json& object, const char* key) {
  const json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  for (const bool is : {false, true}) {
    if (*value == json(is ? 1 : 0) || *value == json(is ? "true" : "false")) return is;
  }
  return unreadable(key);
}

std::string ValueReader::text(const json& object, const char* key) {
  const json* value = find(object, key);
  if (value == nullptr) return {};
  constexpr std::size_t kLongest = 255;  // all genuine texts of iperf3 here are short
  if (const auto* text = value->get_ptr<const std::string*>(); text != nullptr) {
    std::string trimmed(without_blanks_around(*text));
    if (trimmed.size() <= kLongest && is_printable(trimmed)) return trimmed;
  }
  (void)unreadable(key);
  return {};
}

const json& ValueReader::part(const json& object, const char* key) {
  static const json nothing;
  const json* value = find(object, key);
  if (value == nullptr) return nothing;
  if (value->is_structured()) return *value;
  (void)unreadable(key);
  return nothing;
}

std::nullopt_t ValueReader::unreadable(const char* key) {
  if (unreadable_++ == 0) first_ = key;
  return std::nullopt;
}

}  // namespace netperfd::workload
