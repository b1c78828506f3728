// SPDX-License-Identifier: GPL-2.0-or-later
// The database or its log is replaced, removed, emptied or damaged by another program while it is open.
#include "daemon/store/file_guard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "daemon/base/fd.hpp"
#include "daemon/base/own_files.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class LostDatabase : public StoreTest {
 protected:
  LostDatabase() {
    open();
    run_ = store_job(a_job());
  }
  // The error of the next change, which naming a room agrees with; "" if it succeeds.
  std::string refusal() {
    const auto job = add_job(*store, a_job(), 0, kMorning);
    EXPECT_EQ(job.has_value(), store->expect_room().has_value());
    if (job) return "";
    EXPECT_EQ(job.error().kind, ErrorKind::io);
    return job.error().message;
  }
  // Another database of netperfd, without jobs.
  [[nodiscard]] std::string another() const {
    std::string other = (folder / "other.db").string();
    must(SqliteStore::open(other, 0)).reset();
    return other;
  }
  // The copy that rescue() made.
  [[nodiscard]] std::string copy() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("netperfd.db.replaced-") && !name.ends_with(".log")) return entry.path().string();
    }
    return "";
  }

  RunId run_ = 0;
};

TEST_F(LostDatabase, is_not_claimed_of_a_file_that_only_we_change) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(refusal(), "");
    must(store->remove(store_job(a_job())));
    EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
  }
  EXPECT_EQ(store->rescue(), "");
  EXPECT_EQ(copy(), "");
}

TEST_F(LostDatabase, by_replacement_takes_no_change_until_it_is_put_back) {
  const std::string away = (folder / "away.db").string();
  const RunId under_way = run_under_way(a_job());
  std::filesystem::rename(path(), away);
  std::filesystem::rename(another(), path());
  EXPECT_THAT(refusal(), AllOf(HasSubstr(path() + ": "), HasSubstr("replaced by another file")));
  EXPECT_FALSE(store->finish(a_record(under_way)));
  EXPECT_FALSE(store->remove(run_));
  EXPECT_FALSE(store->set_note(run_, "seen"));
  EXPECT_FALSE(store->set_label(1, "after"));
  std::filesystem::rename(away, path());
  EXPECT_EQ(refusal(), "");
  must(store->finish(a_record(under_way)));
  close();
  EXPECT_EQ(ask(path(), fmt::format("SELECT state FROM runs WHERE id = {}", under_way)), "finished");
}

TEST_F(LostDatabase, by_replacement_is_saved_and_leaves_the_new_file_as_it_is) {
  std::filesystem::rename(another(), path());
  EXPECT_NE(refusal(), "");
  EXPECT_THAT(store->rescue(), HasSubstr("as it was is in " + path() + ".replaced-"));
  close();
  EXPECT_EQ(ask(copy(), fmt::format("SELECT state FROM runs WHERE id = {}", run_)), "finished");
  EXPECT_FALSE(std::filesystem::exists(path() + "-wal")) << "it is not the new file's";
  open();
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM runs"), "0");
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(refusal(), "");
}

TEST_F(LostDatabase, by_removal_is_saved) {
  std::filesystem::remove(path());
  EXPECT_THAT(refusal(), HasSubstr(path() + ": the database was removed"));
  EXPECT_THAT(store->rescue(), HasSubstr(".replaced-"));
  close();
  EXPECT_EQ(ask(copy(), "SELECT count(*) FROM runs"), "1");
}

TEST_F(LostDatabase, by_an_empty_or_another_content_is_said_to_be_that) {
  close();  // so that the file has everything
  open();
  const auto size = std::filesystem::file_size(path());
  std::filesystem::resize_file(path(), 0);
  EXPECT_THAT(refusal(), HasSubstr("overwritten or truncated"));
  std::ofstream{path()} << std::string(size, 'x');
  EXPECT_THAT(refusal(), HasSubstr("overwritten or truncated"));
  EXPECT_EQ(store->rescue(), "") << "there is nothing whole to save";
}

