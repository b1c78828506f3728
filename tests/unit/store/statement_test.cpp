// SPDX-License-Identifier: GPL-2.0-or-later
// What a statement refuses: parameters or columns of another number than it has, and values of another type.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/store/rows.hpp"
#include "daemon/store/sqlite.hpp"
#include "dbus/rows/iperf3.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class StatementRefuses : public StoreTest {
 protected:
  StatementRefuses()
      : connection(must(Connection::open(path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE))) {
    must(
        connection.execute("CREATE TABLE t (number INTEGER, text TEXT, bytes BLOB) STRICT; "
                           "INSERT INTO t VALUES (7, 'seven', x'07')"));
  }

  // What reading the only row of `sql` into `values` says; nothing: it was read.
  template <class... T>
  Error refusal_of_read(const std::string& sql, T&&... values) {
    auto select = must(connection.prepare(sql));
    EXPECT_TRUE(must(select.step()));
    const auto read = select.read(values...);
    EXPECT_FALSE(read) << sql;
    return read ? Error{} : read.error();
  }

  Connection connection;
  std::int64_t number = 0;
  double real = 0;
  std::string text;
};

TEST_F(StatementRefuses, too_few_and_too_many_parameters) {
  auto insert = must(connection.prepare("INSERT INTO t VALUES (?, ?, ?)"));
  const auto few = insert.bind(1).run();
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().kind, ErrorKind::internal);
  EXPECT_EQ(few.error().message, "1 of 3 parameters are bound: INSERT INTO t VALUES (?, ?, ?)");
  EXPECT_FALSE(insert.bind(1, "one", Blob{"1"}, 1).run());
  EXPECT_FALSE(insert.run()) << "those of an earlier run are not there any more";
  EXPECT_EQ(must(connection.value<int>("SELECT count(*) FROM t")), 1) << "none of them inserted a row";
  EXPECT_TRUE(insert.bind(1, "one", Blob{"1"}).run());
}

TEST_F(StatementRefuses, to_be_read_as_more_or_fewer_columns_than_it_has) {
  const Error more = refusal_of_read("SELECT number FROM t", number, number);
  EXPECT_EQ(more.kind, ErrorKind::internal);
  EXPECT_EQ(more.message, "2 of 1 columns are read: SELECT number FROM t");
  EXPECT_EQ(refusal_of_read("SELECT number, text FROM t", number).message,
            "1 of 2 columns are read: SELECT number, text FROM t");
}

TEST_F(StatementRefuses, a_text_or_bytes_as_a_number) {
  EXPECT_EQ(refusal_of_read("SELECT text FROM t", number).kind, ErrorKind::io);
  EXPECT_EQ(refusal_of_read("SELECT text FROM t", number).message,
            path() + ": column text is damaged: it has a text in place of a number");
  EXPECT_THAT(refusal_of_read("SELECT '7'", real).message, HasSubstr("a text in place of a number"));
  std::optional<std::uint16_t> small;
  EXPECT_THAT(refusal_of_read("SELECT number, bytes FROM t", number, small).message,
              AllOf(HasSubstr("column bytes"), HasSubstr("bytes in place of a number")));
  bool flag = false;
  EXPECT_THAT(refusal_of_read("SELECT 'true'", flag).message, HasSubstr("a text in place of a number"));
  EXPECT_FALSE(connection.value<int>("SELECT text FROM t"));
}

TEST_F(StatementRefuses, a_word_that_its_enumeration_does_not_have) {
  Direction direction = Direction::receive;
  EXPECT_THAT(refusal_of_read("SELECT 'sideways' AS direction", direction).message,
              HasSubstr("column direction is damaged: \"sideways\" is none of its words"));
}

TEST_F(StatementRefuses, nothing_else) {
  auto select = must(connection.prepare("SELECT number, number, number, text, NULL, NULL FROM t"));
  ASSERT_TRUE(must(select.step()));
  std::string digits;
  std::optional<int> absent = 1;
  int zero = 1;
  must(select.read(number, real, digits, text, absent, zero));
  EXPECT_EQ(number, 7);
  EXPECT_EQ(real, 7);
  EXPECT_EQ(digits, "7");
  EXPECT_EQ(text, "seven");
  EXPECT_FALSE(absent);
  EXPECT_EQ(zero, 0);
}

TEST_F(StatementRefuses, a_row_among_others_and_the_list_ends) {
  must(connection.execute("INSERT INTO t VALUES (8, '8', NULL), (9, 'nine', NULL)"));
  auto select = must(connection.prepare("SELECT iif(number = 8, text, number) FROM t ORDER BY number"));
  int rows = 0;
  const auto done = for_each_row(select, [&](RowReader& row) {
    row.read(number);
    ++rows;
  });
  EXPECT_FALSE(done);
  EXPECT_EQ(rows, 2);
  rows = 0;
  must(for_each_row(select, [&](RowReader& row) { rows += row.try_read(number) ? 1 : 0; }));
  EXPECT_EQ(rows, 2) << "who looks at each row itself goes on";
}

}  // namespace
}  // namespace netperfd::store
