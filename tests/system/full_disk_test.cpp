// SPDX-License-Identifier: GPL-2.0-or-later
// The database's disk fills in the middle of a run: runs end, and can be stopped and deleted, without a
// restart.
#include <fmt/format.h>

#include <csignal>
#include <filesystem>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class OnASmallDisk : public SystemTest {
 protected:
  void TearDown() override {
    lab().free_disk();
    lab().gate().open();
    SystemTest::TearDown();
  }

  // A job whose first run stands before the gate, in state preparing.
  static StartedJob start_and_hold(const std::vector<std::string>& more = {}) {
    lab().gate().close();
    StartedJob job = lab().start("quick", {}, more);
    EXPECT_EQ(lab().gate().wait_for_arrival(), "--server");
    return job;
  }
  static std::string states_of(std::uint64_t job) {
    return lab().database().value(fmt::format(
        "SELECT group_concat(state) FROM (SELECT state FROM runs WHERE job = {} ORDER BY idx)", job));
  }
  static std::string error_of(std::uint64_t run) {
    return lab().database().value(fmt::format("SELECT error FROM runs WHERE id = {}", run));
  }
  static Outcome remove(std::uint64_t run) { return lab().ctl({"delete", std::to_string(run)}); }
  // What a message about the disk names: the database and its file system.
  static auto names_the_disk() {
    return AllOf(HasSubstr(lab().database_path()),
                 HasSubstr("its file system " + lab().directory().path("disk") + " has 0.0 MiB free"));
  }

  JobWatch watch{lab().bus().address()};
};

// Without store.min_free nothing is reserved: every change needs free space.
class FullDisk : public OnASmallDisk {
 protected:
  static void SetUpTestSuite() { set_up({.gated = true, .environment = {}, .disk_mib = 8, .min_free = "0"}); }
};

TEST_F(FullDisk, ends_the_run_and_stores_its_end_once_there_is_space) {
  const StartedJob job = start_and_hold();
  const StartedJob waiting = lab().start("quick");
  lab().fill_disk();
  lab().gate().open();
  const SeenRunEnd end = watch.wait_for_runs(job.id, 1).front();
  EXPECT_EQ(end.state, "failed");
  EXPECT_THAT(end.error, names_the_disk());
  EXPECT_EQ(watch.wait_for_end(job.id), "failed");
  EXPECT_EQ(watch.wait_for_end(waiting.id), "failed");
  EXPECT_EQ(states_of(job.id), "preparing") << "the disk takes nothing";

  const Outcome refused = remove(job.runs[0]);
  EXPECT_EQ(refused.code, kOther) << refused.err;
  EXPECT_THAT(refused.err, names_the_disk());

  lab().free_disk();
  EXPECT_EQ(remove(waiting.runs[0]).code, 0) << "no restart is needed";
  EXPECT_EQ(states_of(job.id), "failed");
  EXPECT_THAT(error_of(job.runs[0]), names_the_disk());
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0);
}

TEST_F(FullDisk, stops_what_waits_and_what_runs) {
  const StartedJob job = start_and_hold({"--repeat", "3"});
  const StartedJob waiting = lab().start("quick");
  lab().fill_disk();
  lab().stop(waiting.id);
  EXPECT_EQ(watch.wait_for_end(waiting.id), "canceled");
  lab().stop(job.id);
  EXPECT_EQ(watch.wait_for_runs(job.id, 3).size(), 3U);
  EXPECT_TRUE(lab().workload_ends());

  // The daemon stores it by itself, without being asked for anything.
  lab().free_disk();
  wait_for_database(lab().database_path(), [&] { return states_of(job.id) == "failed,canceled,canceled"; });
  EXPECT_EQ(states_of(waiting.id), "canceled");
}

TEST_F(FullDisk, of_a_killed_daemon_leaves_runs_that_the_next_one_ends) {
  const StartedJob job = start_and_hold();
  lab().fill_disk();
  lab().stop(job.id);
  watch.wait_for_runs(job.id, 1);
  EXPECT_EQ(lab().end_netperfd(SIGKILL), (Exit{-1, SIGKILL}));
  lab().free_disk();
  lab().start_netperfd();
  EXPECT_EQ(states_of(job.id), "interrupted");
}

TEST_F(FullDisk, during_a_backup_leaves_no_file_and_the_old_one_as_it_was) {
  ASSERT_EQ(lab().ctl({"start", "quick"}).code, 0);
  const std::string file = lab().directory().path("disk/backup.db");
  const Outcome made = lab().ctl({"db", "backup", file}, {});
  ASSERT_EQ(made.code, 0) << made.err;
  lab().fill_disk();
  // The process that made the first one may still be there.
  Outcome refused = lab().ctl({"db", "backup", file}, {});
  for (const Deadline deadline;
       refused.err.contains("another backup is being made") && !deadline.has_passed();)
    refused = lab().ctl({"db", "backup", file}, {});
  EXPECT_EQ(refused.code, kOther);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("No space left on device"), HasSubstr("Nothing was written to " + file)));
  lab().free_disk();
  EXPECT_FALSE(std::filesystem::exists(file + ".partial"));
  EXPECT_EQ(Database{file}.value("PRAGMA integrity_check"), "ok");
  std::filesystem::remove(file);
}

