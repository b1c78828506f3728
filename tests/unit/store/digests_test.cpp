// SPDX-License-Identifier: GPL-2.0-or-later
// Digests follow every change that the store makes, and damaged rows stay known as such until they are
// deleted.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include "daemon/store/candidate.hpp"
#include "daemon/store/digests.hpp"
#include "tests/unit/store/store_fixture.hpp"
#include "tests/unit/store/stored_runs.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t kAnySize = std::size_t{1} << 30U;

class Digests : public StoreTest {
 protected:
  Digests() {
    open();
    store_runs(*store);
  }
  void damage(const std::string& sql) { store::damage(path(), sql); }
  std::vector<std::string> problems() { return must(store->check_store()).problems; }
  core::AuditEntry an_entry() {
    core::AuditEntry entry;
    entry.first = entry.last = kMorning;
    entry.uid = 1000;
    entry.action = "read";
    return entry;
  }
};

TEST_F(Digests, follow_what_is_written_about_jobs_and_runs) {
  must(store->set_label(1, "another"));
  must(store->set_note(kFailed, "unplugged"));
  must(store->set_held(3, true));
  must(store->add_boot(3, {.number = 2,
                           .block = {},
                           .letter = {},
                           .side = 'A',
                           .variant = {},
                           .asked = kMorning,
                           .settled = {},
                           .boot_id = {},
                           .kernel = {},
                           .failure = {}}));
  must(store->end_boot(3, 2, {.settled = kMorning, .boot_id = "boot-8", .kernel = "6.12.9", .failure = ""}));
  core::AuditEntry entry = an_entry();
  entry.id = must(store->add(entry));
  entry.count = 7;
  must(store->update(entry));
  core::RunReading reading;
  const RunRecord measured = a_record(kMeasured, 2, 9);
  reading.report = measured.workload.report;
  reading.flags = measured.flags;
  reading.goodput_bytes = 815;
  reading.test =
      core::RunReading::Test{.asked = a_job().test, .started = kMorning, .fingerprint = the_environment()};
  reading.test->fingerprint.facts.front().value = "6.12.10";
  must(store->replace_reading(kMeasured, reading, an_entry()));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(Digests, follow_jobs_that_begin_and_end_in_any_way) {
  JobSpec confirming = a_job("confirming");
  confirming.confirms = 2;
  store_job(confirming);
  must(store->remove(kWatched));
  EXPECT_THAT(problems(), IsEmpty()) << "the job that was confirmed has gone";
  JobSpec many = a_job("many");
  many.repeat = 3;
  const auto job = must(add_job(*store, many, 1000, kMorning));
  must(store->set_state(job.runs[0], RunState::preparing));
  EXPECT_THAT(problems(), IsEmpty());
  must(store->cancel_pending(job.id, "nobody wants it"));
  EXPECT_THAT(problems(), IsEmpty());
  open();
  EXPECT_EQ(must(store->run(job.runs[0])).state, RunState::interrupted);
  EXPECT_THAT(problems(), IsEmpty());
  ASSERT_EQ(must(store->begin_removal(job.id, core::RemovalBy::user)), 3U);
  EXPECT_THAT(problems(), IsEmpty());
  must(store->remove(must(store->next_removal())->run));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(Digests, follow_a_bundle_and_a_restored_store) {
  const auto content = must(store->tables({kMeasured, kFailed}, kAnySize));
  must(store->add_bundle(content, 4711, "from there", kMorning));
  must(add_job(*store, a_job("waiting"), 1000, kMorning));
  EXPECT_THAT(problems(), IsEmpty());
  const std::string file = (folder / "backup.db").string();
  must(store->copy_to(file));
  must(copy_candidate(Fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC)}, candidate_of(path()),
                      embedded_migrations()));
  must(store->replace_by_candidate(kMorning));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(Digests, of_a_damaged_run_keep_it_from_being_shown_but_neither_the_others_nor_its_deletion) {
  damage("UPDATE runs SET state = 'fini', error = 'x' WHERE id = 2");
  const auto refused = store->run(kFailed);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::io);
  EXPECT_THAT(refused.error().message, HasSubstr("run 2: table runs is damaged: it is not as it was stored"));
  const auto rows = must(store->runs({}, "", 0)).rows;
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_THAT(rows[5].error, HasSubstr("it cannot be read: "));
  EXPECT_TRUE(rows[6].sums.size() == 1 && rows[6].error.empty());
  EXPECT_FALSE(store->set_note(kFailed, "a note would make it look whole"));
  core::RunFilter finished;
  finished.label = "before";
  finished.state = RunState::finished;
  EXPECT_FALSE(store->selected_runs(finished, {}, 10)) << "a comparison would miss it in silence";
  EXPECT_EQ(must(store->owner_of(kFailed)).owner, 0U) << "nobody knows whose it is";
  EXPECT_EQ(must(store->owner_of(kMeasured)).owner, 1000U);
  EXPECT_EQ(must(store->check_store()).damaged_runs, (std::vector<RunId>{kFailed}));
  must(store->remove(kFailed));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(Digests, of_a_damaged_job_keep_its_words_from_being_shown) {
  damage("UPDATE jobs SET label = 'after' WHERE id = 1");
  EXPECT_FALSE(store->run(kMeasured));
  EXPECT_EQ(must(store->jobs({}, "", 0)).rows.back().scenario, "(damaged)");
  core::RunFilter filter;
  filter.job = 1;
  EXPECT_FALSE(store->selected_runs(filter, {}, 10));
  EXPECT_EQ(must(store->owner_of_job(1)), 0U);
  EXPECT_TRUE(must(store->owns_jobs(1000)));
  EXPECT_FALSE(must(store->owns_jobs(1001)));
  EXPECT_EQ(must(store->check_store()).damaged_jobs, (std::vector<JobId>{1}));
}

TEST_F(Digests, of_a_damaged_run_stay_wrong_when_its_state_changes) {
  const auto job = must(add_job(*store, a_job("waiting"), 1000, kMorning));
  damage(fmt::format("UPDATE runs SET idx = 7 WHERE id = {}", job.runs[0]));
  must(store->cancel_pending(job.id, "stopped"));
  EXPECT_EQ(must(store->check_store()).damaged_runs, job.runs);
}

TEST_F(Digests, of_a_damaged_run_stay_wrong_when_it_ends) {
  const RunId run = run_under_way(a_job("under way"));
  damage(fmt::format("UPDATE runs SET idx = 7 WHERE id = {}", run));
  must(store->finish(a_record(run)));
  EXPECT_EQ(must(store->check_store()).damaged_runs, (std::vector<RunId>{run}));
  EXPECT_THAT(problems(), ElementsAre(fmt::format("run {}: table runs is not as it was stored", run)))
      << "the rows of its end are whole";
  EXPECT_FALSE(store->run(run));
}

TEST_F(Digests, of_a_damaged_job_stay_wrong_when_its_functions_are_chosen) {
  const JobId job = must(add_job(*store, a_job("waiting"), 1000, kMorning)).id;
  const JobBudget a_budget{.budget = {.asked = 0.1, .predicted = {}, .window_s = {}, .failure = {}},
                           .functions = {}};
  damage(
      fmt::format("INSERT INTO budget_functions (job, position, function, calls, cost, traced) VALUES ({}, "
                  "9, 'x', 1, 1, 1)",
                  job));
  EXPECT_FALSE(store->set_budget(job, a_budget));
  EXPECT_EQ(must(store->check_store()).damaged_jobs, (std::vector<JobId>{job}));
}

TEST_F(Digests, of_a_damaged_run_or_job_keep_its_figures_from_being_read_again) {
  core::RunReading reading;
  const RunRecord measured = a_record(kMeasured, 2, 9);
  reading.report = measured.workload.report;
  reading.flags = measured.flags;
  reading.test =
      core::RunReading::Test{.asked = a_job().test, .started = kMorning, .fingerprint = the_environment()};
  damage("UPDATE jobs SET label = 'forged' WHERE id = 1");
  EXPECT_FALSE(store->replace_reading(kMeasured, reading, an_entry()));
  damage("UPDATE jobs SET label = 'before' WHERE id = 1; UPDATE runs SET note = 'forged' WHERE id = 1");
  EXPECT_FALSE(store->replace_reading(kMeasured, reading, an_entry()));
  EXPECT_EQ(must(store->check_store()).damaged_runs, (std::vector<RunId>{kMeasured}));
}

TEST_F(Digests, of_a_damaged_entry_of_the_audit_trail_stay_wrong_when_it_counts_again) {
  core::AuditEntry entry = an_entry();
  entry.id = must(store->add(entry));
  damage(fmt::format("UPDATE audit SET uid = 4711 WHERE id = {}", entry.id));
  entry.count = 7;
  must(store->update(entry));
  EXPECT_THAT(problems(),
              ElementsAre(fmt::format("entry of the audit trail {} is not as it was stored", entry.id)));
}

TEST_F(Digests, keep_a_run_that_damage_marks_as_removed) {
  damage("UPDATE runs SET removing = 1 WHERE id = 1");
  EXPECT_FALSE(must(store->next_removal()));
  ASSERT_EQ(must(store->begin_removal(2, core::RemovalBy::user)), 1U);
  EXPECT_EQ(must(store->next_removal())->run, kWatched);
}

TEST_F(Digests, of_a_damaged_entry_of_the_audit_trail_leave_the_others_readable) {
  must(store->add(an_entry()));
  damage("UPDATE audit SET uid = 0 WHERE id = 1");
  const auto rows = must(store->audit({}, "", 0)).rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].action, "read");
  EXPECT_EQ(rows[1].action, "damaged");
  EXPECT_THAT(problems(), ElementsAre("entry of the audit trail 1 is not as it was stored"));
}

