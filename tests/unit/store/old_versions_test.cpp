// SPDX-License-Identifier: GPL-2.0-or-later
// Databases of every version give the same answers as one that was written today.
//
// tests/data/store/version-N.sql has the rows of a database of version N; the tests apply the first N
// migrations, insert them and open the result. NETPERFD_UPDATE_GOLDEN=1 writes the file of a version that has
// none: what today's store writes of store_runs(), in the columns that version N had. A file that exists is
// never written again, because it says what that version left behind.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "daemon/store/database.hpp"
#include "daemon/store/sqlite.hpp"
#include "tests/unit/store/store_fixture.hpp"
#include "tests/unit/store/stored_runs.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// The first version that knows of them.
constexpr std::size_t kTraces = 2;
constexpr std::size_t kProfiles = 3;
constexpr std::size_t kFacts = 4;
constexpr std::size_t kCounters = 5;
constexpr std::size_t kDesigns = 6;
constexpr std::size_t kCalibrationErrors = 8;
constexpr std::size_t kAudit = 10;
constexpr std::size_t kNotes = 12;
constexpr std::size_t kFiles = 13;
constexpr std::size_t kBoots = 14;
constexpr std::size_t kSamples = 15;
constexpr std::size_t kBudgets = 16;
constexpr std::size_t kLatency = 18;
constexpr std::size_t kQueues = 20;
constexpr std::size_t kFigures = 23;
constexpr std::size_t kPoints = 25;

std::filesystem::path file_of(std::size_t version) {
  return std::filesystem::path(NETPERFD_TEST_DATA) / "store" / fmt::format("version-{}.sql", version);
}

// Which of the jobs of store_runs() version `version` could have.
std::string jobs_of(std::size_t version) {
  return version < kTraces ? "1" : version < kDesigns ? "1, 2" : "1, 2, 3";
}

std::vector<std::string> list(Connection& connection, const std::string& sql) {
  std::vector<std::string> values;
  auto select = must(connection.prepare(sql));
  while (must(select.step())) must(select.read(values.emplace_back()));
  return values;
}

// The rows of the database at `path` as version `version` had them: its tables, with its columns.
std::string rows_of(const std::string& path, Connection& old, std::size_t version) {
  auto written = must(Connection::open(path, SQLITE_OPEN_READONLY));
  std::string text =
      fmt::format("-- Rows of a database of version {}. old_versions_test.cpp inserts them.\n", version);
  for (const std::string& table :
       list(old,
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
            "ORDER BY name <> 'jobs', name <> 'runs', name <> 'fingerprints', name <> 'traces', "
            "name <> 'function_profiles', name <> 'environments', rowid")) {
    const auto columns = list(old, fmt::format("SELECT name FROM pragma_table_info('{}')", table));
    const auto has = [&](const char* name) { return std::ranges::find(columns, name) != columns.end(); };
    std::string of =
        table == "jobs"   ? fmt::format("WHERE id IN ({})", jobs_of(version))
        : table == "runs" ? fmt::format("WHERE job IN ({})", jobs_of(version))
        : has("run") && table != "audit"
            ? fmt::format("WHERE run IN (SELECT id FROM runs WHERE job IN ({}))", jobs_of(version))
            : "";
    for (const std::string& values :
         list(written, fmt::format("SELECT quote({}) FROM {} {} ORDER BY 1",
                                   fmt::join(columns, ") || ', ' || quote("), table, of))) {
      text += fmt::format("INSERT INTO {} ({}) VALUES ({});\n", table, fmt::join(columns, ", "), values);
    }
  }
  return text;
}

