// SPDX-License-Identifier: GPL-2.0-or-later
// `netperfd --reread` over runs that were measured and imported, beside a running daemon and without one.
#include <fmt/format.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"
#include "tests/system/harness/traffic_tap.hpp"

namespace netperfd::system_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int kWouldChange = 3;

class Reread : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }
  void TearDown() override {
    for (const std::string& copy : copies()) std::filesystem::remove(copy);
    if (!lab().is_running()) lab().start_netperfd();
    SystemTest::TearDown();
  }

  static Command command(std::vector<std::string> more) {
    std::vector<std::string> argv{NETPERFD_PROGRAM, "--config", lab().configuration(), "--reread"};
    argv.insert(argv.end(), more.begin(), more.end());
    return {.argv = std::move(argv), .environment = {}, .user = {}, .netns = {}, .stderr_file = {}};
  }
  static Outcome reread(std::vector<std::string> more = {}) { return run(command(std::move(more))); }

  static void import(const std::string& file) {
    const std::string copy =
        lab().directory().write("document.json", read_text(NETPERFD_TEST_DATA "/iperf3/" + file));
    ASSERT_EQ(lab().ctl({"import", copy}).code, 0);
  }
  // Ends the daemon first.
  static void alter(const std::string& sql) {
    EXPECT_EQ(lab().end_netperfd(SIGTERM).code, 0);
    alter_database(lab().database_path(), sql);
  }
  static std::int64_t wrong() {
    return lab().database().number("SELECT count(*) FROM sums WHERE received_bytes = 777");
  }
  static std::vector<std::string> copies() {
    std::vector<std::string> found;
    const std::filesystem::path database = lab().database_path();
    for (const auto& file : std::filesystem::directory_iterator(database.parent_path())) {
      const std::string name = file.path().filename();
      // A reader of a copy makes files beside it.
      if (name.starts_with("netperfd.db.before-reread-") && !name.ends_with("-wal") &&
          !name.ends_with("-shm"))
        found.push_back(file.path());
    }
    return found;
  }
};

TEST_F(Reread, of_measured_runs_finds_them_as_they_are_stored) {
  const auto measure = [](std::vector<std::string> settings) {
    std::vector<std::string> words{"start", "local"};
    for (const std::string& each : settings) words.insert(words.end(), {"--set", "workload.iperf3." + each});
    return lab().ctl(words).code;
  };
  EXPECT_EQ(measure({}), 0);
  EXPECT_EQ(measure({"protocol=udp", "bitrate=20M", "streams=2"}), 0);
  EXPECT_EQ(measure({"direction=both", "omit=1s"}), 0);
  EXPECT_EQ(measure({"direction=receive", "interval=200ms"}), 0);
  // Each side has keys of its own.
  EXPECT_EQ(
      lab()
          .ctl({"ab", "local", "--b", "direction=receive", "--b", "streams=2", "--repeat", "1", "--force"})
          .code,
      0);
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0);
  EXPECT_EQ(lab().ctl({"start", "foreign"}).code, kRunFailed);
  const auto runs = lab().database().number("SELECT count(*) FROM runs");
  const Outcome outcome = reread();
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out,
            fmt::format("{} runs were read again: 0 would change; 0 cannot be read now; 0 have no document\n",
                        runs));
}

TEST_F(Reread, of_a_run_that_was_stopped_keeps_its_error) {
  JobWatch watch{lab().bus().address()};
  TrafficTap tap{lab().net().right()};
  const StartedJob job = lab().start("local", {"duration=30s", "direction=both"});
  tap.wait_for_traffic();
  lab().stop(job.id);
  ASSERT_EQ(watch.wait_for_end(job.id), "canceled");
  const std::string select = fmt::format("SELECT state || ': ' || error FROM runs WHERE job = {}", job.id);
  const std::string before = lab().database().value(select);
  alter("UPDATE runs SET iperf3_version = 'old'");
  EXPECT_EQ(reread({"--apply"}).code, 0);
  EXPECT_EQ(lab().database().value(select), before);
  EXPECT_EQ(reread().code, 0);
}

