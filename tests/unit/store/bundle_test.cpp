// SPDX-License-Identifier: GPL-2.0-or-later
// Runs move from one store to another with everything that the first has of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "daemon/store/bundle_reader.hpp"
#include "daemon/store/bundle_tables.hpp"
#include "daemon/store/bundle_writer.hpp"
#include "daemon/store/database.hpp"
#include "tests/unit/store/next_steps.hpp"
#include "tests/unit/store/stored_bundle.hpp"

namespace netperfd::store {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Every row of every table, whatever bundle_tables() knows of it.
std::string everything_in(const std::string& path) {
  auto connection = must(Connection::open(path, SQLITE_OPEN_READONLY));
  std::string text;
  for (const std::string& table :
       list_of(connection, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")) {
    if (kNotMoved.contains(table)) continue;
    auto columns = list_of(connection, fmt::format("SELECT name FROM pragma_table_info('{}')", table));
    std::erase_if(columns,
                  [&](const std::string& column) { return kNotMoved.contains(table + "." + column); });
    const auto rows = list_of(connection, fmt::format("SELECT quote(\"{}\") FROM {} ORDER BY 1",
                                                      fmt::join(columns, "\") || ', ' || quote(\""), table));
    EXPECT_FALSE(rows.empty()) << table << ": store_runs() has no row of it, so nothing proves that it moves";
    text += fmt::format("{} ({})\n{}\n", table, fmt::join(columns, ", "), fmt::join(rows, "\n"));
  }
  return text;
}

TEST_F(BundleStore, moves_every_column_of_every_table_into_an_empty_store) {
  const auto jobs = must(other_->add_bundle(content(), kImporter, "", kMorning));
  EXPECT_EQ(jobs.size(), 4U);
  EXPECT_EQ(everything_in(other_path()), everything_in(path()));
  EXPECT_EQ(must(other_->tables(runs_, kNoLimit)), content());
  EXPECT_EQ(must(other_->samples(kFirstOfDesign)), the_samples());
  EXPECT_EQ(must(other_->document(kMeasured, "client.stdout")),
            must(store->document(kMeasured, "client.stdout")));
}

// By another host, at another time: what it has is known by the runs themselves.
TEST_F(BundleStore, takes_the_runs_of_a_bundle_once_for_each_user) {
  must(other_->add_bundle(content(), kImporter, "from there", kMorning));
  const std::string stored = "SELECT count(*) FROM runs";
  const std::string once = ask(other_path(), stored);
  const auto again = other_->add_bundle(content(), kImporter, "from elsewhere", kLater);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::invalid_argument);
  EXPECT_THAT(again.error().message,
              AllOf(HasSubstr("is stored already, as runs "), HasSubstr("nothing was imported")));
  EXPECT_EQ(ask(other_path(), stored), once);
  // A part of it, too.
  EXPECT_FALSE(
      other_->add_bundle(must(store->tables({kMeasured}, kNoLimit)), kImporter, "from there", kLater));
  EXPECT_TRUE(other_->add_bundle(content(), kImporter + 1, "from there", kLater))
      << "nobody is told of others' runs";
}

// An imported document has no times of its own.
TEST_F(BundleStore, with_a_document_that_is_new_beside_runs_that_are_not_is_imported) {
  constexpr RunId kImported = 3;
  must(other_->add_bundle(must(store->tables({kMeasured}, kNoLimit)), kImporter, "from there", kMorning));
  const StoredTables both = must(store->tables({kMeasured, kImported}, kNoLimit));
  must(other_->add_bundle(both, kImporter, "from there", kLater));
  EXPECT_FALSE(other_->add_bundle(both, kImporter, "from there", kLater));
}

TEST_F(BundleStore, of_runs_that_this_host_measured_is_imported_once) {
  must(store->add_bundle(content(), kImporter, "from here", kLater));
  EXPECT_FALSE(store->add_bundle(content(), kImporter, "from here", kLater));
}

TEST_F(BundleStore, gives_new_numbers_and_the_importing_user_what_was_moved) {
  must(add_job(*other_, a_job(), 1, kMorning));
  const auto jobs = must(other_->add_bundle(content(), kImporter, "from there", kLater));
  EXPECT_EQ(jobs.front().id, 2);
  EXPECT_EQ(jobs.front().runs.front(), 2);
  const core::RunRow run = must(other_->run(2));
  EXPECT_EQ(run.owner, kImporter);
  EXPECT_EQ(run.created, kLater);
  ASSERT_FALSE(run.flags.empty());
  EXPECT_EQ(run.flags.back().code, kFromBundle);
  EXPECT_EQ(run.flags.back().message, "from there; it was run 1 there");
  EXPECT_EQ(must(other_->fingerprint(2)), must(store->fingerprint(1)));
  const auto usage = must(other_->usage(kImporter, {}, WallTime::max()));
  EXPECT_GT(usage.stored_bytes, 0U);
  EXPECT_EQ(usage.running.count(), 0);
  EXPECT_EQ(ask(other_path(),
                "SELECT sum(stored_bytes) FROM (SELECT stored_bytes FROM jobs UNION ALL SELECT "
                "stored_bytes FROM runs)"),
            std::to_string(usage.stored_bytes));
}

TEST_F(BundleStore, moves_one_run_with_its_job) {
  const auto jobs =
      must(other_->add_bundle(must(store->tables({kFirstOfDesign + 1}, kNoLimit)), 1, "", kMorning));
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_THAT(jobs.front().runs, ElementsAre(1));
}

TEST_F(BundleStore, keeps_a_reference_to_a_confirmed_job_only_if_both_are_moved) {
  JobSpec again = the_design();
  again.confirms = 3;
  const auto job = must(add_job(*store, again, 1000, kMorning));
  for (const RunId run : job.runs) {
    bring_to_collecting(*store, run);
    must(store->finish(a_record(run, 1, 2)));
  }
  must(other_->add_bundle(must(store->tables(job.runs, kNoLimit)), 1, "", kMorning));
  EXPECT_EQ(ask(other_path(), "SELECT ifnull(max(confirms), 'none') FROM jobs"), "none");
  std::vector<RunId> both = job.runs;
  both.insert(both.begin(), kFirstOfDesign);
  must(other_->add_bundle(must(store->tables(both, kNoLimit)), 1, "", kMorning));
  EXPECT_EQ(ask(other_path(), "SELECT confirms FROM jobs WHERE id = 3"), "2");
}

TEST_F(BundleStore, tells_of_the_exported_job_last_though_a_self_test_is_newer) {
  JobSpec self_test = the_design();
  self_test.purpose = JobPurpose::selftest;
  const auto newer = must(add_job(*store, self_test, 1000, kMorning));
  for (const RunId run : newer.runs) {
    bring_to_collecting(*store, run);
    must(store->finish(a_record(run, 1, 2)));
  }
  std::vector<RunId> runs = newer.runs;
  runs.push_back(kFirstOfDesign);
  const auto jobs = must(other_->add_bundle(must(store->tables(runs, kNoLimit)), 1, "", kMorning));
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(ask(other_path(), fmt::format("SELECT purpose FROM jobs WHERE id = {}", jobs.back().id)),
            "measurement");
}

TEST_F(BundleStore, reads_only_runs_that_have_ended) {
  const RunId open = run_under_way(a_job());
  EXPECT_EQ(store->tables({open}, kNoLimit).error().kind, ErrorKind::busy);
  EXPECT_EQ(store->tables({99}, kNoLimit).error().kind, ErrorKind::not_found);
  EXPECT_EQ(store->tables({}, kNoLimit).error().kind, ErrorKind::not_found);
  EXPECT_EQ(store->tables(kMovedRuns, 100).error().kind, ErrorKind::invalid_argument);
}

TEST_F(BundleStore, refuses_what_does_not_fit_and_adds_nothing) {
  EXPECT_EQ(refusal([](auto& it) { std::erase_if(it.tables, [](auto& t) { return t.name == "facts"; }); }),
            "table facts is missing");
  EXPECT_THAT(
      refusal([](auto& it) { it.tables.push_back({.name = "audit", .columns = {"id"}, .values = {}}); }),
      HasSubstr("has no table audit"));
  EXPECT_EQ(refusal([](auto& it) { it.tables.push_back(it.tables.front()); }), "table jobs is there twice");
  EXPECT_THAT(
      refusal([](auto& it) { table_in(it, "flags").columns.back() = "massage"; }),
      AllOf(HasSubstr("table flags: there is no column massage"), HasSubstr("run, position, code, message")));
  EXPECT_THAT(refusal([](auto& it) { table_in(it, "flags").columns.pop_back(); }),
              HasSubstr("table flags: a column is missing"));
  EXPECT_THAT(refusal([](auto& it) { table_in(it, "flags").values.pop_back(); }),
              HasSubstr("rows are damaged"));
  EXPECT_EQ(refusal([](auto& it) { set_first(it, "runs", "state", std::string{"pending"}); }),
            "table runs, row 1: column state: expected is finished, failed, canceled or interrupted");
  EXPECT_EQ(refusal([](auto& it) { set_first(it, "sums", "run", std::int64_t{99}); }),
            "table sums, row 1: column run: the bundle has no 99 in its table runs");
  EXPECT_EQ(refusal([](auto& it) { set_first(it, "runs", "id", std::int64_t{2}); }),
            "table runs, row 2: column id: 2 is there twice");
  EXPECT_THAT(refusal([](auto& it) { set_first(it, "sums", "seconds", std::string{"long"}); }),
              HasSubstr("table sums, row 1: column seconds: expected is a number"));
  EXPECT_THAT(refusal([](auto& it) { set_first(it, "sums", "direction", std::string{"up"}); }),
              AllOf(HasSubstr("table sums, row 1"), HasSubstr("CHECK")));
  EXPECT_EQ(refusal([](auto& it) { set_first(it, "documents", "content", std::monostate{}); }),
            "table documents, row 1: column content: expected are bytes");
}

// The process that reads bundles names the table; this is what a process in the hands of a bundle gets.
TEST_F(BundleStore, adds_nothing_if_a_row_refers_to_nothing) {
  StoredTables changed = content();
  table_in(changed, "traces").values.clear();
  const auto added = other_->add_bundle(changed, kImporter, "flag", kMorning);
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("FOREIGN KEY"));
  EXPECT_EQ(ask(other_path(), "SELECT count(*) FROM jobs"), "0");
}

