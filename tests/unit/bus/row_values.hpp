// SPDX-License-Identifier: GPL-2.0-or-later
// Access to the values of an answer's row. Asking for a wrong type fails the test with sdbus-c++'s error.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "client/bus/rows.hpp"
#include "daemon/bus/rows/row.hpp"
#include "dbus/compat.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {

using Numbers = std::vector<std::uint64_t>;

inline double real_at(const dbus::Row& row, const char* key) {
  return row.at(key).get<double>();
}
inline std::uint64_t number_at(const dbus::Row& row, const char* key) {
  return row.at(key).get<std::uint64_t>();
}
inline std::uint32_t small_at(const dbus::Row& row, const char* key) {
  return row.at(key).get<std::uint32_t>();
}
inline std::string text_at(const dbus::Row& row, const char* key) {
  return row.at(key).get<std::string>();
}
inline std::string text_at(const Row& row, const char* key) {
  return text_at(to_map(row), key);
}
inline std::set<std::string> keys_of(const dbus::Row& row) {
  std::set<std::string> keys;
  for (const auto& [key, value] : row) keys.insert(key);
  return keys;
}
inline std::set<std::string> keys_of(const Row& row) {
  return keys_of(to_map(row));
}

// What the client reads of a Row or of a map of variants.
template <class View, class Sent>
View from_row(const Sent& row) {
  return sdbus::Variant{row}.template get<netperfctl::RowOf<View>>().view;
}

// One value as a text, whatever its type: 1.5, receive, [1, 2].
inline std::string shown(const sdbus::Variant& value) {
  std::string text = "(a type that no row has)";
  const auto try_as = [&]<class T>(T /*type*/) {
    if (value.containsValueOfType<T>()) text = fmt::format("{}", value.get<T>());
  };
  try_as(bool{});
  try_as(double{});
  try_as(std::uint64_t{});
  try_as(std::uint32_t{});
  try_as(std::uint16_t{});
  try_as(std::int64_t{});
  try_as(std::string{});
  try_as(std::vector<std::string>{});
  try_as(std::vector<std::uint64_t>{});
  try_as(std::vector<std::uint32_t>{});
  return text;
}
// A row as "KEY VALUE" for each key, by key.
inline std::vector<std::string> shown(const dbus::Row& row) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : row) lines.push_back(fmt::format("{} {}", key, shown(value)));
  return lines;
}
inline std::vector<std::string> shown(const Row& row) {
  return shown(to_map(row));
}

}  // namespace netperfd::bus
