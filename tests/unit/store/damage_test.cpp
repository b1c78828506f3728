// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes that have changed on the disk: each change is found by the check, which names run and job, or it is
// harmless; and no answer is another one than before without being an error.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/store/digests.hpp"
#include "tests/unit/store/all_answers.hpp"
#include "tests/unit/store/store_fixture.hpp"
#include "tests/unit/store/stored_runs.hpp"

namespace netperfd::store {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Whatever is in its tables, and its schema. The greatest numbers that were given are no rows of anybody.
std::string rows_and_texts_of(const std::string& path) {
  auto connection = must(Connection::open(path, SQLITE_OPEN_READONLY));
  std::string text;
  for (const std::string& table :
       list_of(connection, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")) {
    if (table == "sqlite_sequence") continue;
    const auto columns = list_of(connection, fmt::format("SELECT name FROM pragma_table_info('{}')", table));
    text += fmt::format(
        "{}\n{}\n", table,
        fmt::join(list_of(connection, fmt::format("SELECT quote(\"{}\") FROM {} ORDER BY 1",
                                                  fmt::join(columns, "\") || ', ' || quote(\""), table)),
                  "\n"));
  }
  return text;
}

const std::vector<RunId> kRuns{1, 2, 3, 4, 5, 6, 7, 8};
const std::vector<JobId> kJobs{1, 2, 3, 4};

class Damage : public StoreTest {
 protected:
  Damage() {
    open();
    store_runs(*store);
    RunRecord record = a_record(run_under_way(a_job("long", "after")), 4, 100);
    for (int i = 0; i < 100; ++i)
      record.workload.documents.front().bytes += fmt::format("\"{}\": {},\n", i, i * i);
    record.trace = a_trace();
    record.trace->recording = std::string(9000, 'x') + record.workload.documents.front().bytes;
    must(store->finish(record));
  }
  core::StoreCheck check() { return must(store->check_store()); }
};

TEST_F(Damage, is_not_found_where_there_is_none) {
  const auto whole = check();
  EXPECT_THAT(whole.problems, IsEmpty());
  EXPECT_THAT(whole.damaged_runs, IsEmpty());
  EXPECT_THAT(whole.damaged_jobs, IsEmpty());
  const Answers answers = all_answers(*store, kRuns, kJobs);
  EXPECT_EQ(wrong_answers(answers, all_answers(*store, kRuns, kJobs)), "");
  // Else the tests below prove nothing: each question has an answer for one of the runs.
  std::set<std::string> unanswered;
  for (const auto& [question, answer] : answers) {
    if (answer.starts_with("error: ")) unanswered.insert(question.substr(0, question.find(" of run ")));
  }
  for (const auto& [question, answer] : answers) {
    if (!answer.starts_with("error: ")) unanswered.erase(question.substr(0, question.find(" of run ")));
  }
  EXPECT_THAT(unanswered, IsEmpty());
}

// Of every table and column that the schema has: a later one is among them.
class EveryColumn : public Damage {
 protected:
  // A row of it, and whose it is.
  struct Place {
    std::string table, column, type, where;
    bool is_key = false;
    std::vector<std::int64_t> runs, jobs;
  };

  std::vector<Place> places() {
    std::vector<Place> found;
    for (const std::string& table : list_of(
             writer_, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")) {
      const auto columns =
          list_of(writer_, fmt::format("SELECT name || ' ' || type FROM pragma_table_info('{}')", table));
      const auto keys = list_of(
          writer_, fmt::format("SELECT name FROM pragma_table_info('{}') WHERE pk > 0 ORDER BY pk", table));
      const auto row = list_of(
          writer_, fmt::format("SELECT '\"{}\" = ' || quote(\"{}\") {} FROM {} ORDER BY 1 DESC LIMIT 1",
                               keys.front(), keys.front(), rest_of(keys), table));
      EXPECT_THAT(row, testing::SizeIs(1)) << table << ": store_runs() has no row of it";
      if (row.empty()) continue;
      for (const std::string& column : columns) {
        Place& place = found.emplace_back();
        place.table = table;
        place.column = column.substr(0, column.find(' '));
        place.type = column.substr(column.find(' ') + 1);
        place.where = row.front();
        place.is_key = std::ranges::find(keys, place.column) != keys.end();
        set_owners(place);
      }
    }
    return found;
  }
  static std::string rest_of(const std::vector<std::string>& keys) {
    std::string sql;
    for (std::size_t i = 1; i < keys.size(); ++i)
      sql += fmt::format(" || ' AND \"{0}\" = ' || quote(\"{0}\")", keys[i]);
    return sql;
  }
  void set_owners(Place& place) {
    const auto numbers = [&](const std::string& column) {
      std::vector<std::int64_t> values;
      for (const auto& value :
           list_of(writer_, fmt::format("SELECT {} FROM {} WHERE {}", column, place.table, place.where)))
        values.push_back(std::stoll(value));
      return values;
    };
    const auto has = [&](const char* column) {
      return !list_of(writer_, fmt::format("SELECT name FROM pragma_table_info('{}') WHERE name = '{}'",
                                           place.table, column))
                  .empty();
    };
    if (place.table == "audit" || place.table == "stored_by_owner") return;
    if (place.table == "jobs") {
      place.jobs = numbers("id");
    } else if (place.table == "runs") {
      place.runs = numbers("id");
    } else if (place.table == "fingerprints" || place.table == "facts") {
      place.runs = {kMeasured};
    } else if (has("run")) {
      place.runs = numbers("run");
    } else {
      place.jobs = numbers("job");
    }
  }
  bool is_intact(const Place& place) {
    if (place.table == "stored_by_owner") return store->check_store()->problems.empty();
    if (place.table == "audit") {
      return list_of(writer_, "SELECT digest FROM audit").front() ==
             std::to_string(must(digest_of_entry(writer_, 1)));
    }
    return std::ranges::all_of(place.runs,
                               [&](RunId run) { return expect_intact(writer_, of_run(run)).has_value(); }) &&
           std::ranges::all_of(place.jobs,
                               [&](JobId job) { return expect_intact(writer_, of_job(job)).has_value(); });
  }
  // Another value of its type.
  static std::string other_value(const Place& place) {
    const std::string& column = place.column;
    if (place.type == "INTEGER") return fmt::format("ifnull(\"{}\" + 1000, 1)", column);
    if (place.type == "REAL") return fmt::format("ifnull(\"{}\" + 0.5, 0.5)", column);
    if (place.type == "TEXT") return fmt::format("ifnull(\"{}\" || 'x', 'x')", column);
    return fmt::format("CAST(substr(\"{0}\", 1, length(\"{0}\") - 1) || x'5a' AS BLOB)", column);
  }

  // Changes the value, and returns how to change it back.
  std::string change(const Place& place) {
    const auto quoted = [&](const std::string& value) {
      return list_of(writer_,
                     fmt::format("SELECT quote({}) FROM {} WHERE {}", value, place.table, place.where))
          .front();
    };
    const std::string column = fmt::format("\"{}\"", place.column);
    const std::string was = quoted(column), now = quoted(other_value(place));
    must(writer_.execute(
        fmt::format("UPDATE {} SET {} = {} WHERE {}", place.table, column, now, place.where)));
    EXPECT_EQ(writer_.changes(), 1);
    std::string where = place.where;
    if (const auto at = where.find(fmt::format("{} = {}", column, was)); at != std::string::npos)
      where.replace(at, column.size() + 3 + was.size(), fmt::format("{} = {}", column, now));
    return fmt::format("UPDATE {} SET {} = {} WHERE {}", place.table, column, was, where);
  }

  Connection writer_ = [this] {
    auto connection = must(Connection::open(path(), SQLITE_OPEN_READWRITE));
    must(connection.execute(
        "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF"));
    // They would repair sums, and delete what nothing refers to.
    sqlite3_db_config(connection.raw(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    return connection;
  }();
};

TEST_F(EveryColumn, that_changes_is_found) {
  const auto everywhere = places();
  ASSERT_GT(everywhere.size(), 300U);
  for (const Place& place : everywhere) {
    SCOPED_TRACE(fmt::format("{}.{} of {}", place.table, place.column, place.where));
    const std::string back = change(place);
    EXPECT_FALSE(is_intact(place));
    must(writer_.execute(back));
    EXPECT_TRUE(is_intact(place)) << "it is as it was";
  }
}

TEST_F(EveryColumn, of_a_row_that_changes_is_shown_nowhere_and_the_check_names_run_and_job) {
  const Answers before = all_answers(*store, kRuns, kJobs);
  const auto everywhere = places();
  for (auto place = everywhere.begin(); place != everywhere.end();) {
    const std::string table = place->table;
    SCOPED_TRACE(fmt::format("{} of {}", table, place->where));
    std::vector<std::string> back;
    const Place& first = *place;
    for (; place != everywhere.end() && place->table == table; ++place) {
      if (!place->is_key) back.push_back(change(*place));
    }
    const auto damaged = check();
    EXPECT_THAT(damaged.problems, Not(IsEmpty()));
    EXPECT_EQ(damaged.damaged_runs, first.runs);
    EXPECT_EQ(damaged.damaged_jobs, first.jobs);
    EXPECT_EQ(wrong_answers(before, all_answers(*store, first.runs, first.jobs)), "");
    for (const std::string& sql : back) must(writer_.execute(sql));
  }
  EXPECT_THAT(check().problems, IsEmpty()) << "all is as it was";
}

// ---- Flipped bytes ----------------------------------------------------------------------------------------

class Flips : public Damage {
 protected:
  // One with everything, one with almost nothing between its neighbours, one with samples, a long one.
  inline static const std::vector<RunId> kAsked{kMeasured, kFailed, kFirstOfDesign, 8};

  void write(const std::string& bytes) const {
    std::ofstream{path(), std::ios::binary | std::ios::trunc} << bytes;
    for (const char* beside : {"-wal", "-shm"}) std::filesystem::remove(path() + beside);
  }
  struct Seen {
    std::string found;  // what is said of the file; empty: nothing
    std::string wrong;  // answers that are others than before without being an error
  };
  Seen look(const Answers& before) {
    auto looked = SqliteStore::open_to_look(path());
    if (!looked) return {.found = looked.error().message, .wrong = ""};
    return {.found = fmt::format("{}", fmt::join(must((*looked)->check_store()).problems, "; ")),
            .wrong = wrong_answers(before, all_answers(**looked, kAsked, kJobs))};
  }
  static std::uint64_t number(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
  }
};

// It would look like the end of the page, and what follows like rows that nobody asked for.
TEST_F(Flips, of_the_position_of_the_last_row_of_a_page_do_not_say_where_to_look_for_damage) {
  constexpr RunId kLong = 8;
  constexpr char kLast = 79, kOther = 4;
  const double start =
      must(must(Connection::open(path(), SQLITE_OPEN_READONLY))
               .value<double>(fmt::format("SELECT start_s FROM intervals WHERE run = {} AND position = {}",
                                          kLong, int{kLast})));
  close();
  std::string bytes = must(read_file(path(), std::size_t{1} << 30U));
  std::string stored;
  for (int shift = 56; shift >= 0; shift -= 8)
    stored += static_cast<char>(std::bit_cast<std::uint64_t>(start) >> static_cast<unsigned>(shift));
  std::size_t changed = 0;
  for (auto at = bytes.find(stored); at != std::string::npos; at = bytes.find(stored, at + 1)) {
    const auto key = bytes.rfind(std::string{static_cast<char>(kLong), kLast}, at);
    if (key == std::string::npos || at - key > 24) continue;
    bytes[key + 1] = kOther;
    ++changed;
  }
  ASSERT_EQ(changed, 1U);
  write(bytes);
  const auto looked = must(SqliteStore::open_to_look(path()));
  EXPECT_TRUE(looked->intervals(kLong, "", 40)) << "the page before it";
  const auto refused = looked->intervals(kLong, "i39", 40);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("run 8: table intervals is damaged"));
}

// More, and others each time: NETPERFD_FLIPS and NETPERFD_FLIPS_SEED, as the step `flips` of tools/test sets.
TEST_F(Flips, of_16_bytes_are_each_found_or_harmless_and_no_answer_is_another_one) {
  const std::uint64_t flips = number("NETPERFD_FLIPS", 20);
  const std::uint64_t seed = number("NETPERFD_FLIPS_SEED", 33);
  close();
  const std::string whole = must(read_file(path(), std::size_t{1} << 30U));
  const std::string content = rows_and_texts_of(path());
  const Answers before = all_answers(*must(SqliteStore::open_to_look(path())), kAsked, kJobs);
  ASSERT_EQ(look(before).found, "");
  std::mt19937_64 random{seed};
  constexpr std::size_t kFlipped = 16;
  const std::string nothing(kFlipped, '\0');
  std::uint64_t harmless = 0;
  for (std::uint64_t flip = 0; flip < flips; ++flip) {
    // Most bytes are zero and in no row: one of those that are changed is not.
    std::size_t at = 0;
    do at = random() % (whole.size() - kFlipped);
    while (std::string_view{whole}.substr(at, kFlipped) == nothing);
    SCOPED_TRACE(fmt::format("seed {}, flip {} at byte {} of page {}", seed, flip, at % 4096, at / 4096 + 1));
    std::string bytes = whole;
    for (std::size_t i = at; i < at + kFlipped; ++i)
      bytes[i] = static_cast<char>(bytes[i] ^ static_cast<char>(1 + random() % 255));
    write(bytes);
    const Seen seen = look(before);
    if (seen.found.empty()) {
      ++harmless;
      EXPECT_EQ(rows_and_texts_of(path()), content);
    }
    EXPECT_EQ(seen.wrong, "");
  }
  fmt::print("seed {}: {} of {} flips were harmless, the others were found\n", seed, harmless, flips);
  EXPECT_LT(harmless, flips / 2);
}

}  // namespace
}  // namespace netperfd::store