TEST_F(BundleStore, names_the_table_of_a_row_that_refers_to_nothing) {
  StoredTables changed = content();
  table_in(changed, "trace_events").values.clear();
  const auto newest = at_newest_version(changed, kNoLimit);
  ASSERT_FALSE(newest);
  EXPECT_EQ(newest.error().message,
            "table trace_slices: a row refers to a row of table trace_events that is not there");
}

TEST_F(BundleStore, content_of_this_version_stays_as_it_is) {
  EXPECT_EQ(must(at_newest_version(content(), kNoLimit)), content());
}

TEST_F(BundleStore, refuses_a_newer_version) {
  StoredTables newer = content();
  newer.schema += 1;
  EXPECT_EQ(at_newest_version(newer, kNoLimit).error().kind, ErrorKind::unsupported);
  newer.schema = 0;
  EXPECT_EQ(at_newest_version(newer, kNoLimit).error().kind, ErrorKind::invalid_argument);
}

TEST_F(BundleStore, refuses_a_development_version) {
  StoredTables older = content();
  for (const std::uint32_t version : {24U, 1U}) {
    older.schema = version;
    const auto refused = at_newest_version(older, kNoLimit);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
    EXPECT_EQ(refused.error().message,
              fmt::format("a development version of netperfd made the bundle, of schema version {}; this one "
                          "knows versions from 25 on. Read it with the version that made it",
                          version));
  }
}

