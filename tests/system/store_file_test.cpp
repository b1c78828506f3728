// SPDX-License-Identifier: GPL-2.0-or-later
// `netperfctl db`: the store is checked, copied, replaced and pruned while the daemon works.
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class StoreFile : public SystemTest {
 protected:
  static constexpr int kDamaged = 12;

  static void SetUpTestSuite() { set_up({.gated = true, .environment = {}}); }
  void TearDown() override {
    lab().gate().open();
    SystemTest::TearDown();
  }

  static Outcome db(std::vector<std::string> words, const User& user = {}) {
    words.insert(words.begin(), "db");
    return lab().ctl(std::move(words), user);
  }
  static std::string in_lab(const std::string& name) { return lab().directory().path(name); }
  static std::uint64_t measure(const std::string& label) {
    const Outcome outcome = lab().ctl({"start", "quick", "--label", label, "-o", "json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out).at("job").at("job").get<std::uint64_t>();
  }
  static StartedJob start_and_hold() {
    lab().gate().close();
    StartedJob job = lab().start("quick");
    EXPECT_EQ(lab().gate().wait_for_arrival(), "--server");
    return job;
  }
  static std::string bytes_of(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  static void write(const std::string& path, const std::string& bytes) {
    std::ofstream{path, std::ios::binary | std::ios::trunc} << bytes;
  }
  static std::int64_t jobs_with(const std::string& label) {
    return lab().database().number(fmt::format("SELECT count(*) FROM jobs WHERE label = '{}'", label));
  }
  // Afterwards the file itself has the pages that are read.
  static void empty_log() {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(lab().database_path().c_str(), &raw), SQLITE_OK);
    const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> store{raw, &sqlite3_close};
    ASSERT_EQ(sqlite3_exec(raw, "PRAGMA wal_checkpoint(TRUNCATE)", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  // A new backup at this name.
  static std::string backup(const std::string& name) {
    const Outcome made = db({"backup", in_lab(name)});
    EXPECT_EQ(made.code, 0) << made.err;
    return in_lab(name);
  }
};

TEST_F(StoreFile, is_checked_and_copied_while_a_run_is_under_way) {
  measure("before");
  const StartedJob job = start_and_hold();
  const Outcome checked = db({"check", "-o", "json"}, lab().users().member);
  EXPECT_EQ(checked.code, 0) << checked.err;
  const json store = json::parse(checked.out).at("store");
  EXPECT_TRUE(store.at("problems").empty());
  EXPECT_EQ(store.at("runs"), lab().database().number("SELECT count(*) FROM runs"));
  EXPECT_GT(store.at("disk_free_bytes"), 0);
  const std::string file = backup("during.db");
  lab().gate().open();
  EXPECT_EQ(JobWatch{lab().bus().address()}.wait_for_end(job.id), "finished");
  const Database copy{file};
  EXPECT_EQ(copy.value("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(copy.number("SELECT count(*) FROM jobs WHERE label = 'before'"), jobs_with("before"));
  struct stat about{};
  ASSERT_EQ(::stat(file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  EXPECT_EQ(db({"check"}, lab().users().outsider).code, kDenied);
  EXPECT_EQ(db({"backup", in_lab("denied.db")}, lab().users().member).code, kDenied);
  EXPECT_FALSE(std::filesystem::exists(in_lab("denied.db")));
}

TEST_F(StoreFile, with_a_corrupt_page_is_damaged_by_its_exit_code) {
  measure("");
  ASSERT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  const std::string whole = bytes_of(lab().database_path());
  const auto root = lab().database().number("SELECT rootpage FROM sqlite_schema WHERE name = 'intervals'");
  lab().start_netperfd();
  {
    std::fstream file{lab().database_path(), std::ios::binary | std::ios::in | std::ios::out};
    file.seekp((root - 1) * 4096 + 8);
    file << std::string(2000, '\x5a');
  }
  const Outcome checked = db({"check"});
  EXPECT_EQ(checked.code, kDamaged) << checked.out << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("The store is DAMAGED"));
  (void)lab().end_netperfd(SIGTERM);
  for (const char* beside : {"-wal", "-shm"}) std::filesystem::remove(lab().database_path() + beside);
  write(lab().database_path(), whole);
  lab().start_netperfd();
}

TEST_F(StoreFile, that_cannot_even_be_opened_is_damaged_by_its_exit_code) {
  measure("");
  ASSERT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  const std::string whole = bytes_of(lab().database_path());
  lab().start_netperfd();
  empty_log();
  {
    std::fstream file{lab().database_path(), std::ios::binary | std::ios::in | std::ios::out};
    file.seekp(100);  // the root of sqlite_schema
    file << std::string(2000, '\x5a');
  }
  EXPECT_EQ(db({"check"}).code, kDamaged);
  EXPECT_EQ(db({"backup", in_lab("damaged.db")}).code, kOther);
  EXPECT_FALSE(std::filesystem::exists(in_lab("damaged.db")));
  (void)lab().end_netperfd(SIGTERM);
  for (const char* beside : {"-wal", "-shm"}) std::filesystem::remove(lab().database_path() + beside);
  write(lab().database_path(), whole);
  lab().start_netperfd();
}

TEST_F(StoreFile, is_not_copied_over_a_device) {
  const std::string pipe = in_lab("device");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Outcome refused = db({"backup", pipe});
  EXPECT_EQ(refused.code, kUsage);
  EXPECT_THAT(refused.err, HasSubstr("is no regular file"));
  EXPECT_EQ(std::filesystem::status(pipe).type(), std::filesystem::file_type::fifo);
}

TEST_F(StoreFile, is_restored_once_no_job_runs_and_the_old_one_is_kept) {
  measure("kept");
  const std::string file = backup("restored.db");
  measure("lost");
  const StartedJob job = start_and_hold();
  const Outcome busy = db({"restore", file});
  EXPECT_EQ(busy.code, kOther);
  EXPECT_THAT(busy.err, AllOf(HasSubstr(fmt::format("job {} (quick) is running", job.id)),
                              HasSubstr("The store is as it was.")));
  lab().gate().open();
  JobWatch{lab().bus().address()}.wait_for_end(job.id);
  std::filesystem::permissions(file, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
  EXPECT_EQ(db({"restore", file}, lab().users().member).code, kDenied);
  const Outcome restored = db({"restore", file, "-o", "json"});
  ASSERT_EQ(restored.code, 0) << restored.err;
  const json about = json::parse(restored.out).at("restored");
  EXPECT_EQ(jobs_with("lost"), 0);
  EXPECT_EQ(jobs_with("kept"), 1);
  EXPECT_EQ(
      Database{about.at("kept").get<std::string>()}.number("SELECT count(*) FROM jobs WHERE label = 'lost'"),
      1);
  EXPECT_GT(measure("after"), job.id) << "no number is given again";
  EXPECT_THAT(lab().ctl({"log", "--action", "restore"}).out, HasSubstr("before-restore-"));
  EXPECT_EQ(db({"check"}).code, 0);
}

TEST_F(StoreFile, is_not_replaced_by_what_is_no_store) {
  measure("stays");
  const std::string whole = bytes_of(backup("whole.db"));
  const std::string file = in_lab("hostile.db");
  const auto refused = [&file](const std::string& bytes, const std::string& why, int code = kUsage) {
    write(file, bytes);
    const Outcome outcome = db({"restore", file});
    EXPECT_EQ(outcome.code, code) << why;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(why), HasSubstr("The store is as it was.")));
  };
  refused("", "it does not begin as one");
  refused(std::string(100'000, 'x'), "It may be encrypted");
  refused(whole.substr(0, whole.size() / 2), "its end is missing");
  std::string newer = whole;
  const int known = newer[63];
  newer[63] = static_cast<char>(known + 1);
  refused(newer, fmt::format("its schema has version {}, and this netperfd knows versions up to {}",
                             known + 1, known));
  std::string corrupt = whole;
  const auto root =
      Database{in_lab("whole.db")}.number("SELECT rootpage FROM sqlite_schema WHERE name = 'runs'");
  corrupt.replace(static_cast<std::size_t>((root - 1) * 4096 + 8), 2000, 2000, '\x5a');
  refused(corrupt, "it is damaged");
  write(file, whole);
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &writer), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(writer,
                   "PRAGMA journal_mode = DELETE; CREATE TRIGGER sqliteXthief AFTER UPDATE ON runs BEGIN "
                   "UPDATE jobs SET owner_uid = 666; END",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(writer);
  refused(bytes_of(file), "the schema has a trigger \"sqliteXthief\" on \"runs\"");
  write(file, whole);
  write(file + "-wal", "some");
  EXPECT_THAT(db({"restore", file}).err, HasSubstr("has a part of the data"));
  EXPECT_EQ(jobs_with("stays"), 1);
  EXPECT_FALSE(std::filesystem::exists(lab().database_path() + ".restoring"));
}

TEST_F(StoreFile, stays_whole_if_the_daemon_is_killed_while_a_file_is_copied) {
  measure("whole");
  const std::string bytes = bytes_of(backup("slow.db"));
  const std::string pipe = in_lab("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  Process client{lab().ctl_command({"db", "restore", pipe}, {})};
  const Fd writer{::open(pipe.c_str(), O_WRONLY | O_CLOEXEC)};  // waits for the client
  const auto half = static_cast<ssize_t>(bytes.size() / 2);
  ASSERT_EQ(::write(writer.get(), bytes.data(), static_cast<std::size_t>(half)), half) << "somebody reads it";
  EXPECT_EQ(lab().end_netperfd(SIGKILL), (Exit{-1, SIGKILL}));
  EXPECT_EQ(client.wait().code, kUnreachable);
  EXPECT_THAT(client.err(), Not(HasSubstr("as it was"))) << "nobody knows";
  lab().start_netperfd();
  EXPECT_FALSE(std::filesystem::exists(lab().database_path() + ".restoring"));
  EXPECT_EQ(jobs_with("whole"), 1);
  EXPECT_EQ(db({"check"}).code, 0);
}

TEST_F(StoreFile, has_nothing_beside_it_once_a_client_has_left_its_restore) {
  const std::string bytes = bytes_of(backup("left.db"));
  const std::string pipe = in_lab("left-pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  Process client{lab().ctl_command({"db", "restore", pipe}, {})};
  const Fd writer{::open(pipe.c_str(), O_WRONLY | O_CLOEXEC)};
  ASSERT_EQ(::write(writer.get(), bytes.data(), bytes.size() / 2), static_cast<ssize_t>(bytes.size() / 2));
  const std::string copy = lab().database_path() + ".restoring";
  wait_for_database(lab().database_path(), [&copy] { return std::filesystem::exists(copy); });
  client.signal(SIGKILL);
  wait_for_database(lab().database_path(), [&copy] { return !std::filesystem::exists(copy); });
}

TEST_F(StoreFile, keeps_no_daemon_from_its_end_by_a_restore_under_way) {
  const std::string bytes = bytes_of(backup("waits.db"));
  const std::string pipe = in_lab("waiting-pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  Process client{lab().ctl_command({"db", "restore", pipe}, {})};
  const Fd writer{::open(pipe.c_str(), O_WRONLY | O_CLOEXEC)};
  ASSERT_EQ(::write(writer.get(), bytes.data(), bytes.size() / 2), static_cast<ssize_t>(bytes.size() / 2));
  wait_for_database(lab().database_path(),
                    [] { return std::filesystem::exists(lab().database_path() + ".restoring"); });
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0})) << lab().netperfd().log();
  EXPECT_EQ(client.wait().code, kUnreachable);
  lab().start_netperfd();
  EXPECT_FALSE(std::filesystem::exists(lab().database_path() + ".restoring"));
}

TEST_F(StoreFile, is_pruned_of_whole_old_jobs_of_the_caller) {
  const std::uint64_t old = measure("try-1");
  const std::uint64_t newer = measure("try-2");
  const std::uint64_t other = measure("release");
  const std::vector<std::string> rule{"prune", "--keep-runs", "1", "--label", "try-*"};
  std::vector<std::string> dry = rule;
  dry.emplace_back("--dry-run");
  const Outcome shown = db(dry, lab().users().member);
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("try-1"), Not(HasSubstr("try-2")),
                               HasSubstr("would be deleted: 1 job"), HasSubstr("beyond the newest 1 run")));
  EXPECT_EQ(jobs_with("try-1"), 1);
  EXPECT_THAT(db(dry, lab().users().other_member).out, HasSubstr("Nothing is old enough"));
  const Outcome pruned = db(rule, lab().users().member);
  EXPECT_EQ(pruned.code, 0) << pruned.err;
  EXPECT_THAT(pruned.out, HasSubstr("deleted: 1 job"));
  wait_for_database(lab().database_path(), [&] { return jobs_with("try-1") == 0; });
  EXPECT_EQ(lab().database().number("PRAGMA freelist_count"), 0) << "the space is given back";
  EXPECT_EQ(jobs_with("try-2") + jobs_with("release"), 2);
  const Outcome all = db({"prune", "--older-than", "now", "--label", "[tr]*", "-o", "json"});
  EXPECT_EQ(all.code, 0) << all.err;
  std::vector<std::uint64_t> gone;
  for (const json& job : json::parse(all.out).at("jobs")) gone.push_back(job.at("job"));
  EXPECT_THAT(gone, AllOf(testing::Contains(newer), testing::Contains(other), Not(testing::Contains(old))))
      << "root prunes what is of others";
  EXPECT_EQ(db({"prune"}).code, kUsage) << "without a bound";
}

TEST_F(StoreFile, is_pruned_after_the_run_that_is_under_way) {
  measure("gone");
  const StartedJob job = start_and_hold();
  EXPECT_EQ(db({"prune", "--older-than", "now"}).code, 0);
  EXPECT_EQ(jobs_with("gone"), 1) << "nothing is removed during a run";
  EXPECT_THAT(lab().ctl({"runs", "--label", "gone"}).out, Not(HasSubstr("finished"))) << "but it is hidden";
  lab().gate().open();
  EXPECT_EQ(JobWatch{lab().bus().address()}.wait_for_end(job.id), "finished");
  wait_for_database(lab().database_path(), [] { return jobs_with("gone") == 0; });
}

}  // namespace
}  // namespace netperfd::system_test
