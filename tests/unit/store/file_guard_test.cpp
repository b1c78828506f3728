// SPDX-License-Identifier: GPL-2.0-or-later
// The database is replaced, removed, emptied or damaged by another program while it is open.
#include "daemon/store/file_guard.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

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

}  // namespace
}  // namespace netperfd::store
