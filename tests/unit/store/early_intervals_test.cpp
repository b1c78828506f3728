// SPDX-License-Identifier: GPL-2.0-or-later
// Intervals that are stored before the record of their run.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <string>

#include "tests/unit/store/killed_at.hpp"
#include "tests/unit/store/whole_store.hpp"

namespace netperfd::store {
namespace {

constexpr std::size_t kIntervals = 203;  // no multiple of a chunk's rows or of a part's
constexpr std::size_t kOfPart = 64;

class EarlyIntervals : public WholeStore {
 protected:
  // At most `most` intervals of the record, in parts.
  void add_parts(const RunRecord& record, std::size_t most = kIntervals, std::size_t of_part = kOfPart) {
    const std::span all{record.workload.report.intervals};
    for (std::size_t first = 0; first < most; first += of_part) {
      const std::size_t count = std::min(of_part, most - first);
      must(store->add_intervals(record.id, all.subspan(first, count), first));
    }
  }
  [[nodiscard]] static RunRecord long_record(RunId run) { return a_record(run, 1, kIntervals); }
  [[nodiscard]] std::vector<Interval> intervals_of(RunId run) {
    return must(store->intervals(run, "", 500)).rows;
  }
  [[nodiscard]] std::string chunks_of(RunId run) const {
    return ask(path(),
               fmt::format("SELECT group_concat(part || ' ' || chunk) FROM (SELECT * FROM run_digests "
                           "WHERE run = {} AND part NOT LIKE 'documents%' ORDER BY part, chunk)",
                           run));
  }
  [[nodiscard]] std::string count_of(RunId run) const {
    return ask(path(),
               fmt::format("SELECT (SELECT count(*) FROM intervals WHERE run = {0}) || ' ' || (SELECT "
                           "count(*) FROM run_digests WHERE run = {0} AND part = 'intervals')",
                           run));
  }
  [[nodiscard]] std::string problems() const {
    std::string words;
    for (const auto& problem : must(store->check_store()).problems) words += problem + "\n";
    return words;
  }
  // Whether the sum of its owner is that of its jobs and runs.
  [[nodiscard]] bool sums_are_right() const {
    return ask(path(),
               "SELECT (SELECT sum(stored_bytes) FROM stored_by_owner) = (SELECT sum(stored_bytes) FROM "
               "runs) + "
               "(SELECT sum(stored_bytes) FROM jobs)") == "1";
  }
};

TEST_F(EarlyIntervals, with_their_record_are_the_rows_and_digests_of_a_record_stored_at_once) {
  const RunId at_once = run_under_way(a_job());
  must(store->finish(long_record(at_once)));
  for (const auto& [stored_before, of_part] :
       {std::pair{kIntervals, kOfPart}, {kIntervals, std::size_t{7}}, {std::size_t{100}, std::size_t{33}}}) {
    SCOPED_TRACE(stored_before);
    const RunId run = run_under_way(a_job());
    add_parts(long_record(run), stored_before, of_part);
    EXPECT_EQ(must(store->run(run)).state, RunState::collecting);
    must(store->finish(long_record(run)));
    EXPECT_EQ(intervals_of(run), long_record(run).workload.report.intervals);
    EXPECT_EQ(chunks_of(run), chunks_of(at_once));
  }
  EXPECT_EQ(problems(), "");
  EXPECT_TRUE(sums_are_right());
  EXPECT_GT(std::stoull(ask(path(), "SELECT min(stored_bytes) FROM runs WHERE id > 1")), kIntervals * 30);
}

TEST_F(EarlyIntervals, are_damaged_if_a_value_changes_before_the_record_comes) {
  const RunId run = run_under_way(a_job());
  add_parts(long_record(run));
  damage(path(), fmt::format("UPDATE intervals SET bytes = bytes + 1 WHERE run = {} AND position = 40", run));
  must(store->finish(long_record(run)));
  EXPECT_THAT(problems(), testing::HasSubstr(fmt::format("run {}: table intervals", run)));
}

TEST_F(EarlyIntervals, of_a_run_that_ends_without_its_record_are_removed) {
  const RunId run = run_under_way(a_job());
  add_parts(long_record(run));
  RunRecord failed;
  failed.id = run;
  failed.error = "the run could not be stored: disk full";
  must(store->finish(failed));
  EXPECT_EQ(count_of(run), "0 0");
  EXPECT_EQ(problems(), "");
  EXPECT_TRUE(sums_are_right());
}

TEST_F(EarlyIntervals, of_a_daemon_that_was_killed_are_removed_at_the_next_start) {
  const RunId run = run_under_way(a_job());
  add_parts(long_record(run), 128);
  close();
  open();
  must(store->set_note(1, "the first change"));
  EXPECT_EQ(must(store->run(run)).state, RunState::interrupted);
  EXPECT_EQ(count_of(run), "0 0");
  EXPECT_EQ(problems(), "");
  EXPECT_TRUE(sums_are_right());
}

// A copy can be made between two parts.
TEST_F(EarlyIntervals, of_a_restored_copy_are_removed_and_later_records_are_stored) {
  const RunId run = run_under_way(a_job());
  add_parts(long_record(run), 128);
  const std::string file = backup();
  must(store->finish(long_record(run)));
  must(candidate(file));
  must(store->replace_by_candidate(kMorning));
  EXPECT_EQ(must(store->run(run)).state, RunState::interrupted);
  EXPECT_EQ(count_of(run), "0 0");
  const RunId later = run_under_way(a_job());
  add_parts(long_record(later));
  must(store->finish(long_record(later)));
  EXPECT_EQ(problems(), "");
  EXPECT_TRUE(sums_are_right());
}

// Whole, or interrupted without any. Each third step: all take a minute.
TEST_F(EarlyIntervals, of_a_daemon_that_is_killed_at_any_step_are_all_there_or_none) {
  const RunId run = run_under_way(a_job());
  close();
  std::set<std::string> seen;
  for (int step = 1;; step += 3) {
    SCOPED_TRACE(step);
    const std::string copy = in_folder(fmt::format("step-{}.db", step));
    std::filesystem::copy_file(path(), copy);
    const bool killed = killed_at(step, [&](const Begin& begin) {
      auto own = must(SqliteStore::open(copy, 0));
      must(own->set_note(1, "no run is under way any more"));
      const auto job = must(add_job(*own, a_job(), 1000, kMorning));
      bring_to_collecting(*own, job.runs.front());
      begin();
      const RunRecord record = long_record(job.runs.front());
      const std::span all{record.workload.report.intervals};
      for (const std::size_t first : {std::size_t{0}, std::size_t{96}})
        (void)own->add_intervals(record.id, all.subspan(first, first == 0 ? 96 : kIntervals - 96), first);
      (void)own->finish(record);
    });
    auto own = must(SqliteStore::open(copy, 0));
    must(own->set_note(1, "the first change"));
    EXPECT_TRUE(must(own->check_store()).problems.empty());
    own.reset();
    seen.insert(
        ask(copy, fmt::format("SELECT state || ' ' || (SELECT count(*) FROM intervals WHERE run = {0}) "
                              "FROM runs WHERE id = {0}",
                              run + 1)));
    std::filesystem::remove(copy);
    if (!killed) break;
  }
  EXPECT_THAT(seen, testing::UnorderedElementsAre("interrupted 0", fmt::format("finished {}", kIntervals)));
}

TEST_F(EarlyIntervals, are_refused_of_a_run_that_is_not_collecting) {
  const RunRecord record = long_record(1);  // it has ended
  EXPECT_EQ(store->add_intervals(1, record.workload.report.intervals, 0).error().message,
            "run 1: intervals of a run that is finished");
  EXPECT_EQ(store->add_intervals(99, record.workload.report.intervals, 0).error().kind, ErrorKind::not_found);
  const auto job = must(add_job(*store, a_job(), 1000, kMorning));
  EXPECT_FALSE(store->add_intervals(job.runs.front(), record.workload.report.intervals, 0));
  EXPECT_EQ(count_of(job.runs.front()), "0 0");
}

TEST_F(EarlyIntervals, leave_it_known_that_the_row_of_their_run_is_damaged) {
  const RunId run = run_under_way(a_job());
  damage(path(), fmt::format("UPDATE runs SET note = 'x' WHERE id = {}", run));
  add_parts(long_record(run));
  must(store->finish(long_record(run)));
  EXPECT_THAT(problems(), testing::HasSubstr(fmt::format("run {}: table runs", run)));
}

}  // namespace
}  // namespace netperfd::store
