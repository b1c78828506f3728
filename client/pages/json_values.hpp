// SPDX-License-Identifier: GPL-2.0-or-later
// Rows and documents as JSON, by the descriptions of the rows. Only for the files that write JSON, since it
// includes nlohmann/json.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "client/rows/fields.hpp"
#include "client/rows/views.hpp"

namespace netperfctl {

using Json = nlohmann::ordered_json;  // keys in the order they are written here

inline constexpr int kVersion = 1;

// JSON has no infinity and no NaN; nlohmann would write null, but here an unknown value is left out.
template <class Value>
[[nodiscard]] bool sayable(const Value& value) {
  if constexpr (std::is_floating_point_v<Value>) return std::isfinite(value);
  return true;
}

[[nodiscard]] inline Json object(const SampleFieldView& field) {
  Json json = Json::object();
  json["name"] = field.name;
  std::visit([&json](const auto& value) { json["value"] = value; }, field.value);
  if (field.text) json["text"] = *field.text;
  return json;
}

template <class Row>
[[nodiscard]] Json object(const Row& row) {
  Json json = Json::object();
  each_field(row, [&json](std::string_view name, const auto& member, std::string_view /*unit*/) {
    const std::string key{name};
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (kHasRows<Member>) {
      if (!member) return;
      json[key] = Json::array();
      for (const auto& each : *member) json[key].push_back(object(each));
    } else if constexpr (requires { member.has_value(); }) {
      if (member && sayable(*member)) json[key] = *member;
    } else if constexpr (std::is_enum_v<Member>) {
      json[key] = to_string(member);
    } else if (sayable(member)) {
      json[key] = member;
    }
  });
  return json;
}

template <class Rows>
Json array(const Rows& rows) {
  Json json = Json::array();
  for (const auto& row : rows) json.push_back(object(row));
  return json;
}

[[nodiscard]] inline Json document(const char* kind) {
  return Json{{"version", kVersion}, {"kind", kind}};
}

inline void add_budget(Json& json, const std::optional<BudgetDetails>& details) {
  if (!details) return;
  json["budget"] = object(details->budget);
  json["budget_functions"] = array(details->functions);
}

[[nodiscard]] inline std::string write(const Json& json, int indent) {
  return json.dump(indent, ' ', true, Json::error_handler_t::replace) + "\n";
}

[[nodiscard]] inline std::string pretty(const Json& json) {
  return write(json, 2);
}
[[nodiscard]] inline std::string line(const Json& json) {
  return write(json, -1);
}

}  // namespace netperfctl
