// SPDX-License-Identifier: GPL-2.0-or-later
// kill -9 of the daemon in every state: no process is left behind, no run is lost or counted twice, and work
// continues.
#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"
#include "tests/system/harness/traffic_tap.hpp"

namespace netperfd::system_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class Crash : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    set_up({.gated = true, .queue_limit = 64, .iperf3_script = {}, .environment = {}});
  }
  void SetUp() override {
    SystemTest::SetUp();
    watch = std::make_unique<JobWatch>(lab().bus().address());
    ASSERT_EQ(lab().ctl({"start", "quick"}).code, 0);
    ended_run = static_cast<std::uint64_t>(lab().database().number("SELECT max(id) FROM runs"));
    ended_before = lab().database().everything_of(ended_run);
  }
  void TearDown() override {
    lab().gate().open();
    SystemTest::TearDown();
  }

  static void kill_netperfd() {
    EXPECT_EQ(lab().end_netperfd(SIGKILL), (Exit{-1, SIGKILL}));
    EXPECT_TRUE(lab().workload_ends()) << "a process outlives the daemon";
    lab().gate().open();
  }

  static std::string stored_states(std::uint64_t job) {
    return lab().database().value(fmt::format(
        "SELECT group_concat(state) FROM (SELECT state FROM runs WHERE job = {} ORDER BY idx)", job));
  }

  // The jobs that go on come before a new one, so that its end is theirs.
  static void wait_for_all() { ASSERT_EQ(lab().ctl({"start", "quick"}).code, 0); }

  // After a restart: ended runs are unchanged, nothing is open, no run is missing, and the daemon measures.
  void expect_all_well(std::uint64_t runs_in_all) const {
    const Database database = lab().database();
    EXPECT_EQ(database.everything_of(ended_run), ended_before);
    EXPECT_EQ(
        database.number(
            "SELECT count(*) FROM runs WHERE state IN ('pending', 'preparing', 'running', 'collecting')"),
        0);
    EXPECT_EQ(database.number("SELECT count(*) FROM runs"), runs_in_all);
    EXPECT_EQ(database.number("SELECT sum(repeat) FROM jobs"), runs_in_all);
    EXPECT_EQ(database.number(
                  "SELECT count(*) FROM sums WHERE run IN (SELECT id FROM runs WHERE state = 'interrupted')"),
              0);
    EXPECT_EQ(database.value("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0);
    EXPECT_EQ(
        database.number(
            "SELECT count(*) FROM runs WHERE state = 'finished' AND id > (SELECT max(id) FROM runs) - 1"),
        1);
  }
  static std::uint64_t count_runs() {
    return static_cast<std::uint64_t>(lab().database().number("SELECT count(*) FROM runs"));
  }

  std::unique_ptr<JobWatch> watch;
  std::uint64_t ended_run = 0;
  std::vector<Database::Row> ended_before;
};

TEST_F(Crash, while_a_run_is_preparing) {
  lab().gate().close();
  const StartedJob job = lab().start("local");
  ASSERT_EQ(lab().gate().wait_for_arrival(), "--server");
  ASSERT_EQ(stored_states(job.id), "preparing");
  const std::uint64_t runs = count_runs();
  kill_netperfd();
  lab().start_netperfd();
  EXPECT_EQ(stored_states(job.id), "interrupted");
  expect_all_well(runs);
}

TEST_F(Crash, while_the_client_is_prepared_and_the_server_listens) {
  lab().gate().close();
  const StartedJob job = lab().start("local");
  ASSERT_EQ(lab().gate().wait_for_arrival(), "--server");
  lab().gate().let_one_pass();
  ASSERT_EQ(lab().gate().wait_for_arrival(), "--client");
  const std::uint64_t runs = count_runs();
  kill_netperfd();
  lab().start_netperfd();
  EXPECT_EQ(stored_states(job.id), "interrupted");
  expect_all_well(runs);
}

TEST_F(Crash, while_one_run_is_running_and_others_are_pending) {
  lab().gate().close();
  const StartedJob running = lab().start("local", {}, {"--repeat", "2"});
  const StartedJob pending = lab().start("local");
  lab().gate().wait_for_run();
  ASSERT_EQ(stored_states(running.id), "running,pending");
  ASSERT_EQ(stored_states(pending.id), "pending");
  const std::uint64_t runs = count_runs();
  kill_netperfd();
  lab().start_netperfd();
  wait_for_all();
  EXPECT_EQ(stored_states(running.id), "interrupted,finished");
  EXPECT_EQ(stored_states(pending.id), "finished");
  expect_all_well(runs + 1);
}

TEST_F(Crash, a_waiting_job_that_was_damaged_ends_with_the_reason_and_the_others_go_on) {
  lab().gate().close();
  const StartedJob running = lab().start("local");
  std::vector<std::uint64_t> damaged{lab().start("quick").id, lab().start("quick").id};
  const StartedJob waiting = lab().start("quick");
  ASSERT_EQ(lab().gate().wait_for_arrival(), "--server");
  const std::uint64_t runs = count_runs();
  kill_netperfd();
  damage_database(
      lab().database_path(),
      fmt::format("UPDATE jobs SET owner_uid = 0 WHERE id = {}; INSERT INTO budgets VALUES ({}, 0.5, "
                  "NULL, NULL, NULL)",
                  damaged[0], damaged[1]));
  lab().start_netperfd();
  wait_for_all();
  EXPECT_EQ(stored_states(running.id), "interrupted");
  EXPECT_EQ(stored_states(waiting.id), "finished");
  for (const std::uint64_t job : damaged) {
    EXPECT_EQ(stored_states(job), "canceled");
    EXPECT_THAT(lab().database().value(fmt::format("SELECT error FROM runs WHERE job = {}", job)),
                HasSubstr("what is stored of it is damaged"));
    EXPECT_THAT(lab().ctl({"db", "check"}).out, HasSubstr(fmt::format("job {}: table ", job)));
  }
  expect_all_well(runs + 1);
}

TEST_F(Crash, after_the_workload_has_ended_and_before_it_is_stored) {
  lab().gate().close();
  const StartedJob job = lab().start("local");
  lab().gate().wait_for_run();
  {
    // The daemon cannot write and waits as long as busy_timeout allows, with the whole result in memory.
    const WriteLock lock{lab().database_path()};
    lab().gate().open();
    ASSERT_TRUE(lab().workload_ends());
    kill_netperfd();
  }
  const std::uint64_t runs = count_runs();
  lab().start_netperfd();
  EXPECT_EQ(stored_states(job.id), "interrupted");
  expect_all_well(runs);
}

TEST_F(Crash, between_two_runs_of_a_job) {
  const StartedJob job = lab().start("local", {}, {"--repeat", "3"});
  const auto ended = watch->wait_for_runs(job.id, 1);
  const auto before = lab().database().everything_of(ended.front().run);
  const std::uint64_t runs = count_runs();
  kill_netperfd();
  lab().start_netperfd();
  wait_for_all();
  // The second run may have begun when the daemon was killed, or ended.
  EXPECT_THAT(stored_states(job.id), AnyOf("finished,finished,finished", "finished,interrupted,finished",
                                           "finished,finished,interrupted"));
  EXPECT_EQ(lab().database().everything_of(ended.front().run), before);
  expect_all_well(runs + 1);
}

TEST_F(Crash, a_second_crash_changes_nothing_of_what_the_first_left) {
  const StartedJob job = lab().start("local", {"duration=30s"});
  watch->wait_for_run_state(job.id, "running");
  const std::uint64_t runs = count_runs();
  kill_netperfd();
  lab().start_netperfd();
  const auto before = lab().database().everything_of(job.runs.front());
  kill_netperfd();
  lab().start_netperfd();
  EXPECT_EQ(lab().database().everything_of(job.runs.front()), before);
  expect_all_well(runs);
}

TEST_F(Crash, a_job_tied_to_its_caller_does_not_go_on) {
  TrafficTap tap{lab().net().right()};
  Process started{lab().ctl_command(
      {"start", "local", "--cancel-on-interrupt", "--repeat", "3", "--set", "workload.iperf3.duration=30s"},
      lab().users().member)};
  tap.wait_for_traffic();
  const auto job = static_cast<std::uint64_t>(lab().database().number("SELECT max(id) FROM jobs"));
  const std::uint64_t runs = count_runs();
  kill_netperfd();
  EXPECT_EQ(started.wait(), (Exit{kUnreachable, 0})) << started.out() << started.err();
  EXPECT_THAT(started.err(), HasSubstr("ends with it"));
  lab().start_netperfd();
  EXPECT_EQ(stored_states(job), "interrupted,canceled,canceled");
  EXPECT_THAT(lab().database().value(fmt::format("SELECT max(error) FROM runs WHERE job = {}", job)),
              HasSubstr("tied to its caller"));
  expect_all_well(runs);
}

TEST_F(Crash, an_interrupted_run_says_what_happened_to_it) {
  const StartedJob job = lab().start("local", {"duration=30s"});
  watch->wait_for_run_state(job.id, "running");
  kill_netperfd();
  lab().start_netperfd();
  EXPECT_THAT(lab().netperfd().log(), HasSubstr("interrupted"));
  const Outcome shown = lab().ctl({"show", std::to_string(job.runs.front())});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("interrupted"));
  EXPECT_NE(lab().database().value(fmt::format("SELECT error FROM runs WHERE id = {}", job.runs.front())),
            "");
}

