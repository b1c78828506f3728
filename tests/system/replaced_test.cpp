// SPDX-License-Identifier: GPL-2.0-or-later
// Another program replaces, removes or truncates the database or its log while the daemon has it open.
#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Replaced : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({.gated = true, .environment = {}}); }
  void SetUp() override {
    SystemTest::SetUp();
    ASSERT_EQ(lab().ctl({"start", "quick"}).code, 0);
  }
  void TearDown() override {
    lab().gate().open();
    SystemTest::TearDown();
  }

  static std::string contents(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  static void expect_refusal(const std::string& what, const std::string& what_doctor_says) {
    const Outcome refused = lab().ctl({"start", "quick"});
    EXPECT_EQ(refused.code, kOther);
    EXPECT_THAT(refused.err, HasSubstr(lab().database_path() + ": " + what));
    EXPECT_THAT(lab().ctl({"doctor"}).out, HasSubstr(lab().database_path() + ": " + what_doctor_says));
  }
  static void expect_refusal(const std::string& what) { expect_refusal(what, what); }
};

TEST_F(Replaced, by_another_file_during_a_run_it_takes_nothing_until_it_is_put_back) {
  const std::string path = lab().database_path();
  const std::string away = path + ".away";
  EXPECT_TRUE(lab().database().rows(fmt::format("VACUUM INTO '{}'", path + ".backup")).empty());
  const std::string other = contents(path + ".backup");
  JobWatch watch{lab().bus().address()};
  lab().gate().close();
  const StartedJob job = lab().start("quick");
  ASSERT_EQ(lab().gate().wait_for_arrival(), "--server");
  std::filesystem::rename(path, away);
  std::filesystem::rename(path + ".backup", path);
  lab().gate().open();
  const SeenRunEnd end = watch.wait_for_runs(job.id, 1).front();
  EXPECT_EQ(end.state, "failed") << "nobody is told that it was stored";
  EXPECT_THAT(end.error, HasSubstr(path + ": the database was replaced by another file"));
  expect_refusal("the database was replaced by another file");
  EXPECT_EQ(contents(path), other) << "the other file is left alone";

  std::filesystem::rename(away, path);
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0) << "no restart is needed";
  EXPECT_EQ(lab().database().value(fmt::format("SELECT state FROM runs WHERE job = {}", job.id)), "failed");
  EXPECT_THAT(lab().ctl({"doctor"}).out, Not(HasSubstr("was replaced")));
}

TEST_F(Replaced, by_nothing_it_is_saved_at_the_end_of_the_daemon) {
  const std::string path = lab().database_path();
  const std::int64_t runs = lab().database().number("SELECT count(*) FROM runs");
  std::filesystem::remove(path);
  expect_refusal("the database was removed");
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  lab().start_netperfd();
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0);
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM runs"), 1);
  const std::string log = lab().netperfd().log();
  const auto at = log.find(path + ".replaced-");
  ASSERT_NE(at, std::string::npos) << log;
  const std::string copy = log.substr(at, log.find_first_not_of("0123456789", at + path.size() + 10) - at);
  EXPECT_EQ(Database{copy}.number("SELECT count(*) FROM runs"), runs);
}

TEST_F(Replaced, by_a_part_of_itself_is_refused_until_somebody_decides) {
  // A daemon that ends leaves the whole content in the file instead of the log.
  ASSERT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  lab().start_netperfd();
  std::filesystem::resize_file(lab().database_path(), 4096);
  expect_refusal("database disk image is malformed; stop netperfd, and restore a copy",
                 "the database is damaged");
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  NetperfdProcess next{lab().directory(), lab().bus(), lab().configuration(), "refused"};
  EXPECT_EQ(next.process().wait(), (Exit{1, 0}));
  EXPECT_THAT(next.log(), AllOf(HasSubstr(lab().database_path()), HasSubstr("damaged")));
  for (const char* part : {"", "-wal"}) std::filesystem::remove(lab().database_path() + part);
  lab().start_netperfd();
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0);
}

// ---- The log ----------------------------------------------------------------------------------------------

