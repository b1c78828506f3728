// SPDX-License-Identifier: GPL-2.0-or-later
// Makes rows for the bus by their descriptions (dbus/rows/field.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "daemon/bus/rows/row.hpp"
#include "daemon/bus/rows/wire.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "daemon/model/run_record.hpp"
#include "dbus/rows/field.hpp"

namespace netperfd::bus {

template <class Value>
inline constexpr bool kListsRows = false;
template <rows::Described Element>
inline constexpr bool kListsRows<std::vector<Element>> = true;

// Members that are not known get no key.
template <rows::Described Given>
[[nodiscard]] Row to_wire(const Given& given) {
  Row row;
  row.reserve(rows::kFieldCount<Given>);
  rows::visit_fields_by_key(given, [&row](const auto& field, const auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    const auto put = [&](const auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      if constexpr (std::is_same_v<Value, std::string>) {
        row.put(field.key, value, field.long_text ? kLongTextBytes : kShortTextBytes);
      } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        row.put(field.key, value, field.long_text ? kRowsBudgetBytes / 2 : kListBytes);
      } else if constexpr (kListsRows<Value>) {
        Rows within;
        within.reserve(value.size());
        for (const auto& each : value) within.push_back(to_wire(each));
        row.put(field.key, within);
      } else {
        row.put(field.key, value);
      }
    };
    if constexpr (requires(const Member& it) { it.has_value(); }) {
      if (member) put(*member);
    } else if constexpr (requires(const Member& it) { it.valueless_by_exception(); }) {
      std::visit(put, member);
    } else {
      put(member);
    }
  });
  return row;
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