class OldVersion : public StoreTest, public testing::WithParamInterface<std::size_t> {
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
    auto database = must(Database::open(path(), embedded_migrations().first(version())));
    if (!std::filesystem::exists(file_of(version())) && std::getenv("NETPERFD_UPDATE_GOLDEN") != nullptr)
      std::ofstream(file_of(version())) << rows_of(fresh_path(), database->connection(), version());
    std::ifstream file(file_of(version()));
    ASSERT_TRUE(file) << file_of(version()) << " is missing; NETPERFD_UPDATE_GOLDEN=1 writes it";
    std::ostringstream rows;
    rows << file.rdbuf();
    must(database->connection().execute(rows.str()));
    database.reset();
    open();
  }
  [[nodiscard]] static std::size_t version() { return GetParam(); }
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
    EXPECT_EQ(was.build, "");
    EXPECT_EQ(was.note, version() < kNotes ? "" : now.note) << "no older version had notes";
    EXPECT_EQ(was.files, version() < kFiles ? std::vector<SourceFile>{} : now.files);
    EXPECT_EQ(was.trace.has_value(), version() >= kTraces && now.trace.has_value());
    if (was.trace) {
      EXPECT_EQ(was.trace->events, now.trace->events);
    }
    EXPECT_EQ(must(old().streams(run)), must(fresh().streams(run)));
    EXPECT_EQ(must(old().intervals(run, "", 100)).rows, must(fresh().intervals(run, "", 100)).rows);
  }

  void has_the_same_runs_with_their_figures();
  void lists_the_same_runs_and_jobs();
  void has_the_trace_and_its_parts_or_none();
  void has_the_functions_with_the_errors_that_it_knew();
  void has_the_environment_and_the_counters_or_none();
  void is_compared_with_what_it_knew();
  void keeps_the_places_of_a_design();
  void has_the_audit_trail_or_an_empty_one();
  void takes_new_runs_and_gives_no_number_again();
  void is_whole();  // closes it

  // Equal from version `since` on; before it, not found instead of an empty answer.
  template <class Value>
  void expect_since(std::size_t since, const Result<Value>& was, const Result<Value>& now) {
    ASSERT_TRUE(now) << now.error().message;
    if (version() < since) {
      ASSERT_FALSE(was);
      EXPECT_EQ(was.error().kind, ErrorKind::not_found);
      return;
    }
    ASSERT_TRUE(was) << was.error().message;
    EXPECT_EQ(*was, *now);
  }

 private:
  // No test changes it, and writing it takes longer than each of them.
  inline static std::filesystem::path fresh_folder;
  inline static std::unique_ptr<SqliteStore> fresh_store;
};

void OldVersion::has_the_same_runs_with_their_figures() {
  expect_same_run(kMeasured);
  expect_same_run(kFailed);
  EXPECT_EQ(must(old().document(kMeasured, "client.stdout")),
            must(fresh().document(kMeasured, "client.stdout")));
  EXPECT_EQ(must(old().run(kMeasured)).slot.traced, version() >= kTraces);
  if (version() >= kTraces) expect_same_run(kWatched);
}

void OldVersion::lists_the_same_runs_and_jobs() {
  const auto runs = must(old().runs({}, "", 100)).rows;
  const std::size_t expected = version() < kTraces ? 2 : version() < kDesigns ? 3 : 7;
  ASSERT_THAT(runs, SizeIs(expected));
  EXPECT_EQ(runs.back().id, kMeasured) << "newest first";
  core::RunFilter labelled;
  labelled.label = "before";
  EXPECT_THAT(must(old().runs(labelled, "", 100)).rows, SizeIs(2));
  const auto was = must(old().jobs({}, "", 100)).rows;
  const auto now = must(fresh().jobs({}, "", 100)).rows;
  ASSERT_THAT(now, SizeIs(3));
  ASSERT_THAT(was, SizeIs(version() < kTraces ? 1 : version() < kDesigns ? 2 : 3));
  EXPECT_EQ(was.back().scenario, now.back().scenario);
  EXPECT_EQ(was.back().label, now.back().label);
  EXPECT_EQ(was.back().created, now.back().created);
  EXPECT_EQ(was.back().purpose, JobPurpose::measurement);
  EXPECT_EQ(was.back().runs.size(), now.back().runs.size());
  EXPECT_THAT(must(old().run_names()).labels, ElementsAre("before"));
}

