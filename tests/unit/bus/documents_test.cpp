// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/documents.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace netperfd::bus {
namespace {

constexpr uid_t kUser = 1000;
constexpr uid_t kOther = 1001;
constexpr std::size_t kMebibyte = std::size_t{1} << 20U;

class DocumentsTest : public testing::Test {
 protected:
  DocumentsTest() { use({}); }
  void use(const DocumentLimits& limits) { documents_.emplace(loop_, limits); }

  Result<Fd> open(uid_t user, RunId run, const std::string& bytes = "{}\n") {
    return documents_->open(user, run, "client.stdout", [&] {
      ++reads_;
      return Result<std::string>{bytes};
    });
  }
  static ino_t inode(const Fd& file) {
    struct stat status{};
    EXPECT_EQ(::fstat(file.get(), &status), 0);
    return status.st_ino;
  }

  EventLoop loop_ = EventLoop::create().value();
  std::optional<Documents> documents_;
  int reads_ = 0;
};

TEST_F(DocumentsTest, give_a_file_that_cannot_be_changed_from_its_beginning) {
  const std::string bytes(3'000'000, 'x');
  const auto file = open(kUser, 1, bytes);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(::fcntl(file->get(), F_GET_SEALS), F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SEAL);
  EXPECT_EQ(::fcntl(file->get(), F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(::fcntl(file->get(), F_GETFL) & O_ACCMODE, O_RDONLY);
  std::string read(bytes.size() + 1, '\0');
  EXPECT_EQ(::read(file->get(), read.data(), read.size()), static_cast<ssize_t>(bytes.size()));
  read.pop_back();
  EXPECT_EQ(read, bytes);
  EXPECT_EQ(::pwrite(file->get(), "y", 1, 0), -1);
  EXPECT_EQ(::ftruncate(file->get(), 0), -1);
  struct stat status{};
  ASSERT_EQ(::fstat(file->get(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U) << "nobody but root can open it again to shrink it";
}

TEST_F(DocumentsTest, may_be_empty) {
  const auto file = open(kUser, 1, "");
  ASSERT_TRUE(file);
  EXPECT_EQ(::lseek(file->get(), 0, SEEK_END), 0);
}

// The attack: one document, asked for again and again by a caller that closes nothing.
TEST_F(DocumentsTest, have_one_file_each_however_often_they_are_open) {
  const std::string bytes(2 * kMebibyte, 'x');
  std::vector<Fd> files;
  for (int i = 0; i < 60; ++i) {
    auto file = open(i % 2 == 0 ? kUser : kOther, 1, bytes);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(::lseek(file->get(), 0, SEEK_CUR), 0) << "each has an offset of its own";
    EXPECT_EQ(::lseek(file->get(), 7, SEEK_SET), 7);
    files.push_back(std::move(*file));
  }
  for (const Fd& file : files) EXPECT_EQ(inode(file), inode(files.front()));
  EXPECT_EQ(documents_->files(), 1U);
  EXPECT_EQ(reads_, 1);
}

TEST_F(DocumentsTest, are_limited_for_each_user_until_some_are_closed) {
  use({.user_bytes = 4 * kMebibyte});
  const std::string bytes(2 * kMebibyte, 'x');
  std::vector<Fd> files;
  for (RunId run = 1; run <= 2; ++run) files.push_back(open(kUser, run, bytes).value());
  const auto refused = open(kUser, 3, bytes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::busy);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("uid 1000 has 2 documents with 4 MiB open"));
  EXPECT_TRUE(open(kUser, 2, bytes)) << "one that it has open";
  EXPECT_TRUE(open(kOther, 3, bytes)) << "another user";
  files.pop_back();
  EXPECT_TRUE(open(kUser, 3, bytes)) << "after one was closed";
}

TEST_F(DocumentsTest, count_for_a_user_who_asks_for_one_that_another_has_open) {
  use({.user_bytes = 3 * kMebibyte});
  const std::string bytes(2 * kMebibyte, 'x');
  const auto of_other = open(kOther, 1, bytes);
  const auto own = open(kUser, 2, bytes);
  ASSERT_TRUE(of_other && own);
  EXPECT_FALSE(open(kUser, 1, bytes));
}

TEST_F(DocumentsTest, that_are_longer_than_the_limit_are_given_alone) {
  use({.user_bytes = kMebibyte});
  const std::string bytes(2 * kMebibyte, 'x');
  const auto file = open(kUser, 1, bytes);
  EXPECT_TRUE(file);
  EXPECT_FALSE(open(kUser, 2, "short"));
}

TEST_F(DocumentsTest, are_limited_in_number_and_for_all_users_together) {
  use({.user_files = 2, .all_files = 3});
  const auto one = open(kUser, 1);
  const auto two = open(kUser, 2);
  ASSERT_TRUE(one && two);
  reads_ = 0;
  EXPECT_FALSE(open(kUser, 3));
  EXPECT_EQ(reads_, 0) << "a caller beyond the limit makes the daemon read nothing";
  const auto three = open(kOther, 3);
  ASSERT_TRUE(three);
  const auto refused = open(kOther, 4);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("all users have 3 documents"));
}

TEST_F(DocumentsTest, that_are_only_mapped_stay) {
  const std::string bytes(kMebibyte, 'x');
  auto file = open(kUser, 1, bytes);
  ASSERT_TRUE(file);
  void* const mapped = ::mmap(nullptr, bytes.size(), PROT_READ, MAP_PRIVATE, file->get(), 0);
  ASSERT_NE(mapped, MAP_FAILED);
  file->reset();
  EXPECT_TRUE(open(kOther, 2)) << "it looks for closed ones";
  EXPECT_EQ(static_cast<const char*>(mapped)[bytes.size() - 1], 'x');
  EXPECT_EQ(documents_->files(), 2U);
  ::munmap(mapped, bytes.size());
  EXPECT_TRUE(open(kOther, 3));
}

// Such a descriptor keeps a file alive without counting as open.
TEST_F(DocumentsTest, give_their_memory_back_even_if_somebody_keeps_a_path_to_them) {
  auto file = open(kUser, 1, std::string(kMebibyte, 'x'));
  ASSERT_TRUE(file);
  const std::string path = "/proc/self/fd/" + std::to_string(file->get());
  const Fd kept{::open(path.c_str(), O_PATH | O_CLOEXEC)};
  ASSERT_TRUE(kept);
  file->reset();
  ASSERT_TRUE(open(kUser, 2));
  struct stat status{};
  ASSERT_EQ(::fstat(kept.get(), &status), 0);
  EXPECT_EQ(status.st_blocks, 0);
}

TEST_F(DocumentsTest, that_were_closed_are_found_without_a_further_call) {
  use({.look = std::chrono::milliseconds{5}});
  auto file = open(kUser, 1);
  ASSERT_TRUE(file);
  file->reset();
  while (documents_->files() > 0) ASSERT_GE(sd_event_run(loop_.raw(), UINT64_MAX), 0);
}

TEST_F(DocumentsTest, pass_on_why_there_is_none) {
  const auto refused =
      documents_->open(kUser, 1, "x", [] { return Result<std::string>{fail(ErrorKind::not_found, "no x")}; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "no x");
  EXPECT_EQ(documents_->files(), 0U);
}

}  // namespace
}  // namespace netperfd::bus
