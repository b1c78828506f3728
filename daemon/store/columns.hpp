// Columns and members of a table's rows, both of the rows' one description (dbus/rows/field.hpp), so that
// what is written is what is read. Columns are called like the keys; where a migration gave one another name,
// the description stands beside the model's type and has that name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "dbus/rows/field.hpp"

namespace netperfd::store {

// "stream, seconds, sent_bytes": those of Row but for the first `skipped`.
template <rows::Described Row, std::size_t skipped = 0>
[[nodiscard]] std::string columns_of() {
  std::string columns;
  std::size_t position = 0;
  rows::visit_fields(Row{}, [&](const auto& field, const auto&) {
    if (++position <= skipped) return;
    if (!columns.empty()) columns += ", ";
    columns += field.key;
  });
  return columns;
}

// A tuple of references to the members behind these columns; Row may be const.
template <std::size_t skipped = 0, rows::Described Row>
[[nodiscard]] auto members_of(Row& row) {
  constexpr auto& kAll = rows::kFields<std::remove_cv_t<Row>>;
  constexpr std::size_t kCount = std::tuple_size_v<std::remove_cvref_t<decltype(kAll)>> - skipped;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tie(row.*std::get<skipped + I>(kAll).member...);
  }(std::make_index_sequence<kCount>{});
}

// INSERT with a parameter for each of `columns`, which are separated by commas.
[[nodiscard]] inline std::string insert_into(std::string_view table, std::string_view columns) {
  std::string parameters = "?";
  for (auto commas = std::ranges::count(columns, ','); commas > 0; --commas) parameters += ", ?";
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, columns, parameters);
}

}  // namespace netperfd::store
