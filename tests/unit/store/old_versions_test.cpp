// SPDX-License-Identifier: GPL-2.0-or-later
// Stores of every released version give the same answers as one that was written today.
//
// tests/data/store/version-N.sql has the schema and the rows of a store of version N.
// NETPERFD_UPDATE_GOLDEN=1 writes the file of a version that has none: what today's store writes of
// store_runs(). A file that exists is never written again, because it says what that version left behind.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "daemon/store/migrations.hpp"
#include "daemon/store/sqlite.hpp"
#include "tests/unit/store/store_fixture.hpp"
#include "tests/unit/store/stored_runs.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::filesystem::path file_of(std::int64_t version) {
  return std::filesystem::path(NETPERFD_TEST_DATA) / "store" / fmt::format("version-{}.sql", version);
}

// The store at `path`: each object of its schema, and then its rows.
std::string store_as_sql(const std::string& path, std::int64_t version) {
  auto written = must(Connection::open(path, SQLITE_OPEN_READONLY));
  std::string text = fmt::format(
      "-- A store of version {}: what sqlite_schema has in it, then its rows. make_old_store() "
      "makes it again.\n",
      version);
  for (const std::string& object : list_of(written,
                                           "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT "
                                           "LIKE 'sqlite_%' ORDER BY rowid"))
    text += object + ";\n";
  for (const std::string& table :
       list_of(written,
               "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
               "ORDER BY name <> 'jobs', name <> 'runs', name <> 'fingerprints', name <> 'traces', "
               "name <> 'function_profiles', name <> 'environments', rowid")) {
    const auto columns = list_of(written, fmt::format("SELECT name FROM pragma_table_info('{}')", table));
    for (const std::string& values :
         list_of(written, fmt::format("SELECT quote({}) FROM {} ORDER BY 1",
                                      fmt::join(columns, ") || ', ' || quote("), table))) {
      text += fmt::format("INSERT INTO {} ({}) VALUES ({});\n", table, fmt::join(columns, ", "), values);
    }
  }
  return text;
}

class OldVersion : public StoreTest, public testing::WithParamInterface<std::int64_t> {
 protected:
  static void SetUpTestSuite() {
    fresh_folder = std::filesystem::temp_directory_path() / fmt::format("netperfd-fresh-{}", ::getpid());
    std::filesystem::create_directory(fresh_folder);
    fresh_store = must(SqliteStore::open(fresh_path(), 0));
    store_runs(*fresh_store);
  }
  static void TearDownTestSuite() {
    fresh_store.reset();
    std::filesystem::remove_all(fresh_folder);
  }
  void SetUp() override {
    if (!std::filesystem::exists(file_of(version())) && std::getenv("NETPERFD_UPDATE_GOLDEN") != nullptr)
      std::ofstream(file_of(version())) << store_as_sql(fresh_path(), version());
    ASSERT_TRUE(std::filesystem::exists(file_of(version())))
        << file_of(version()) << " is missing; NETPERFD_UPDATE_GOLDEN=1 writes it";
    make_old_store(path(), version());
    open();
  }
  [[nodiscard]] static std::int64_t version() { return GetParam(); }
  [[nodiscard]] static std::string fresh_path() { return (fresh_folder / "netperfd.db").string(); }
  [[nodiscard]] SqliteStore& old() { return *store; }
  [[nodiscard]] static SqliteStore& fresh() { return *fresh_store; }

  void expect_same_run(RunId run) {
    const core::RunRow was = must(old().run(run));
    const core::RunRow now = must(fresh().run(run));
    EXPECT_EQ(was.job, now.job);
    EXPECT_EQ(was.index, now.index);
    EXPECT_EQ(was.owner, now.owner);
    EXPECT_EQ(was.state, now.state);
    EXPECT_EQ(was.error, now.error);
    EXPECT_EQ(was.created, now.created);
    EXPECT_EQ(was.started, now.started);
    EXPECT_EQ(was.ended, now.ended);
    EXPECT_EQ(was.iperf3_version, now.iperf3_version);
    EXPECT_EQ(was.client, now.client);
    EXPECT_EQ(was.server, now.server);
    EXPECT_EQ(was.mss_bytes, now.mss_bytes);
    EXPECT_EQ(was.congestion, now.congestion);
    EXPECT_EQ(was.cpu_client_percent, now.cpu_client_percent);
    EXPECT_EQ(was.sums, now.sums);
    EXPECT_EQ(was.flags, now.flags);
    EXPECT_EQ(was.documents, now.documents);
    EXPECT_EQ(was.spec, now.spec);
    EXPECT_EQ(was.variant, now.variant);
    EXPECT_EQ(was.build, now.build);
    EXPECT_EQ(was.note, now.note);
    EXPECT_EQ(was.files, now.files);
    ASSERT_EQ(was.trace.has_value(), now.trace.has_value());
    if (was.trace) {
      EXPECT_EQ(was.trace->events, now.trace->events);
    }
    EXPECT_EQ(must(old().streams(run)), must(fresh().streams(run)));
    EXPECT_EQ(must(old().intervals(run, "", 100)).rows, must(fresh().intervals(run, "", 100)).rows);
  }

