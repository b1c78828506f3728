// SPDX-License-Identifier: GPL-2.0-or-later
// What a verb writes to the file that the user named.
#include "client/verbs/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "client/base/owned_fd.hpp"

namespace netperfctl {
namespace {

using testing::HasSubstr;

class NewFileTest : public testing::Test {
 protected:
  NewFileTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "netperfctl-new-file-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = pattern;
    std::ofstream{other()} << "of somebody else";
  }
  ~NewFileTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file() const { return folder_ + "/report.html"; }
  [[nodiscard]] std::string other() const { return folder_ + "/other"; }
  [[nodiscard]] static std::string content_of(const std::string& path) {
    std::ifstream stream{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  [[nodiscard]] static mode_t mode_of(const std::string& path) {
    struct stat found{};
    EXPECT_EQ(::stat(path.c_str(), &found), 0);
    return found.st_mode & 0777U;
  }

  std::string folder_;
};

Copy copy_of(const std::string& text) {
  return [text](int fd, const std::string& where) -> Outcome<std::uint64_t> {
    if (const auto written = write_all(fd, text, where); !written) return std::unexpected(written.error());
    return text.size();
  };
}

TEST_F(NewFileTest, takes_the_place_of_a_link_and_leaves_what_it_points_to) {
  std::filesystem::create_symlink(other(), file());
  ASSERT_TRUE(write_file(file(), "a report"));
  EXPECT_FALSE(std::filesystem::is_symlink(file()));
  EXPECT_EQ(content_of(file()), "a report");
  EXPECT_EQ(content_of(other()), "of somebody else");

  std::filesystem::remove(file());
  std::filesystem::create_symlink(other(), file());
  ASSERT_TRUE(write_private(file(), copy_of("a trace")));
  EXPECT_EQ(content_of(file()), "a trace");
  EXPECT_EQ(content_of(other()), "of somebody else");
}

TEST_F(NewFileTest, is_not_written_through_a_link_in_the_place_of_its_first_name) {
  std::filesystem::create_symlink(other(), fmt::format("{}.{}.partial", file(), ::getpid()));
  ASSERT_TRUE(write_file(file(), "a report"));
  EXPECT_EQ(content_of(file()), "a report");
  EXPECT_EQ(content_of(other()), "of somebody else");
}

TEST_F(NewFileTest, takes_the_place_of_a_file_that_somebody_else_can_read) {
  std::ofstream{file()} << "planted";
  std::filesystem::permissions(file(), std::filesystem::perms{0666});
  const OwnedFd planted{::open(file().c_str(), O_RDONLY | O_CLOEXEC)};
  ASSERT_TRUE(write_private(file(), copy_of("a trace")));
  EXPECT_EQ(mode_of(file()), 0600U);
  char byte = 0;
  EXPECT_EQ(::read(planted.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'p') << "of the file that was there";
}

TEST_F(NewFileTest, is_whole_or_what_was_there) {
  std::ofstream{file()} << "the last one";
  const auto written = write_private(file(), [](int fd, const std::string& where) -> Outcome<std::uint64_t> {
    EXPECT_TRUE(write_all(fd, "half", where));
    return fail(Exit::other, "the rest did not come");
  });
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "the rest did not come\nNothing was written to " + file() + ".");
  EXPECT_EQ(content_of(file()), "the last one");
  const std::filesystem::directory_iterator all{folder_};
  EXPECT_EQ(std::distance(begin(all), end(all)), 2) << "the file and the other one";
}

TEST_F(NewFileTest, that_cannot_be_made_is_told_with_the_reason) {
  const auto written = write_file(folder_ + "/absent/report.html", "a report");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().exit, Exit::usage);
  EXPECT_THAT(written.error().message, HasSubstr("No such file or directory"));
  std::filesystem::create_directory(file());
  const auto over_directory = write_file(file(), "a report");
  ASSERT_FALSE(over_directory);
  EXPECT_THAT(over_directory.error().message, HasSubstr("Is a directory"));
}

TEST_F(NewFileTest, that_is_a_pipe_or_a_device_is_written_to) {
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  const OwnedFd reader{::open(file().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  ASSERT_TRUE(write_file(file(), "a report"));
  std::string got(8, '\0');
  EXPECT_EQ(::read(reader.get(), got.data(), got.size()), 8);
  EXPECT_EQ(got, "a report");

  const std::string link = folder_ + "/null";
  std::filesystem::create_symlink("/dev/null", link);
  ASSERT_TRUE(write_private(link, copy_of("a trace")));
  EXPECT_TRUE(std::filesystem::is_symlink(link)) << "of the user's own";
}

TEST_F(NewFileTest, that_is_an_open_descriptor_is_written_to_where_that_is) {
  const OwnedFd to{::open(other().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)};
  for (const char* directory : {"/dev/fd", "/proc/self/fd"})
    ASSERT_TRUE(write_file(fmt::format("{}/{}", directory, to.get()), ", and more")) << directory;
  EXPECT_EQ(content_of(other()), "of somebody else, and more, and more");
  EXPECT_FALSE(write_file("/dev/fd/987654", "a report"));
}

// As root, who alone can make such a link.
TEST_F(NewFileTest, is_not_given_to_the_pipe_of_somebody_else) {
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const OwnedFd reader{::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  std::filesystem::create_symlink(pipe, file());
  if (::lchown(file().c_str(), 65534, 65534) != 0) GTEST_SKIP() << "needs root";
  ASSERT_TRUE(write_private(file(), copy_of("a trace")));
  EXPECT_EQ(content_of(file()), "a trace");
  char byte = 0;
  EXPECT_EQ(::read(reader.get(), &byte, 1), 0);
}

}  // namespace
}  // namespace netperfctl
