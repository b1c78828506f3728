// SPDX-License-Identifier: GPL-2.0-or-later
// Words of enumerations that this netperfd does not know, in rows that are as they were stored. What has one
// is told as what cannot be read, by the word, and not shown with another one; all else stays readable.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class UnknownWords : public StoreTest {
 protected:
  UnknownWords() { open(); }
  // As a netperfd that knows more words would store it.
  void store_word(const std::string& table, const std::string& column, const std::string& word, int row) {
    forge(path(), fmt::format("PRAGMA ignore_check_constraints = ON; UPDATE {} SET {} = '{}' WHERE id = {}",
                              table, column, word, row));
  }
};

TEST_F(UnknownWords, in_a_pending_job_are_its_damage_and_leave_the_others) {
  for (int i = 0; i < 2; ++i) must(add_job(*store, a_job(), 0, kMorning));
  store_word("jobs", "purpose", "joke", 1);
  const auto found = must(store->unfinished_jobs());
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[0].damage, HasSubstr("column purpose is damaged: \"joke\" is none of its words"));
  EXPECT_EQ(found[1].damage, "");
}

TEST_F(UnknownWords, in_a_list_of_jobs_are_told_of_their_job) {
  for (int i = 0; i < 2; ++i) store_job(a_job());
  store_word("jobs", "purpose", "joke", 1);
  auto listed = must(store->jobs({}, "", 0)).rows;
  ASSERT_THAT(listed, SizeIs(2));
  EXPECT_EQ(listed[0].scenario, "veth-tcp");
  EXPECT_EQ(listed[1].scenario, "(damaged)");
  store_word("jobs", "purpose", "measurement", 1);
  EXPECT_EQ(must(store->jobs({}, "", 0)).rows[1].scenario, "veth-tcp");
  store_word("runs", "state", "paused", 1);
  EXPECT_EQ(must(store->jobs({}, "", 0)).rows[1].scenario, "(damaged)");
}

TEST_F(UnknownWords, of_a_run_are_why_it_cannot_be_read) {
  const RunId run = store_job(a_job());
  const RunId other = store_job(a_job());
  struct Word {
    const char* table;
    const char* column;
    const char* word;
    const char* before;
  };
  for (const Word& each : {Word{"runs", "state", "paused", "finished"},
                           {"jobs", "purpose", "joke", "measurement"},
                           {"jobs", "protocol", "quic", "tcp"},
                           {"jobs", "direction", "up", "send"}}) {
    SCOPED_TRACE(each.column);
    store_word(each.table, each.column, each.word, 1);
    const auto row = store->run(run);
    ASSERT_FALSE(row);
    EXPECT_EQ(row.error().kind, ErrorKind::io);
    EXPECT_THAT(
        row.error().message,
        HasSubstr(fmt::format("column {} is damaged: \"{}\" is none of its words", each.column, each.word)));
    const auto listed = must(store->runs({}, "", 0)).rows;
    ASSERT_THAT(listed, SizeIs(2));
    EXPECT_EQ(listed[0].id, other);
    EXPECT_EQ(listed[0].error, "");
    EXPECT_THAT(listed[1].error, HasSubstr(each.word));
    store_word(each.table, each.column, each.before, 1);
    EXPECT_TRUE(store->run(run)) << "it is as it was";
  }
}

}  // namespace
}  // namespace netperfd::store
