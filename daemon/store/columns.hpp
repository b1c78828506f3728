// SPDX-License-Identifier: GPL-2.0-or-later
// Columns and members of a table's rows, both of the rows' one description (dbus/rows/field.hpp), so that
// what is written is what is read. Columns are called like the keys. Lists and rows within a row are no
// columns: they have tables of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "daemon/model/trace_record.hpp"
#include "dbus/rows/field.hpp"

namespace netperfd::store {

template <class Member>
inline constexpr bool kIsColumn = !rows::Described<Member>;
template <class Member>
inline constexpr bool kIsColumn<std::optional<Member>> = kIsColumn<Member>;
template <class Element>
inline constexpr bool kIsColumn<std::vector<Element>> = false;

// The key of a row's member that is stored as a document.
template <class Row>
inline constexpr std::string_view kDocument;
template <>
inline constexpr std::string_view kDocument<TraceRecord> = "recording";

// "stream, seconds, sent_bytes": those of Row but for the first `skipped` of its description, each after
// `prefix`.
template <rows::Described Row, std::size_t skipped = 0>
[[nodiscard]] std::string columns_of(std::string_view prefix = {}) {
  std::string columns;
  std::size_t position = 0;
  rows::visit_fields(Row{}, [&]<class Member>(const auto& field, const Member& /*member*/) {
    if (++position <= skipped || !kIsColumn<Member> || field.key == kDocument<Row>) return;
    if (!columns.empty()) columns += ", ";
    columns.append(prefix).append(field.key);
  });
  return columns;
}

// A tuple of references to the members behind these columns; Row may be const.
template <std::size_t skipped = 0, rows::Described Row>
[[nodiscard]] auto members_of(Row& row) {
  using Plain = std::remove_cv_t<Row>;
  constexpr std::size_t kCount = rows::kFieldCount<Plain>;
  const auto member = [&]<std::size_t I>(std::integral_constant<std::size_t, I> /*number*/) {
    constexpr auto& kField = std::get<skipped + I>(rows::kFlatFields<Plain>);
    using Member = std::remove_cvref_t<decltype(kField.of(row))>;
    if constexpr (kIsColumn<Member> && kField.key != kDocument<Plain>) {
      return std::tie(kField.of(row));
    } else {
      return std::tuple<>{};
    }
  };
  return [&]<std::size_t... I>(std::index_sequence<I...> /*numbers*/) {
    return std::tuple_cat(member(std::integral_constant<std::size_t, I>{})...);
  }(std::make_index_sequence<kCount - skipped>{});
}

// INSERT with a parameter for each of `columns`, which are separated by commas.
[[nodiscard]] inline std::string insert_into(std::string_view table, std::string_view columns) {
  std::string parameters = "?";
  for (auto commas = std::ranges::count(columns, ','); commas > 0; --commas) parameters += ", ?";
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, columns, parameters);
}

}  // namespace netperfd::store