// Of two rows that exchange a value, and of one that takes the place of another.
TEST_F(Digests, tell_where_a_value_belongs) {
  damage(
      "CREATE TEMP TABLE marks AS SELECT * FROM trace_marks; UPDATE trace_marks SET text = (SELECT text FROM "
      "marks WHERE marks.position = 1 - trace_marks.position AND marks.run = 1) WHERE run = 1");
  damage("UPDATE sums SET min_rtt = max_rtt, max_rtt = min_rtt WHERE run = 4");
  damage("DELETE FROM flags WHERE run = 5");
  damage("INSERT INTO flags VALUES (3, 0, 'few-packets', '')");
  EXPECT_EQ(must(store->check_store()).damaged_runs, (std::vector<RunId>{1, 3, 4, 5}));
}

// An upgrade must not make all that was stored before look damaged.
TEST_F(Digests, are_the_same_after_a_column_was_added) {
  close();
  auto connection = must(Connection::open(path(), SQLITE_OPEN_READWRITE));
  must(connection.execute(
      "PRAGMA user_version = 1000; ALTER TABLE runs ADD COLUMN later TEXT NOT NULL DEFAULT 'usual'; "
      "ALTER TABLE sums ADD COLUMN later REAL NOT NULL DEFAULT 7; "
      "ALTER TABLE jobs ADD COLUMN later INTEGER"));
  must(expect_intact(connection, {kMeasured, kFailed, kWatched}));
  must(connection.execute("UPDATE sums SET later = 8 WHERE run = 1"));
  EXPECT_FALSE(expect_intact(connection, of_run(kMeasured)));
  must(
      connection.execute("UPDATE sums SET later = 7 WHERE run = 1; UPDATE runs SET later = '' WHERE id = 2"));
  must(expect_intact(connection, of_run(kMeasured)));
  EXPECT_FALSE(expect_intact(connection, of_run(kFailed)));
}

}  // namespace
}  // namespace netperfd::store