  void has_the_same_runs_with_their_figures();
  void lists_the_same_runs_and_jobs();
  void has_the_same_traces_and_profiles();
  void has_the_same_environment_counters_and_figures();
  void is_compared_alike();
  void has_the_same_design();
  void has_the_same_audit_trail_and_usage();
  void takes_new_runs_and_gives_no_number_again();
  void is_whole();  // closes it

 private:
  // No test changes it, and writing it takes longer than each of them.
  inline static std::filesystem::path fresh_folder;
  inline static std::unique_ptr<SqliteStore> fresh_store;
};

void OldVersion::has_the_same_runs_with_their_figures() {
  for (const RunId run : {kMeasured, kFailed, kWatched}) expect_same_run(run);
  EXPECT_EQ(must(old().document(kMeasured, "client.stdout")),
            must(fresh().document(kMeasured, "client.stdout")));
  EXPECT_TRUE(must(old().run(kMeasured)).slot.traced);
}

void OldVersion::lists_the_same_runs_and_jobs() {
  const auto runs = must(old().runs({}, "", 100)).rows;
  ASSERT_THAT(runs, SizeIs(7));
  EXPECT_EQ(runs.back().id, kMeasured) << "newest first";
  core::RunFilter labelled;
  labelled.label = "before";
  EXPECT_THAT(must(old().runs(labelled, "", 100)).rows, SizeIs(2));
  const auto was = must(old().jobs({}, "", 100)).rows;
  const auto now = must(fresh().jobs({}, "", 100)).rows;
  ASSERT_THAT(now, SizeIs(3));
  ASSERT_THAT(was, SizeIs(3));
  EXPECT_EQ(was.back().scenario, now.back().scenario);
  EXPECT_EQ(was.back().label, now.back().label);
  EXPECT_EQ(was.back().created, now.back().created);
  EXPECT_EQ(was.back().purpose, JobPurpose::measurement);
  EXPECT_EQ(was.back().runs.size(), now.back().runs.size());
  EXPECT_THAT(must(old().run_names()).labels, ElementsAre("before"));
}

void OldVersion::has_the_same_traces_and_profiles() {
  EXPECT_EQ(must(old().trace(kMeasured)), must(fresh().trace(kMeasured)));
  EXPECT_EQ(must(old().trace_samples(kMeasured, "", "", 100)).rows,
            must(fresh().trace_samples(kMeasured, "", "", 100)).rows);
  EXPECT_EQ(must(old().trace_stacks(kMeasured, "", 100)).rows,
            must(fresh().trace_stacks(kMeasured, "", 100)).rows);
  EXPECT_EQ(must(old().trace(kWatched)).skipped, "locked down");
  const FunctionProfile now = must(whole_profile(fresh(), kMeasured));
  ASSERT_TRUE(now.calibration);
  ASSERT_TRUE(now.calibration->entry_error_ns) << "else the test proves nothing";
  EXPECT_EQ(must(whole_profile(old(), kMeasured)), now);
  EXPECT_EQ(must(old().traffic(kMeasured)), must(fresh().traffic(kMeasured)));
}

void OldVersion::has_the_same_environment_counters_and_figures() {
  EXPECT_EQ(must(old().fingerprint(kMeasured)), must(fresh().fingerprint(kMeasured)));
  ASSERT_FALSE(must(fresh().counters(kMeasured)).queues.empty()) << "else the test proves nothing";
  EXPECT_EQ(must(old().counters(kMeasured)), must(fresh().counters(kMeasured)));
  EXPECT_EQ(must(old().samples(kFirstOfDesign)), must(fresh().samples(kFirstOfDesign)));
  EXPECT_EQ(must(old().latency(kMeasured)), must(fresh().latency(kMeasured)));
  ASSERT_THAT(must(fresh().named_figures(kMeasured)), SizeIs(2));
  EXPECT_EQ(must(old().named_figures(kMeasured)), must(fresh().named_figures(kMeasured)));
}