TEST_F(BundleStore, of_an_older_version_is_the_same_as_one_of_the_migrated_database) {
  const auto steps = with_next_steps();
  const StoredTables old = content();
  close();
  auto database = must(Database::open(path(), steps));
  const StoredTables migrated = must(read_tables(database->connection(), runs_, kNoLimit));
  EXPECT_EQ(migrated.schema, newest_of(steps));
  EXPECT_NE(migrated, old);
  EXPECT_EQ(must(at_newest_version(old, kNoLimit, steps)), migrated);
}

// A bundle that an older netperfd would have made of its database is the same as one of the migrated
// database.
class BundleOfVersion : public StoreTest, public testing::WithParamInterface<std::int64_t> {};

TEST_P(BundleOfVersion, is_migrated) {
  make_old_store(path(), GetParam());
  std::vector<RunId> runs(static_cast<std::size_t>(std::stoll(ask(path(), "SELECT count(*) FROM runs"))));
  std::iota(runs.begin(), runs.end(), RunId{1});
  StoredTables old;
  {
    auto connection = must(Connection::open(path(), SQLITE_OPEN_READONLY));
    old = must(read_tables(connection, runs, kNoLimit));
  }
  EXPECT_EQ(old.schema, GetParam());
  open();
  const StoredTables migrated = must(store->tables(runs, kNoLimit));
  EXPECT_EQ(must(at_newest_version(old, kNoLimit)), migrated);
}

INSTANTIATE_TEST_SUITE_P(Every, BundleOfVersion,
                         testing::Range(oldest_of(embedded_migrations()),
                                        newest_of(embedded_migrations()) + 1));

}  // namespace
}  // namespace netperfd::store
