// SPDX-License-Identifier: GPL-2.0-or-later
// Statements that are used again, and what must not remain in them.
#include <fmt/format.h>
#include <sqlite3.h>

#include "daemon/store/sqlite.hpp"
#include "daemon/store/statement_cache.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

class StatementsUsedAgain : public StoreTest {
 protected:
  StatementsUsedAgain()
      : connection(must(Connection::open(path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE))) {
    must(connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)"));
  }

  // The compiled statements that SQLite has for the connection.
  [[nodiscard]] int compiled() const {
    int count = 0;
    sqlite3_stmt* each = nullptr;
    while ((each = sqlite3_next_stmt(connection.raw(), each)) != nullptr) ++count;
    return count;
  }

  Connection connection;
};

TEST_F(StatementsUsedAgain, are_compiled_once) {
  for (int i = 1; i <= 3; ++i) {
    auto select = must(connection.prepare("SELECT x FROM t WHERE x = ?"));
    ASSERT_TRUE(must(select.bind(i).step()));
    int x = 0;
    must(select.read(x));
    EXPECT_EQ(x, i);
    EXPECT_EQ(compiled(), 1);
  }
}

TEST_F(StatementsUsedAgain, two_of_one_text_at_a_time_are_two) {
  auto first = must(connection.prepare("SELECT x FROM t ORDER BY x"));
  auto second = must(connection.prepare("SELECT x FROM t ORDER BY x"));
  ASSERT_TRUE(must(first.step()));
  ASSERT_TRUE(must(second.step()));
  ASSERT_TRUE(must(second.step()));
  int of_first = 0, of_second = 0;
  must(first.read(of_first));
  must(second.read(of_second));
  EXPECT_EQ(of_first, 1);
  EXPECT_EQ(of_second, 2);
}

TEST_F(StatementsUsedAgain, begin_with_the_first_row_and_without_the_parameters_of_their_last_user) {
  {
    auto select = must(connection.prepare("SELECT x, ?1 IS NULL FROM t WHERE x > ifnull(?1, 0) ORDER BY x"));
    ASSERT_TRUE(must(select.bind(1).step()));
  }
  auto select = must(connection.prepare("SELECT x, ?1 IS NULL FROM t WHERE x > ifnull(?1, 0) ORDER BY x"));
  EXPECT_FALSE(select.step()) << "a parameter is not bound";
  ASSERT_TRUE(must(select.bind(std::optional<int>{}).step()));
  int x = 0;
  bool is_null = false;
  must(select.read(x, is_null));
  EXPECT_EQ(x, 1);
  EXPECT_TRUE(is_null);
}

TEST_F(StatementsUsedAgain, hold_no_lock_meanwhile) {
  {
    auto select = must(connection.prepare("SELECT x FROM t"));
    ASSERT_TRUE(must(select.step()));
  }
  auto other = must(Connection::open(path(), SQLITE_OPEN_READWRITE));
  EXPECT_TRUE(other.execute("DROP TABLE t"));
}

TEST_F(StatementsUsedAgain, follow_a_changed_schema) {
  {
    ASSERT_TRUE(must(must(connection.prepare("SELECT * FROM t")).step()));
  }
  must(connection.execute("ALTER TABLE t RENAME COLUMN x TO y; ALTER TABLE t ADD COLUMN z DEFAULT 7"));
  auto select = must(connection.prepare("SELECT * FROM t"));
  ASSERT_TRUE(must(select.step()));
  int y = 0, z = 0;
  must(select.read(y, z));
  EXPECT_EQ(z, 7);
}

TEST_F(StatementsUsedAgain, are_limited_in_number_and_the_ones_used_last_stay) {
  const std::string kept = "SELECT x FROM t";
  for (std::size_t i = 0; i < 3 * StatementCache::kMost; ++i) {
    {
      (void)must(connection.prepare(fmt::format("SELECT {} FROM t", i)));
    }
    {
      (void)must(connection.prepare(kept));
    }
  }
  EXPECT_EQ(compiled(), static_cast<int>(StatementCache::kMost));
  const auto used_again = must(connection.prepare(kept));
  EXPECT_EQ(compiled(), static_cast<int>(StatementCache::kMost));
}

TEST_F(StatementsUsedAgain, do_not_keep_the_connection_open) {
  {
    (void)must(connection.prepare("SELECT x FROM t"));
  }
  EXPECT_TRUE(connection.close());
}

TEST_F(StatementsUsedAgain, and_all_else_of_a_connection_need_no_mutex) {
  EXPECT_EQ(sqlite3_db_mutex(connection.raw()), nullptr) << "one thread uses a connection";
}

}  // namespace
}  // namespace netperfd::store
