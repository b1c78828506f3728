// SPDX-License-Identifier: GPL-2.0-or-later
// Describes the rows that cross the bus. Each row has one description, beside its struct. All code that
// handles rows (the daemon's encoding, the client's decoding, JSON, CSV, the API's lock) iterates over it.
//
// A row is a plain struct. Its description is the tuple kFields<Row>, in the order of the keys in JSON and
// CSV. A member that is an optional has no key where it is not known; any other member always has one.
// within() describes a member that is a row itself: its keys are among those of the outer row.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace netperfd::rows {

template <class Row, class Member>
struct Field {
  std::string_view key;  // on the bus, in JSON and, with the unit behind it, in CSV
  Member Row::* member;
  std::string_view unit = {};  // where the key does not end with it: "bytes", "us", "ns_per_byte"
  bool long_text =
      false;  // of a text or a list of texts that a message holds once: it may be longer than others

  template <class Given>
  [[nodiscard]] constexpr auto& of(Given& row) const {
    return row.*member;
  }
};

template <class Row, class Member>
[[nodiscard]] constexpr Field<Row, Member> field(std::string_view key, Member Row::* member,
                                                 std::string_view unit = {}) {
  return {key, member, unit, false};
}
template <class Row, class Member>
[[nodiscard]] constexpr Field<Row, Member> long_text(std::string_view key, Member Row::* member) {
  return {key, member, {}, true};
}

// What the keys of a row within a row begin with.
template <std::size_t kSize>
struct Prefix {
  consteval Prefix(const char (&given)[kSize]) {  // NOLINT(google-explicit-constructor): "selftest_"
    std::copy_n(given, kSize, text);
  }
  [[nodiscard]] constexpr std::string_view view() const { return {text, kSize - 1}; }
  char text[kSize] = {};
};

template <Prefix prefix, class Row, class Inner>
struct Within {
  Inner Row::* row;
};

template <Prefix prefix = "", class Row, class Inner>
[[nodiscard]] constexpr Within<prefix, Row, Inner> within(Inner Row::* row) {
  return {row};
}

// A field of the row within another one.
template <class Row, class Inner, class Member>
struct InnerField {
  std::string_view key;
  Inner Row::* row;
  Member Inner::* member;
  std::string_view unit;
  bool long_text;

  template <class Given>
  [[nodiscard]] constexpr auto& of(Given& given) const {
    return given.*row.*member;
  }
};

// Specialized for each row.
template <class Row>
inline constexpr std::tuple<> kFields;

template <class Row>
concept Described = std::tuple_size_v<std::remove_cv_t<decltype(kFields<std::remove_cvref_t<Row>>)>> > 0;

namespace detail {

template <Prefix prefix, class Inner, std::size_t place>
inline constexpr auto kInnerKey = [] {
  constexpr std::string_view kKey = std::get<place>(kFields<Inner>).key;
  std::array<char, prefix.view().size() + kKey.size()> text{};
  std::copy(kKey.begin(), kKey.end(), std::copy(prefix.view().begin(), prefix.view().end(), text.begin()));
  return text;
}();

template <class Row, class Member>
constexpr auto flat(const Field<Row, Member>& field) {
  return std::tuple{field};
}
template <Prefix prefix, class Row, class Inner>
constexpr auto flat(const Within<prefix, Row, Inner>& within) {
  const auto fields = [&]<std::size_t... I>(std::index_sequence<I...> /*count*/) {
    const auto one = [&]<std::size_t place, class Member>(std::integral_constant<std::size_t, place>,
                                                          const Field<Inner, Member>& field) {
      constexpr const auto& kKey = kInnerKey<prefix, Inner, place>;
      return InnerField<Row, Inner, Member>{
          {kKey.data(), kKey.size()}, within.row, field.member, field.unit, field.long_text};
    };
    return std::tuple{one(std::integral_constant<std::size_t, I>{}, std::get<I>(kFields<Inner>))...};
  };
  return fields(std::make_index_sequence<std::tuple_size_v<std::remove_cv_t<decltype(kFields<Inner>)>>>{});
}

}  // namespace detail

// The fields of a row and of the rows within it, in the order of the keys. Each has its key, and
// of(row) is its member.
template <Described Row>
inline constexpr auto kFlatFields =
    std::apply([](const auto&... entry) { return std::tuple_cat(detail::flat(entry)...); }, kFields<Row>);
template <Described Row>
inline constexpr std::size_t kFieldCount = std::tuple_size_v<std::remove_cv_t<decltype(kFlatFields<Row>)>>;

// Calls visit(field, member) for each field of `row`, const or not, in their order.
template <Described Row, class Visit>
constexpr void visit_fields(Row&& row, Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field, field.of(row)), ...); },
             kFlatFields<std::remove_cvref_t<Row>>);
}

// The fields in the order of their keys, as places in kFlatFields. Does not compile if two have one key.
template <Described Row>
inline constexpr auto kByKey = [] {
  constexpr std::size_t kCount = kFieldCount<Row>;
  const auto keys =
      std::apply([](const auto&... field) { return std::array<std::string_view, kCount>{field.key...}; },
                 kFlatFields<Row>);
  std::array<std::size_t, kCount> places{};
  for (std::size_t i = 0; i < kCount; ++i) places[i] = i;
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  for (std::size_t i = 1; i < kCount; ++i) {
    if (keys[places[i - 1]] == keys[places[i]]) throw "two fields of a row have one key";
  }
  return places;
}();

namespace detail {

template <class Row, class Visit, std::size_t... I>
constexpr void visit_by_key(Row& row, Visit& visit, std::index_sequence<I...> /*count*/) {
  constexpr const auto& kAll = kFlatFields<std::remove_const_t<Row>>;
  constexpr const auto& kPlaces = kByKey<std::remove_const_t<Row>>;
  (visit(std::get<kPlaces[I]>(kAll), std::get<kPlaces[I]>(kAll).of(row)), ...);
}

}  // namespace detail

// The same, in the order of the keys.
template <Described Row, class Visit>
constexpr void visit_fields_by_key(const Row& row, Visit&& visit) {
  detail::visit_by_key(row, visit, std::make_index_sequence<kByKey<Row>.size()>{});
}

namespace detail {

struct Anything {
  template <class T>
  constexpr operator T() const {  // NOLINT(google-explicit-constructor): it stands for a member of any type
    return T{};
  }
};

template <class Row, std::size_t... I>
constexpr bool has_members(std::index_sequence<I...> /*count*/) {
  return requires { Row{(static_cast<void>(I), Anything{})...}; };
}

}  // namespace detail

// Whether the description of an aggregate has as many fields as the aggregate has members.
template <class Row>
inline constexpr bool kDescribed = [] {
  constexpr std::size_t kCount = std::tuple_size_v<std::remove_cv_t<decltype(kFields<Row>)>>;
  return detail::has_members<Row>(std::make_index_sequence<kCount>{}) &&
         !detail::has_members<Row>(std::make_index_sequence<kCount + 1>{});
}();

}  // namespace netperfd::rows