TEST_F(Crash, netperfctl_that_follows_says_so_and_ends_as_unreachable) {
  TrafficTap tap{lab().net().right()};
  Process started{
      lab().ctl_command({"start", "local", "--set", "workload.iperf3.duration=30s"}, lab().users().member)};
  started.wait_for_output("Ctrl-C");
  tap.wait_for_traffic();
  kill_netperfd();
  EXPECT_EQ(started.wait(), (Exit{kUnreachable, 0})) << started.out() << started.err();
  EXPECT_THAT(started.err(), HasSubstr("netperfd"));
  lab().start_netperfd();
}

TEST_F(Crash, netperfctl_without_a_daemon_says_so_and_ends_as_unreachable) {
  kill_netperfd();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"runs"}, {"start", "local"}, {"show", "last"}}) {
    const Outcome outcome = lab().ctl(words);
    EXPECT_EQ(outcome.code, kUnreachable) << words.front();
    EXPECT_THAT(outcome.err, HasSubstr("netperfd does not answer")) << words.front();
  }
  lab().start_netperfd();
}

TEST_F(Crash, a_killed_client_or_server_of_iperf3_costs_one_run_and_no_more) {
  for (const char* word : {"--client", "--server"}) {
    TrafficTap tap{lab().net().right()};
    const StartedJob job = lab().start("local", {"duration=30s"});
    tap.wait_for_traffic();
    ASSERT_EQ(::kill(lab().iperf3_with(word).pid, SIGKILL), 0);
    EXPECT_EQ(watch->wait_for_end(job.id), "failed");
    EXPECT_EQ(stored_states(job.id), "failed");
    EXPECT_TRUE(lab().workload_ends());
  }
  expect_all_well(count_runs());
}

}  // namespace
}  // namespace netperfd::system_test
