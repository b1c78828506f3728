// Access to the values of an answer's row. Asking for a wrong type fails the test with sdbus-c++'s error.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "dbus/compat.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {

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
inline std::set<std::string> keys_of(const dbus::Row& row) {
  std::set<std::string> keys;
  for (const auto& [key, value] : row) keys.insert(key);
  return keys;
}

}  // namespace netperfd::bus
