// SPDX-License-Identifier: GPL-2.0-or-later
// A row and its message: the bytes that sdbus-c++ makes of a map are the bytes of a row, and as many as the
// row says.
#include "daemon/bus/rows/row.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "dbus/compat.hpp"
#include "tests/unit/bus/message_fixture.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;

using Texts = std::vector<std::string>;

// A value of each type, put in no order.
Row row_of_all_types() {
  Row inner;
  inner.put("number", std::uint64_t{5});
  inner.put("words", Texts{"a", "b"});
  Row row;
  row.put("text", "Größe");
  row.put("texts", Texts{"one", "", "three"});
  row.put("b", true);
  row.put("q", std::uint16_t{65'535});
  row.put("u", std::uint32_t{4'000'000'000});
  row.put("t", std::numeric_limits<std::uint64_t>::max());
  row.put("i", std::int32_t{-7});
  row.put("x", std::numeric_limits<std::int64_t>::min());
  row.put("d", -1.25e-300);
  row.put("ab", std::vector<bool>{true, false});
  row.put("au", std::vector<std::uint32_t>{1, 4'000'000'000});
  row.put("at", Numbers{0, 1ULL << 63U});
  row.put("no texts", Texts{});
  row.put("no numbers", Numbers{});
  row.put("rows", Rows{inner, Row{}});
  row.put("no rows", Rows{});
  return row;
}

dbus::Row full_map() {
  const dbus::Rows rows{
      {{"number", sdbus::Variant{std::uint64_t{5}}}, {"words", sdbus::Variant{Texts{"a", "b"}}}}, {}};
  return {{"text", sdbus::Variant{std::string("Größe")}},
          {"texts", sdbus::Variant{Texts{"one", "", "three"}}},
          {"b", sdbus::Variant{true}},
          {"q", sdbus::Variant{std::uint16_t{65'535}}},
          {"u", sdbus::Variant{std::uint32_t{4'000'000'000}}},
          {"t", sdbus::Variant{std::numeric_limits<std::uint64_t>::max()}},
          {"i", sdbus::Variant{std::int32_t{-7}}},
          {"x", sdbus::Variant{std::numeric_limits<std::int64_t>::min()}},
          {"d", sdbus::Variant{-1.25e-300}},
          {"ab", sdbus::Variant{std::vector<bool>{true, false}}},
          {"au", sdbus::Variant{std::vector<std::uint32_t>{1, 4'000'000'000}}},
          {"at", sdbus::Variant{Numbers{0, 1ULL << 63U}}},
          {"no texts", sdbus::Variant{Texts{}}},
          {"no numbers", sdbus::Variant{Numbers{}}},
          {"rows", sdbus::Variant{rows}},
          {"no rows", sdbus::Variant{dbus::Rows{}}}};
}

class RowMessage : public MessageTest {
 protected:
  template <class... Values>
  static std::string printed_of(const Values&... values) {
    return printed(message_of(values...));
  }
};

TEST_F(RowMessage, is_the_message_that_a_map_of_variants_makes) {
  EXPECT_EQ(printed_of(row_of_all_types()), printed_of(full_map()));
  EXPECT_EQ(printed_of(Row{}), printed_of(dbus::Row{}));
  EXPECT_EQ(printed_of(std::string("before"), Rows{row_of_all_types(), Row{}, row_of_all_types()},
                       std::uint64_t{7}),
            printed_of(std::string("before"), dbus::Rows{full_map(), {}, full_map()}, std::uint64_t{7}));
  EXPECT_EQ(printed_of(Rows{}), printed_of(dbus::Rows{}));
  EXPECT_THAT(printed_of(row_of_all_types()), testing::HasSubstr("UINT64 18446744073709551615"));
}

TEST_F(RowMessage, is_a_value_of_results_and_signals) {
  EXPECT_EQ(std::string{sdbus::Variant{row_of_all_types()}.peekValueType()}, "a{sv}");
  EXPECT_EQ(std::string{sdbus::Variant{Rows{row_of_all_types()}}.peekValueType()}, "aa{sv}");
}

TEST(Row, takes_no_more_bytes_than_it_says) {
  const auto one = [](auto value) {
    Row row;
    row.put("key", value);
    return row.bytes();
  };
  // Array length and padding; then length, key and NUL; signature; padding; value; padding.
  EXPECT_EQ(Row{}.bytes(), 8U);
  EXPECT_EQ(one(true), 8U + 16U);                           // 8 + 3, at 12: 4
  EXPECT_EQ(one(std::uint16_t{1}), 8U + 16U);               // at 12: 2
  EXPECT_EQ(one(std::uint64_t{1}), 8U + 24U);               // at 16: 8
  EXPECT_EQ(one(1.5), 8U + 24U);                            //
  EXPECT_EQ(one(std::string("abc")), 8U + 24U);             // at 12: 4 + 3 + 1
  EXPECT_EQ(one(Texts{"abc", "d"}), 8U + 32U);              // at 12: 4 + 8 + 6
  EXPECT_EQ(one(Numbers{1, 2}), 8U + 40U);                  // at 12: 8 + 16
  EXPECT_EQ(one(std::vector<std::uint32_t>{1}), 8U + 24U);  // at 12: 4 + 4
  EXPECT_EQ(one(std::vector<bool>{true}), 8U + 24U);        // at 12: 4 + 4
  EXPECT_EQ(one(Rows{Row{}, Row{}}), 8U + 16U + 8U + 16U);  // at 16: 8 + 2 * 8
}

// D-Bus pads each part by where it begins, which the length of the key decides.
TEST(Row, takes_as_many_bytes_with_a_key_of_any_length) {
  const auto padded = [](std::size_t at, std::size_t to) { return at + (to - at % to) % to; };
  for (std::size_t length = 1; length <= 9; ++length) {
    const std::string key(length, 'k');
    const auto made = [&](auto value) {
      Row row;
      row.put(key, value);
      return row.bytes();
    };
    // Where the value begins: behind the key with its length and NUL, and a signature likewise.
    const std::size_t of_one = 4 + length + 1 + 3, of_list = of_one + 1, of_rows = of_one + 5;
    const auto end = [&](std::size_t at) { return 8 + padded(at, 8); };
    EXPECT_EQ(made(true), end(padded(of_one, 4) + 4)) << length;
    EXPECT_EQ(made(std::uint16_t{1}), end(padded(of_one, 2) + 2)) << length;
    EXPECT_EQ(made(std::int64_t{1}), end(padded(of_one, 8) + 8)) << length;
    for (std::size_t size = 0; size < 8; ++size) {
      EXPECT_EQ(made(std::string(size, 'x')), end(padded(of_one, 4) + 4 + size + 1)) << length << " " << size;
    }
    EXPECT_EQ(made(Texts{"a", "four"}), end(padded(of_list, 4) + 4 + 8 + 9)) << length;
    EXPECT_EQ(made(std::vector<std::uint32_t>{1, 2}), end(padded(of_list, 4) + 4 + 8)) << length;
    EXPECT_EQ(made(std::vector<bool>{true}), end(padded(of_list, 4) + 4 + 4)) << length;
    // Elements of 8 bytes are padded too, for which a row counts the most.
    const std::size_t numbers = end(padded(padded(of_list, 4) + 4, 8) + 16);
    EXPECT_THAT(made(Numbers{1, 2}), testing::AllOf(testing::Ge(numbers), testing::Le(numbers + 8)));
    const std::size_t rows = end(padded(padded(of_rows, 4) + 4, 8) + 16);
    EXPECT_THAT(made(Rows{Row{}, Row{}}), testing::AllOf(testing::Ge(rows), testing::Le(rows + 8)));
  }
}

TEST(Row, keeps_its_keys_in_order_and_each_once) {
  const auto keys_in_order = [](const Row& row) {
    ByteReader reader{row.entries(), 0};
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < row.size(); ++i) {
      keys.emplace_back(reader.view());
      std::uint64_t number = 0;
      reader.number(number);
      EXPECT_EQ(number, std::uint64_t{'u'});
      reader.number(number);
    }
    EXPECT_TRUE(reader.at_end());
    return keys;
  };
  Row row;
  for (const char* key : {"m", "z", "a", "m", "b", "zz", "a", "zz"}) row.put(key, std::uint32_t{300});
  EXPECT_THAT(keys_in_order(row), ElementsAre("a", "b", "m", "z", "zz"));
  EXPECT_EQ(row.bytes(), 8U + 5 * 16U);
  row.put("y", std::uint32_t{1});
  EXPECT_THAT(keys_in_order(row), ElementsAre("a", "b", "m", "y", "z", "zz"));
}

TEST_F(RowMessage, has_an_exchanged_value_of_any_size) {
  Row row = row_of_all_types();
  const std::size_t bytes = row.bytes();
  for (const auto& [key, value] : full_map()) {
    Row changed = row;
    changed.put(key, "another");
    EXPECT_EQ(changed.size(), row.size()) << key;
    EXPECT_EQ(changed.get<std::string>(key), "another");
    dbus::Row expected = full_map();
    expected[key] = sdbus::Variant{std::string("another")};
    EXPECT_EQ(printed_of(changed), printed_of(expected)) << key;
    Row alone;
    alone.put(key, "another");
    EXPECT_EQ(changed.bytes() - alone.bytes(), row.bytes() - to_row({{key, value}}).bytes()) << key;
  }
  EXPECT_EQ(row.bytes(), bytes);
}

TEST(Row, gives_a_value_of_the_type_that_it_has) {
  const Row row = row_of_all_types();
  EXPECT_EQ(row.get<std::uint64_t>("t"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(row.get<std::uint32_t>("u"), 4'000'000'000);
  EXPECT_EQ(row.get<double>("d"), -1.25e-300);
  EXPECT_EQ(row.get<std::string>("text"), "Größe");
  EXPECT_EQ(row.get<Numbers>("at"), (Numbers{0, 1ULL << 63U}));
  EXPECT_EQ(row.get<std::uint64_t>("u"), std::nullopt);
  EXPECT_EQ(row.get<std::string>("rows"), std::nullopt);
  EXPECT_EQ(row.get<std::string>("none"), std::nullopt);
}

TEST(Row, has_no_figure_that_is_not_finite_and_no_text_that_the_bus_refuses) {
  Row row;
  row.put("infinite", std::numeric_limits<double>::infinity());
  row.put("none", std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(row.empty());
  row.put("text", std::string_view("a\xFF\0", 3));
  row.put("long", std::string(10'000, 'x'));
  EXPECT_EQ(row.get<std::string>("text"), "a\uFFFD\uFFFD");
  EXPECT_EQ(row.get<std::string>("long")->size(), kShortTextBytes);
}

}  // namespace
}  // namespace netperfd::bus
