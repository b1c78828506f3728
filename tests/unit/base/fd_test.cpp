// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/fd.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

namespace netperfd {
namespace {

using testing::HasSubstr;

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

class ReadFile : public testing::Test {
 protected:
  ReadFile() {
    std::string name = (std::filesystem::temp_directory_path() / "netperfd-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    directory = name;
  }
  ~ReadFile() override { std::filesystem::remove_all(directory); }

  std::string write(const std::string& text) {
    const auto path = directory / "file";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::filesystem::path directory;
};

TEST(FdTest, closes_its_descriptor_at_its_end) {
  int raw = -1;
  {
    const Fd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    raw = fd.get();
    ASSERT_TRUE(is_open(raw));
  }
  EXPECT_FALSE(is_open(raw));
}

TEST(FdTest, a_move_hands_the_descriptor_over_and_closes_the_one_before) {
  Fd from(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Fd to(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int kept = from.get();
  const int closed = to.get();
  to = std::move(from);
  EXPECT_EQ(to.get(), kept);
  EXPECT_TRUE(is_open(kept));
  EXPECT_FALSE(is_open(closed));
  EXPECT_FALSE(from);  // NOLINT(bugprone-use-after-move): what is left of it is the point
}

TEST(FdTest, release_gives_the_descriptor_away_open) {
  Fd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Fd owner(fd.release());
  EXPECT_FALSE(fd);
  EXPECT_TRUE(is_open(owner.get()));
}

TEST(PipeTest, both_ends_close_on_exec) {
  const auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  EXPECT_TRUE(::fcntl(pipe->read.get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(::fcntl(pipe->write.get(), F_GETFD) & FD_CLOEXEC);
}

TEST(PipeTest, a_nonblocking_end_does_not_wait) {
  const auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  ASSERT_TRUE(set_nonblocking(pipe->read));
  char byte = 0;
  EXPECT_EQ(::read(pipe->read.get(), &byte, 1), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST(PipeTest, set_nonblocking_tells_of_a_closed_descriptor) {
  const auto status = set_nonblocking(Fd());
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("Bad file descriptor"));
}

TEST_F(ReadFile, gives_all_bytes_of_a_file_larger_than_one_read) {
  std::string bytes(50'000, 'x');
  bytes[20'000] = '\0';
  const auto text = read_file(write(bytes), 50'000);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, bytes);
}

TEST_F(ReadFile, takes_a_file_of_exactly_the_limit_and_refuses_one_byte_more) {
  const auto path = write("12345");
  EXPECT_TRUE(read_file(path, 5));
  const auto refused = read_file(path, 4);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument);
  EXPECT_THAT(refused.error().message, HasSubstr(path + ": larger than 4 bytes"));
}

TEST_F(ReadFile, names_the_path_and_the_reason_of_a_missing_file) {
  const auto text = read_file("/nonexistent/file", 10);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::io);
  EXPECT_EQ(text.error().message, "/nonexistent/file: No such file or directory");
}

TEST_F(ReadFile, refuses_a_directory) {
  EXPECT_FALSE(read_file(directory, 10));
}

TEST_F(ReadFile, refuses_a_fifo_without_waiting_for_its_writer) {
  const auto path = directory / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto text = read_file(path, 10);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("not a regular file"));
}

TEST(FailErrno, says_what_failed_and_why) {
  const std::unexpected<Error> failure = fail_errno("open /a/b", ENOENT);
  EXPECT_EQ(failure.error().kind, ErrorKind::io);
  EXPECT_EQ(failure.error().message, "open /a/b: No such file or directory");
}

}  // namespace
}  // namespace netperfd