TEST_F(LostDatabase, by_damage_takes_no_new_job_once_it_was_met_and_is_checked_at_the_next_start) {
  const RunId big = run_under_way(a_job());
  must(store->finish(a_record(big, 4, 5000)));
  close();
  open();
  {
    // All pages but the first few, which SQLite has in its cache.
    const auto size = std::filesystem::file_size(path());
    constexpr std::size_t kFrom = 65'536;
    std::fstream file{path(), std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(kFrom);
    file << std::string(size - kFrom, '\x5a');
  }
  EXPECT_FALSE(store->intervals(big, "", 2000));
  const Status room = store->expect_room();
  ASSERT_FALSE(room);
  EXPECT_THAT(room.error().message, AllOf(HasSubstr(path() + ": "), HasSubstr("is damaged")));
  close();
  const auto next = SqliteStore::open(path(), 0);
  ASSERT_FALSE(next) << "it was not marked as closed, so it is checked";
  EXPECT_THAT(next.error().message, HasSubstr("is damaged"));
}

TEST_F(LostDatabase, is_an_own_file_with_its_log_and_index_while_it_is_open) {
  const std::string away = (folder / "away.db").string();
  std::filesystem::copy_file(path(), away);
  const Fd copy{::open(away.c_str(), O_RDONLY | O_CLOEXEC)};
  EXPECT_FALSE(is_own_file(copy.get()));
  for (const char* suffix : {"", "-wal", "-shm"}) {
    open();
    const Fd file{::open((path() + suffix).c_str(), O_RDONLY | O_CLOEXEC)};
    ASSERT_TRUE(file) << suffix;
    EXPECT_TRUE(is_own_file(file.get())) << suffix;
    close();
    EXPECT_FALSE(is_own_file(file.get())) << suffix;
  }
}

// ---- The log ----------------------------------------------------------------------------------------------

class LostLog : public LostDatabase {
 protected:
  LostLog() { close(); }

  [[nodiscard]] std::string log() const { return path() + "-wal"; }
  [[nodiscard]] std::string jobs() const { return ask(path(), "SELECT count(*) FROM jobs"); }
  static std::string contents(const std::string& file) {
    std::ifstream from{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{from}, {}};
  }
  // In a process of its own, which is killed then: stores a job, calls `change`, and tries to store three
  // more. Returns how many of these it was told to be stored.
  int acknowledged_after(const std::function<void()>& change) {
    auto pipe = must(make_pipe());
    const pid_t child = ::fork();
    if (child == 0) {
      open();
      if (!add_job(*store, a_job(), 0, kMorning)) ::_exit(1);
      change();
      for (int i = 0; i < 3; ++i) {
        const bool stored = add_job(*store, a_job(), 0, kMorning).has_value();
        if (stored && ::write(pipe.write.get(), "s", 1) != 1) ::_exit(1);
      }
      ::kill(::getpid(), SIGKILL);
    }
    pipe.write.reset();
    int stored = 0;
    for (char byte = 0; ::read(pipe.read.get(), &byte, 1) == 1;) ++stored;
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it could not store its first job";
    return stored;
  }
};

TEST_F(LostLog, that_nobody_touches_keeps_what_is_acknowledged) {
  EXPECT_EQ(acknowledged_after([] {}), 3);
  open();
  EXPECT_EQ(jobs(), "5");
}

TEST_F(LostLog, by_removal_takes_no_change_and_loses_nothing_when_the_owner_is_killed) {
  EXPECT_EQ(acknowledged_after([this] { std::filesystem::remove(log()); }), 0);
  open();
  EXPECT_EQ(jobs(), "2") << "the first one was in the log alone";
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(refusal(), "");
}

TEST_F(LostLog, by_truncation_takes_no_change) {
  EXPECT_EQ(acknowledged_after([this] { std::filesystem::resize_file(log(), 0); }), 0);
  EXPECT_EQ(acknowledged_after(
                [this] { std::filesystem::resize_file(log(), std::filesystem::file_size(log()) - 1); }),
            0);
  open();
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(refusal(), "");
}

TEST_F(LostLog, by_another_content_takes_no_change) {
  EXPECT_EQ(acknowledged_after([this] {
              const auto size = std::filesystem::file_size(log());
              std::ofstream{log(), std::ios::binary} << std::string(size, 'x');
            }),
            0);
  open();
  EXPECT_EQ(ask(path(), "PRAGMA integrity_check"), "ok");
}

TEST_F(LostLog, by_overwriting_leaves_the_database_alone_when_it_is_closed) {
  open();
  store_job(a_job());
  const std::string before = contents(path());
  const auto size = std::filesystem::file_size(log());
  std::ofstream{log(), std::ios::binary} << std::string(size, 'x');
  EXPECT_THAT(refusal(), AllOf(HasSubstr(log() + ": "), HasSubstr("overwritten or truncated")));
  EXPECT_THAT(store->rescue(), HasSubstr("it is in " + log() + ".replaced-"));
  close();
  EXPECT_EQ(contents(path()), before);
  EXPECT_FALSE(std::filesystem::exists(log()));
}

TEST_F(LostLog, by_replacement_has_all_in_the_database_after_the_end_and_puts_the_other_one_aside) {
  open();
  store_job(a_job());
  std::filesystem::rename(log(), log() + ".away");
  std::ofstream{log()} << "strange";
  EXPECT_THAT(refusal(), AllOf(HasSubstr(log() + ": "), HasSubstr("replaced by another file")));
  EXPECT_THAT(store->rescue(), HasSubstr("it is in " + log() + ".replaced-"));
  close();
  EXPECT_FALSE(std::filesystem::exists(log()));
  open();
  EXPECT_TRUE(store->was_unclosed()) << "it was checked";
  EXPECT_EQ(jobs(), "2");
}

TEST_F(LostLog, that_is_put_back_is_used_again) {
  open();
  store_job(a_job());
  std::filesystem::rename(log(), log() + ".away");
  EXPECT_THAT(refusal(), HasSubstr("the write-ahead log was removed"));
  std::filesystem::rename(log() + ".away", log());
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(store->rescue(), "");
  close();
  EXPECT_EQ(jobs(), "3");
}

TEST_F(LostLog, that_another_program_empties_after_a_checkpoint_is_not_lost) {
  open();
  store_job(a_job());
  must(must(Connection::open(path(), SQLITE_OPEN_READWRITE)).execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  ASSERT_EQ(std::filesystem::file_size(log()), 0U);
  EXPECT_EQ(refusal(), "");
}

TEST_F(LostLog, beside_an_empty_or_missing_database_is_put_aside_and_refused_until_somebody_decides) {
  ASSERT_EQ(acknowledged_after([] {}), 3);
  const std::string whole = contents(path());
  const std::string own = contents(log());
  ASSERT_NE(own, "");
  const auto expect_refusal_of_start = [&] {
    const auto refused = SqliteStore::open(path(), 0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::io);
    EXPECT_THAT(refused.error().message, AllOf(HasSubstr(path() + ": the database is missing or was emptied"),
                                               HasSubstr("mv " + log() + ".kept " + log())));
    EXPECT_EQ(contents(log() + ".kept"), own);
  };
  std::filesystem::resize_file(path(), 0);
  EXPECT_FALSE(SqliteStore::open_to_look(path()));
  EXPECT_EQ(contents(log()), own) << "whoever only reads leaves it there";
  expect_refusal_of_start();
  std::filesystem::remove(path());
  expect_refusal_of_start();
  std::ofstream{path()} << "no database at all, but some text";
  expect_refusal_of_start();
  // What the message says.
  std::ofstream{path(), std::ios::binary} << whole;
  std::filesystem::rename(log() + ".kept", log());
  open();
  EXPECT_EQ(jobs(), "5");
  close();
  // An empty log is a reserve, not content.
  std::filesystem::remove(path());
  open();
  EXPECT_EQ(jobs(), "0");
}

}  // namespace
}  // namespace netperfd::store