class ReplacedLog : public Replaced {
 protected:
  void SetUp() override {
    Replaced::SetUp();
    // A daemon that ends leaves all in the file; the runs after it are in the log alone.
    ASSERT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
    lab().start_netperfd();
    in_file = runs();
    ASSERT_EQ(lab().ctl({"start", "quick"}).code, 0);
  }

  static std::string log() { return lab().database_path() + "-wal"; }
  static std::int64_t runs() {
    return lab().database().number("SELECT count(*) FROM runs WHERE state = 'finished'");
  }
  static void expect_nothing_acknowledged(const std::string& what) {
    const Outcome started = lab().ctl({"start", "quick"});
    EXPECT_EQ(started.code, kOther);
    EXPECT_THAT(started.err, HasSubstr(log() + ": " + what));
    EXPECT_NE(lab().ctl({"import", NETPERFD_TEST_DATA "/iperf3/3.12/tcp-send.out"}).code, 0);
    EXPECT_THAT(lab().ctl({"doctor"}).out, HasSubstr(log() + ": " + what));
  }

  std::int64_t in_file = 0;
};

// If the daemon closed what it was given, it would give up SQLite's locks, and sqlite3 would remove the log.
TEST_F(ReplacedLog, by_nobody_keeps_its_place_when_root_imports_the_database_itself_and_sqlite3_reads_it) {
  for (const char* part : {"", "-wal", "-shm"}) {
    const Outcome refused = lab().ctl({"import", lab().database_path() + part}, User{});
    EXPECT_NE(refused.code, 0) << part;
    EXPECT_THAT(refused.err, HasSubstr("netperfd itself has this file open")) << part;
  }
  Command reader;
  reader.argv = {"sqlite3", lab().database_path(), "SELECT count(*) FROM runs"};
  const Outcome read = run(std::move(reader));
  EXPECT_EQ(read.code, 0) << read.err;
  EXPECT_TRUE(std::filesystem::exists(log()));
  ASSERT_EQ(lab().ctl({"start", "quick"}).code, 0);
  EXPECT_EQ(lab().end_netperfd(SIGKILL), (Exit{-1, SIGKILL}));
  lab().start_netperfd();
  EXPECT_EQ(runs(), in_file + 2);
}

TEST_F(ReplacedLog, by_nothing_takes_nothing_and_a_killed_daemon_has_lost_nothing) {
  std::filesystem::remove(log());
  expect_nothing_acknowledged("the write-ahead log was removed");
  EXPECT_EQ(lab().end_netperfd(SIGKILL), (Exit{-1, SIGKILL}));
  lab().start_netperfd();
  EXPECT_EQ(runs(), in_file + 1);
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0);
}

TEST_F(ReplacedLog, by_an_empty_one_takes_nothing_until_a_restart) {
  std::filesystem::resize_file(log(), 0);
  expect_nothing_acknowledged("another program has overwritten or truncated the write-ahead log");
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  lab().start_netperfd();
  EXPECT_EQ(runs(), in_file);
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0);
}

TEST_F(ReplacedLog, beside_an_emptied_database_is_put_aside_and_refused_until_it_is_put_back) {
  const std::string path = lab().database_path();
  EXPECT_EQ(lab().end_netperfd(SIGKILL), (Exit{-1, SIGKILL}));
  const std::string whole = contents(path);
  const std::string own = contents(log());
  std::filesystem::resize_file(path, 0);
  for (int attempt = 0; attempt < 2; ++attempt) {
    NetperfdProcess next{lab().directory(), lab().bus(), lab().configuration(), "refused"};
    EXPECT_EQ(next.process().wait(), (Exit{1, 0}));
    EXPECT_THAT(next.log(), HasSubstr(path + ": the database is missing or was emptied"));
    EXPECT_EQ(contents(log() + ".kept"), own) << attempt;
  }
  std::ofstream{path, std::ios::binary} << whole;
  std::filesystem::rename(log() + ".kept", log());
  lab().start_netperfd();
  EXPECT_EQ(runs(), in_file + 1);
}

}  // namespace
}  // namespace netperfd::system_test