TEST_F(Reread, names_what_would_change_and_applies_it_only_without_the_daemon) {
  import("3.18/tcp-send.out");
  const std::string last = lab().database().value("SELECT max(id) FROM runs");
  const std::string right =
      lab().database().value(fmt::format("SELECT received_bytes FROM sums WHERE run = {}", last));
  alter(fmt::format("UPDATE sums SET received_bytes = 777 WHERE run = {}", last));
  const std::string line = fmt::format("run {}: sum send received_bytes: 777 -> {}\n", last, right);
  const Outcome without = reread();
  EXPECT_EQ(without.code, kWouldChange) << without.err;
  EXPECT_THAT(without.out, AllOf(HasSubstr(line), HasSubstr(": 1 would change; ")));

  lab().start_netperfd();
  const Outcome beside = reread();
  EXPECT_EQ(beside.code, kWouldChange);
  EXPECT_EQ(beside.out, without.out);
  const Outcome refused = reread({"--apply"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("has this database open"), HasSubstr("systemctl stop netperfd")));
  EXPECT_EQ(wrong(), 1);
  EXPECT_TRUE(copies().empty());

  EXPECT_EQ(lab().end_netperfd(SIGTERM).code, 0);
  const Outcome applied = reread({"--apply"});
  EXPECT_EQ(applied.code, 0) << applied.err;
  EXPECT_THAT(applied.out, AllOf(HasSubstr(line), HasSubstr(": 1 were changed; ")));
  EXPECT_EQ(wrong(), 0);
  ASSERT_EQ(copies().size(), 1U);
  EXPECT_THAT(applied.out, HasSubstr(copies().front()));
  EXPECT_EQ(Database{copies().front()}.number("SELECT count(*) FROM sums WHERE received_bytes = 777"), 1);
  EXPECT_EQ(reread({"--apply"}).code, 0);
  EXPECT_EQ(copies().size(), 1U) << "nothing was changed, so nothing was copied";
  EXPECT_EQ(reread().code, 0);

  lab().start_netperfd();
  const Outcome log = lab().ctl({"log", "--action", "reread"});
  EXPECT_THAT(log.out, AllOf(HasSubstr(last), HasSubstr("1 changes by netperfd")));
}

TEST_F(Reread, killed_while_it_applies_leaves_each_run_as_it_was_or_right) {
  ASSERT_EQ(lab()
                .ctl({"start", "local", "--repeat", "3", "--set", "workload.iperf3.streams=16", "--set",
                      "workload.iperf3.interval=100ms", "--set", "workload.iperf3.duration=3s"})
                .code,
            0);
  const auto last = lab().database().number("SELECT max(id) FROM runs");
  const auto figures = [&](std::int64_t run) {
    return lab().database().rows(fmt::format("SELECT * FROM intervals WHERE run = {}", run));
  };
  std::vector<std::vector<Database::Row>> right, altered;
  for (std::int64_t run = last - 2; run <= last; ++run) right.push_back(figures(run));
  alter(
      fmt::format("UPDATE intervals SET bytes = 1, bits_per_second = 2, retransmits = 3, snd_cwnd = 4, "
                  "rtt = 5, rttvar = 6, pmtu = 7 WHERE run > {}",
                  last - 3));
  for (std::int64_t run = last - 2; run <= last; ++run) altered.push_back(figures(run));
  {
    // Its output is not read any further then, so it waits within the many lines of the second run.
    Process process(command({"--apply"}));
    process.wait_for_output(fmt::format("run {}: ", last - 1));
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait().signal_number, SIGKILL);
  }
  EXPECT_EQ(figures(last - 2), altered[0]);
  EXPECT_EQ(figures(last - 1), altered[1]);
  EXPECT_EQ(figures(last), right[2]);
  EXPECT_EQ(reread({"--apply"}).code, 0);
  for (std::int64_t run = last - 2; run <= last; ++run) {
    EXPECT_EQ(figures(run), right.at(static_cast<std::size_t>(run - last + 2)));
  }
  EXPECT_EQ(reread().code, 0);
}

TEST_F(Reread, refuses_a_database_that_is_not_there_and_apply_alone) {
  const std::string database = lab().directory().path("none.db");
  const std::string configuration = lab().directory().write(
      "none.yaml", lab().configuration_text(lab().scenarios_dir(), lab().users().group, database));
  for (const char* apply : {"--reread", "--apply"}) {
    const Outcome outcome = run({.argv = {NETPERFD_PROGRAM, "--config", configuration, "--reread", apply},
                                 .environment = {},
                                 .user = {},
                                 .netns = {},
                                 .stderr_file = {}});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr(database));
    EXPECT_FALSE(std::filesystem::exists(database));
  }
  const Outcome alone = run(
      {.argv = {NETPERFD_PROGRAM, "--apply"}, .environment = {}, .user = {}, .netns = {}, .stderr_file = {}});
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--apply stores what --reread finds"));
}

}  // namespace
}  // namespace netperfd::system_test