TEST_F(FullDisk, during_a_restore_leaves_the_store_as_it_was) {
  ASSERT_EQ(lab().ctl({"start", "quick"}).code, 0);
  const std::string file = lab().directory().path("backup.db");
  ASSERT_EQ(lab().ctl({"db", "backup", file}, {}).code, 0);
  const std::int64_t runs = lab().database().number("SELECT count(*) FROM runs");
  lab().fill_disk();
  const Outcome refused = lab().ctl({"db", "restore", file}, {});
  EXPECT_EQ(refused.code, kOther);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("more space than is left"), HasSubstr("The store is as it was.")));
  lab().free_disk();
  EXPECT_FALSE(std::filesystem::exists(lab().database_path() + ".restoring"));
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM runs"), runs);
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0);
}

TEST_F(FullDisk, that_is_read_only_at_the_start_is_read_and_takes_jobs_once_it_is_writable) {
  const StartedJob job = lab().start("quick");
  EXPECT_EQ(watch.wait_for_end(job.id), "finished");
  lab().end_netperfd(SIGTERM);
  lab().disk().set_read_only(true);
  lab().start_netperfd();
  EXPECT_EQ(lab().ctl({"show", std::to_string(job.runs[0])}).code, 0);
  EXPECT_EQ(lab().ctl({"db", "check"}).code, 0) << "a process of a query reads the store";
  EXPECT_EQ(remove(job.runs[0]).code, kOther);
  const Outcome refused = lab().ctl({"start", "quick"});
  EXPECT_EQ(refused.code, kOther);
  EXPECT_THAT(refused.err, AllOf(HasSubstr(lab().database_path()), HasSubstr("Read-only file system")));
  EXPECT_THAT(lab().netperfd().log(), HasSubstr("no run can begin"));
  lab().disk().set_read_only(false);
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0) << "no restart is needed";
  EXPECT_EQ(remove(job.runs[0]).code, 0);
}

// As shipped, with space set aside in the log.
class FullDiskReserve : public OnASmallDisk {
 protected:
  static void SetUpTestSuite() {
    set_up({.gated = true, .environment = {}, .disk_mib = 16, .min_free = "8M"});
  }
};

TEST_F(FullDiskReserve, no_run_begins_without_free_space_and_deleting_one_needs_none) {
  ASSERT_EQ(lab().ctl({"start", "quick"}).code, 0);
  const auto old = static_cast<std::uint64_t>(lab().database().number("SELECT max(id) FROM runs"));
  const StartedJob job = start_and_hold({"--repeat", "3"});
  lab().fill_disk();
  lab().gate().open();
  const auto ends = watch.wait_for_runs(job.id, 3);
  EXPECT_EQ(ends[0].state, "finished") << "it had begun: " << ends[0].error;
  EXPECT_EQ(ends[1].state, "failed");
  EXPECT_THAT(ends[1].error, AllOf(names_the_disk(), HasSubstr("a run needs 8.0 MiB (store.min_free)")));
  EXPECT_EQ(ends[2].state, "canceled");
  EXPECT_EQ(watch.wait_for_end(job.id), "failed");
  EXPECT_EQ(states_of(job.id), "finished,failed,canceled") << "stored at once";

  const Outcome removed = remove(old);
  EXPECT_EQ(removed.code, 0) << removed.err;
  EXPECT_EQ(lab().database().number(fmt::format("SELECT count(*) FROM runs WHERE id = {}", old)), 0);
  const Outcome refused = lab().ctl({"start", "quick"});
  EXPECT_EQ(refused.code, kOther);
  EXPECT_THAT(refused.err, names_the_disk());
}

class FullDiskAtTheStart : public FullDiskReserve {
 protected:
  // The daemon has ended, and the next one finds no space.
  static void expect_that_it_serves(std::uint64_t run) {
    lab().start_netperfd();
    EXPECT_EQ(lab().ctl({"show", std::to_string(run)}).code, 0);
    EXPECT_EQ(lab().ctl({"db", "check"}).code, 0) << "a process of a query reads the store";
    const Outcome refused = lab().ctl({"start", "quick"});
    EXPECT_EQ(refused.code, kOther);
    EXPECT_THAT(refused.err, names_the_disk());
    const Outcome removed = remove(run);
    EXPECT_EQ(removed.code, 0) << removed.err;
    const Outcome pruned = lab().ctl({"db", "prune", "--keep-runs", "1"});
    EXPECT_EQ(pruned.code, 0) << pruned.err;
    lab().free_disk();
    EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0) << "no restart is needed";
  }
  static std::uint64_t measure() {
    EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0);
    return static_cast<std::uint64_t>(lab().database().number("SELECT max(id) FROM runs"));
  }
};

TEST_F(FullDiskAtTheStart, deletes_what_a_daemon_that_was_stopped_has_stored) {
  const std::uint64_t run = measure();
  lab().end_netperfd(SIGTERM);
  lab().fill_disk();
  expect_that_it_serves(run);
}

TEST_F(FullDiskAtTheStart, deletes_what_a_daemon_that_was_killed_has_stored) {
  const std::uint64_t run = measure();
  const StartedJob job = start_and_hold();
  lab().fill_disk();
  lab().end_netperfd(SIGKILL);
  lab().gate().open();
  expect_that_it_serves(run);
  EXPECT_EQ(states_of(job.id), "interrupted");
}

}  // namespace
}  // namespace netperfd::system_test
