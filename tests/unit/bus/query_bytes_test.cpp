// SPDX-License-Identifier: GPL-2.0-or-later
// The bytes of queries and answers: what crosses, and what hostile bytes do.
#include "daemon/bus/queries/query_bytes.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "daemon/bus/queries/query_answers.hpp"
#include "tests/unit/bus/fakes.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using SentTexts = std::vector<std::string>;

// A value of each type that rows have.
dbus::Row full_row() {
  return {{"b", sdbus::Variant{true}},
          {"q", sdbus::Variant{std::uint16_t{65535}}},
          {"u", sdbus::Variant{std::uint32_t{4'000'000'000}}},
          {"t", sdbus::Variant{std::numeric_limits<std::uint64_t>::max()}},
          {"i", sdbus::Variant{std::int32_t{-7}}},
          {"x", sdbus::Variant{std::numeric_limits<std::int64_t>::min()}},
          {"d", sdbus::Variant{-1.25e-300}},
          {"s", sdbus::Variant{std::string("Größe")}},
          {"as", sdbus::Variant{SentTexts{"one", "", "three"}}},
          {"ab", sdbus::Variant{std::vector<bool>{true, false}}},
          {"au", sdbus::Variant{std::vector<std::uint32_t>{1, 4'000'000'000}}},
          {"at", sdbus::Variant{Numbers{0, 1ULL << 63U}}},
          {"aa{sv}", sdbus::Variant{dbus::Rows{{{"inner", sdbus::Variant{std::uint64_t{5}}}}, {}}}}};
}

template <class... Values>
std::string error_of(std::string_view bytes) {
  const auto read = from_query_bytes<Values...>(bytes);
  if (read) return "no error";
  EXPECT_EQ(read.error().kind, ErrorKind::internal);
  return read.error().message;
}

constexpr const char* kDamaged = "the answer to the query is damaged";

TEST(QueryBytes, bring_a_value_of_each_type) {
  const auto read = from_query_bytes<dbus::Row>(to_query_bytes(full_row()));
  ASSERT_TRUE(read) << read.error().message;
  const dbus::Row& row = std::get<0>(*read);
  EXPECT_EQ(row.size(), full_row().size());
  for (const auto& [key, value] : row) EXPECT_EQ(std::string{value.peekValueType()}, key);
  EXPECT_TRUE(row.at("b").get<bool>());
  EXPECT_EQ(row.at("q").get<std::uint16_t>(), 65535);
  EXPECT_EQ(row.at("u").get<std::uint32_t>(), 4'000'000'000);
  EXPECT_EQ(row.at("t").get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(row.at("i").get<std::int32_t>(), -7);
  EXPECT_EQ(row.at("x").get<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(row.at("d").get<double>(), -1.25e-300);
  EXPECT_EQ(row.at("s").get<std::string>(), "Größe");
  EXPECT_EQ(row.at("as").get<SentTexts>(), (SentTexts{"one", "", "three"}));
  EXPECT_EQ(row.at("ab").get<std::vector<bool>>(), (std::vector<bool>{true, false}));
  EXPECT_EQ(row.at("au").get<std::vector<std::uint32_t>>(), (std::vector<std::uint32_t>{1, 4'000'000'000}));
  EXPECT_EQ(row.at("at").get<Numbers>(), (Numbers{0, 1ULL << 63U}));
  const auto inner = row.at("aa{sv}").get<dbus::Rows>();
  ASSERT_EQ(inner.size(), 2U);
  EXPECT_EQ(inner.front().at("inner").get<std::uint64_t>(), 5U);
}

TEST(QueryBytes, are_these) {
  const dbus::Row row{{"n", sdbus::Variant{std::uint64_t{300}}}, {"s", sdbus::Variant{std::string("ab")}}};
  EXPECT_EQ(to_query_bytes(std::string("GetJob"), std::uint64_t{7}, Rows{to_row(row)}),
            std::string("\x06GetJob\x07\x01\x02\x01nt\xac\x02\x01ss\x02"
                        "ab"));
}

TEST(QueryBytes, of_values_that_no_row_has_are_a_mistake_of_the_daemon) {
  const dbus::Row row{{"y", sdbus::Variant{std::uint8_t{1}}}};
  EXPECT_THROW((void)to_query_bytes(row), std::logic_error);
}

TEST(QueryBytes, that_end_early_or_late_are_damaged) {
  const std::string whole = to_query_bytes(to_row(full_row()), Rows{to_row(full_row())}, std::string("next"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ((error_of<Row, Rows, std::string>(whole.substr(0, size))), kDamaged) << size;
  }
  EXPECT_EQ((error_of<Row, Rows, std::string>(whole + '\0')), kDamaged);
}

TEST(QueryBytes, with_numbers_that_do_not_fit_are_damaged) {
  using namespace std::string_literals;
  EXPECT_EQ(error_of<Row>("\x01\x01kb\x02"s), kDamaged) << "a bool of 2";
  EXPECT_EQ(error_of<Row>("\x01\x01kq\x80\x80\x04"s), kDamaged) << "65536 in 16 bits";
  EXPECT_EQ(error_of<Row>("\x01\x01kz\x01"s), kDamaged) << "an unknown type";
  EXPECT_EQ(error_of<Rows>("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s), kDamaged) << "2^64 - 1 rows";
  EXPECT_EQ(error_of<Row>("\x01\x01kT\xff\xff\xff\xff\x0f"s), kDamaged) << "4 billion numbers";
}

TEST(QueryBytes, with_a_key_twice_or_out_of_order_are_damaged) {
  using namespace std::string_literals;
  EXPECT_EQ(error_of<Row>("\x02\x01kt\x01\x01lt\x02"s), "no error");
  EXPECT_EQ(error_of<Row>("\x02\x01kt\x01\x01kt\x02"s), kDamaged);
  EXPECT_EQ(error_of<Row>("\x02\x01lt\x01\x01kt\x02"s), kDamaged);
  EXPECT_EQ(error_of<Row>("\x02\x02k\xFEt\x01\x02k\xFFt\x02"s), kDamaged) << "one key once it is clean";
}

TEST(QueryBytes, with_rows_in_rows_in_rows_are_damaged_before_the_stack_ends) {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "\x01\x01\x01kR";
  EXPECT_EQ(error_of<Rows>(deep), kDamaged);
}

// sd-bus would refuse the message, or the bus would throw the daemon out.
TEST(QueryBytes, are_cleaned_of_what_the_bus_does_not_take) {
  ByteWriter writer;
  writer.number(1);
  writer.text("k\xFF");
  writer.number('s');
  writer.text(std::string("a\0\xEF\xBF\xBE", 5));
  const auto read = from_query_bytes<dbus::Row>(writer.take());
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<0>(*read).at("k\uFFFD").get<std::string>(), "a\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(QueryBytes, that_exceed_a_message_are_refused) {
  // Each entry takes a few bytes here and far more in a message.
  ByteWriter writer;
  constexpr std::uint64_t kRows = 100'000;
  writer.number(kRows);
  for (std::uint64_t i = 0; i < kRows; ++i) {
    writer.number(1);
    writer.text("");
    writer.number('t');
    writer.number(0);
  }
  EXPECT_EQ(error_of<Rows>(writer.take()), kDamaged);
  const std::string long_text(600'000, 'x');
  EXPECT_THAT(
      (error_of<std::string, std::string, std::string>(to_query_bytes(long_text, long_text, long_text))),
      testing::HasSubstr("does not fit into a message"));
}

TEST(QueryBytes, of_any_content_do_no_harm) {
  std::mt19937 random{4711};
  const std::string whole = to_query_bytes(to_row(full_row()), Rows{to_row(full_row()), to_row(full_row())});
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = whole;
    for (int change = 0; change < 3; ++change) bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto read = from_query_bytes<Row, Rows>(bytes);
    if (read) {
      EXPECT_NO_THROW((void)sdbus::Variant{std::get<1>(*read)});
    }
  }
}

TEST(AnswerQuery, refuses_what_is_no_query) {
  FakeQueries queries;
  for (const std::string& request :
       {std::string{}, std::string("\x07Unknown"), to_query_bytes(std::string("GetJob"))}) {
    const auto answer = answer_query(queries, request);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, ErrorKind::internal);
  }
}

TEST(AnswerQuery, keeps_the_kind_of_an_error) {
  FakeQueries queries;
  const auto answer =
      answer_query(queries, to_query_bytes(std::string(query_name::kGetJob), std::uint64_t{7}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::not_found);
  EXPECT_EQ(answer.error().message, "job 7: no such job");
}

}  // namespace
}  // namespace netperfd::bus