void OldVersion::has_the_trace_and_its_parts_or_none() {
  const auto was = old().trace(kMeasured);
  if (version() < kTraces) {
    ASSERT_FALSE(was);
    EXPECT_EQ(was.error().kind, ErrorKind::not_found);
    return;
  }
  TraceRecord now = must(fresh().trace(kMeasured));
  EXPECT_EQ(now.recording_left_out, 4096U);
  if (version() < kProfiles) now.recording_left_out = 0;  // nothing was recorded
  ASSERT_TRUE(was);
  EXPECT_EQ(*was, now);
  EXPECT_EQ(must(old().trace_samples(kMeasured, "", "", 100)).rows,
            must(fresh().trace_samples(kMeasured, "", "", 100)).rows);
  EXPECT_EQ(must(old().trace_stacks(kMeasured, "", 100)).rows,
            must(fresh().trace_stacks(kMeasured, "", 100)).rows);
  EXPECT_EQ(must(old().trace(kWatched)).skipped, "locked down");
}

void OldVersion::has_the_functions_with_the_errors_that_it_knew() {
  const auto was = whole_profile(old(), kMeasured);
  if (version() < kProfiles) {
    ASSERT_FALSE(was);
    EXPECT_EQ(was.error().kind, ErrorKind::not_found);
    EXPECT_FALSE(must(old().traffic(kMeasured)).goodput_bytes) << "unknown, not 0";
    EXPECT_FALSE(must(old().traffic(kMeasured)).packets);
    return;
  }
  FunctionProfile now = must(whole_profile(fresh(), kMeasured));
  ASSERT_TRUE(now.calibration);
  ASSERT_TRUE(now.calibration->entry_error_ns) << "else the test proves nothing";
  if (version() < kCalibrationErrors) now.calibration->entry_error_ns = now.calibration->callee_error_ns = {};
  ASSERT_TRUE(was);
  EXPECT_EQ(*was, now);
  EXPECT_EQ(must(old().traffic(kMeasured)), must(fresh().traffic(kMeasured)));
}

void OldVersion::has_the_environment_and_the_counters_or_none() {
  expect_since(kFacts, old().fingerprint(kMeasured), fresh().fingerprint(kMeasured));
  auto counters = fresh().counters(kMeasured);
  ASSERT_TRUE(counters && !counters->queues.empty()) << "else the test proves nothing";
  if (version() < kQueues) counters->queues.clear();
  expect_since(kCounters, old().counters(kMeasured), counters);
  expect_since(kSamples, old().samples(kFirstOfDesign), fresh().samples(kFirstOfDesign));
  expect_since(kLatency, old().latency(kMeasured), fresh().latency(kMeasured));
  ASSERT_THAT(must(fresh().named_figures(kMeasured)), SizeIs(2));
  EXPECT_EQ(must(old().named_figures(kMeasured)),
            version() < kFigures ? std::vector<NamedFigure>{} : must(fresh().named_figures(kMeasured)));
}

void OldVersion::is_compared_with_what_it_knew() {
  const auto was = must(old().compared_runs({kMeasured}, core::ComparedParts::all)).at(0);
  const auto now = must(fresh().compared_runs({kMeasured}, core::ComparedParts::all)).at(0);
  EXPECT_EQ(was.received_bits_per_second, now.received_bits_per_second);
  EXPECT_EQ(was.started, now.started);
  EXPECT_EQ(was.flags, now.flags);
  ASSERT_TRUE(now.goodput_bytes && now.busy_ns && now.trace && now.fingerprint);
  EXPECT_EQ(was.goodput_bytes, version() < kProfiles ? std::nullopt : now.goodput_bytes);
  EXPECT_EQ(was.packets, version() < kProfiles ? std::nullopt : now.packets);
  EXPECT_EQ(was.busy_ns, version() < kCounters ? std::nullopt : now.busy_ns);
  EXPECT_EQ(was.fingerprint, version() < kFacts ? std::nullopt : now.fingerprint);
  ASSERT_EQ(was.trace.has_value(), version() >= kTraces);
  if (!was.trace) return;
  EXPECT_EQ(was.trace->functions.size(), version() < kProfiles ? 0 : now.trace->functions.size());
  EXPECT_EQ(was.trace->cost.has_value(), version() >= kProfiles);
  EXPECT_EQ(was.trace->lost, now.trace->lost);
}