void OldVersion::is_compared_alike() {
  const auto was = must(old().compared_runs({kMeasured}, core::ComparedParts::all)).at(0);
  const auto now = must(fresh().compared_runs({kMeasured}, core::ComparedParts::all)).at(0);
  EXPECT_EQ(was.received_bits_per_second, now.received_bits_per_second);
  EXPECT_EQ(was.started, now.started);
  EXPECT_EQ(was.flags, now.flags);
  ASSERT_TRUE(now.goodput_bytes && now.busy_ns && now.trace && now.fingerprint);
  EXPECT_EQ(was.goodput_bytes, now.goodput_bytes);
  EXPECT_EQ(was.packets, now.packets);
  EXPECT_EQ(was.busy_ns, now.busy_ns);
  EXPECT_EQ(was.fingerprint, now.fingerprint);
  ASSERT_TRUE(was.trace);
  EXPECT_EQ(was.trace->functions.size(), now.trace->functions.size());
  EXPECT_TRUE(was.trace->cost);
  EXPECT_EQ(was.trace->lost, now.trace->lost);
}

void OldVersion::has_the_same_design() {
  const auto was = must(old().runs_of_job(3));
  const auto now = must(fresh().runs_of_job(3));
  ASSERT_EQ(now.size(), kRunsOfDesign);
  ASSERT_EQ(was.size(), kRunsOfDesign);
  for (std::size_t i = 0; i < was.size(); ++i) {
    EXPECT_EQ(was[i].id, kFirstOfDesign + static_cast<RunId>(i));
    ASSERT_EQ(now[i].slot.point, 2U) << "else the test proves nothing";
    EXPECT_EQ(was[i].slot, now[i].slot);
    EXPECT_EQ(was[i].point_name, "streams=16, length=512");
    EXPECT_EQ(was[i].variant, now[i].variant);
    EXPECT_EQ(was[i].spec.design, now[i].spec.design);
    EXPECT_EQ(was[i].sums, now[i].sums);
  }
  ASSERT_THAT(must(fresh().boots_of_job(3)), SizeIs(1));
  EXPECT_EQ(must(old().boots_of_job(3)), must(fresh().boots_of_job(3)));
  ASSERT_THAT(must(fresh().figures_of_job(3)), SizeIs(2));
  EXPECT_EQ(must(old().figures_of_job(3)), must(fresh().figures_of_job(3)));
  const auto budget = must(old().budget_of_job(3));
  ASSERT_TRUE(budget && must(fresh().budget_of_job(3)));
  EXPECT_EQ(budget->functions, must(fresh().budget_of_job(3))->functions);
}

void OldVersion::has_the_same_audit_trail_and_usage() {
  EXPECT_THAT(must(old().audit({}, "", 100)).rows, SizeIs(1));
  const auto was = must(old().usage(1000, WallTime{}, WallTime::max()));
  const auto now = must(fresh().usage(1000, WallTime{}, WallTime::max()));
  EXPECT_EQ(was.stored_bytes, now.stored_bytes);
  EXPECT_EQ(was.running, now.running);
}

void OldVersion::takes_new_runs_and_gives_no_number_again() {
  const RunId run = store_job(a_job("new"));
  EXPECT_EQ(must(old().run(run)).state, RunState::finished);
  EXPECT_GT(run, must(old().runs({}, "", 100)).rows.at(1).id);
  must(old().remove(kMeasured));
  EXPECT_FALSE(old().run(kMeasured));
  must(old().set_note(kFailed, "a note"));
  EXPECT_EQ(must(old().run(kFailed)).note, "a note");
}

void OldVersion::is_whole() {
  EXPECT_THAT(must(old().check_store()).problems, IsEmpty());
  close();
  EXPECT_EQ(ask(path(), "PRAGMA user_version"), std::to_string(newest_of(embedded_migrations())));
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM pragma_foreign_key_check"), "0");
}

// One test, because opening a database takes longer than all questions together.
TEST_P(OldVersion, gives_the_same_answers_as_one_that_was_written_today) {
  has_the_same_runs_with_their_figures();
  lists_the_same_runs_and_jobs();
  has_the_same_traces_and_profiles();
  has_the_same_environment_counters_and_figures();
  is_compared_alike();
  has_the_same_design();
  has_the_same_audit_trail_and_usage();
  takes_new_runs_and_gives_no_number_again();
  is_whole();
}

INSTANTIATE_TEST_SUITE_P(, OldVersion,
                         testing::Range(oldest_of(embedded_migrations()),
                                        newest_of(embedded_migrations()) + 1),
                         testing::PrintToStringParamName());

// A migration without a fixture would go untested from the next one on.
TEST(OldVersions, all_have_their_store) {
  for (const Migration& migration : embedded_migrations())
    EXPECT_TRUE(std::filesystem::exists(file_of(migration.version))) << migration.version;
}

}  // namespace
}  // namespace netperfd::store