void OldVersion::keeps_the_places_of_a_design() {
  if (version() < kDesigns) {
    EXPECT_FALSE(old().runs_of_job(3)) << "there is no such job";
    EXPECT_EQ(must(old().run(kMeasured)).slot.block, 0U);
    return;
  }
  const auto was = must(old().runs_of_job(3));
  const auto now = must(fresh().runs_of_job(3));
  ASSERT_EQ(now.size(), kRunsOfDesign);
  ASSERT_EQ(was.size(), kRunsOfDesign);
  for (std::size_t i = 0; i < was.size(); ++i) {
    EXPECT_EQ(was[i].id, kFirstOfDesign + static_cast<RunId>(i));
    ASSERT_EQ(now[i].slot.point, 2U) << "else the test proves nothing";
    Slot known = now[i].slot;
    if (version() < kPoints) known.point = 0;
    EXPECT_EQ(was[i].slot, known);
    EXPECT_EQ(was[i].point_name, version() < kPoints ? "" : "streams=16, length=512");
    EXPECT_EQ(was[i].variant, now[i].variant);
    EXPECT_EQ(was[i].spec.design, now[i].spec.design);
    EXPECT_EQ(was[i].sums, now[i].sums);
  }
  ASSERT_THAT(must(fresh().boots_of_job(3)), SizeIs(1));
  if (version() < kBoots) {
    EXPECT_THAT(must(old().boots_of_job(3)), IsEmpty());
  } else {
    EXPECT_EQ(must(old().boots_of_job(3)), must(fresh().boots_of_job(3)));
    ASSERT_THAT(must(fresh().figures_of_job(3)), SizeIs(2));
    EXPECT_EQ(must(old().figures_of_job(3)),
              version() < 19 ? std::vector<FigureChoice>{} : must(fresh().figures_of_job(3)));
  }
  ASSERT_TRUE(must(fresh().budget_of_job(3)));
  if (version() < kBudgets) {
    EXPECT_FALSE(must(old().budget_of_job(3)));
  } else {
    EXPECT_EQ(must(old().budget_of_job(3))->functions, must(fresh().budget_of_job(3))->functions);
  }
}

void OldVersion::has_the_audit_trail_or_an_empty_one() {
  EXPECT_THAT(must(old().audit({}, "", 100)).rows, SizeIs(version() < kAudit ? 0 : 1));
  const std::uint64_t stored = must(old().usage(1000, WallTime{}, WallTime::max())).stored_bytes;
  if (version() < kAudit) {
    EXPECT_GT(stored, 0U) << "estimated, since it was not counted";
  } else {
    EXPECT_EQ(stored, must(fresh().usage(1000, WallTime{}, WallTime::max())).stored_bytes);
  }
  const auto later = std::chrono::seconds{version() < kDesigns ? 44 : 0};  // of the runs of the design
  EXPECT_EQ(must(old().usage(1000, WallTime{}, WallTime::max())).running,
            must(fresh().usage(1000, WallTime{}, WallTime::max())).running - later);
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
  EXPECT_EQ(ask(path(), "PRAGMA user_version"), std::to_string(embedded_migrations().size()));
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM pragma_foreign_key_check"), "0");
}

// One test, because opening a database takes longer than all questions together.
TEST_P(OldVersion, gives_the_same_answers_as_one_that_was_written_today) {
  has_the_same_runs_with_their_figures();
  lists_the_same_runs_and_jobs();
  has_the_trace_and_its_parts_or_none();
  has_the_functions_with_the_errors_that_it_knew();
  has_the_environment_and_the_counters_or_none();
  is_compared_with_what_it_knew();
  keeps_the_places_of_a_design();
  has_the_audit_trail_or_an_empty_one();
  takes_new_runs_and_gives_no_number_again();
  is_whole();
}

INSTANTIATE_TEST_SUITE_P(, OldVersion, testing::Range<std::size_t>(1, embedded_migrations().size() + 1),
                         testing::PrintToStringParamName());

// A migration without a fixture would go untested from the next one on.
TEST(OldVersions, all_have_their_rows) {
  for (const Migration& migration : embedded_migrations())
    EXPECT_TRUE(std::filesystem::exists(file_of(static_cast<std::size_t>(migration.version))))
        << migration.version;
}

}  // namespace
}  // namespace netperfd::store
