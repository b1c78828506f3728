// SPDX-License-Identifier: GPL-2.0-or-later
// A backup of the store becomes a file whole or not at all.
#include "client/verbs/store_backup.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace netperfctl {
namespace {

// The header of a database with two pages of 512 bytes.
std::string two_pages() {
  std::string bytes(1024, '\0');
  bytes.replace(0, 15, "SQLite format 3");
  bytes[16] = 2;
  bytes[31] = 2;
  return bytes;
}

class StoreBackup : public testing::Test {
 protected:
  StoreBackup() {
    std::string pattern = (std::filesystem::temp_directory_path() / "netperfctl-backup-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = pattern;
  }
  ~StoreBackup() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file() const { return folder_ + "/backup.db"; }
  [[nodiscard]] static std::string content_of(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  // What the daemon's process writes before it ends.
  Outcome<std::uint64_t> write_what_comes(const std::string& bytes) const {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    return write_backup(OwnedFd{ends[0]}, file());
  }

  std::string folder_;
};

TEST_F(StoreBackup, of_all_bytes_replaces_the_file) {
  std::ofstream{file()} << "the last one";
  const auto written = write_what_comes(two_pages());
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(*written, 1024U);
  EXPECT_EQ(content_of(file()), two_pages());
  EXPECT_FALSE(std::filesystem::exists(file() + ".partial"));
}

TEST_F(StoreBackup, that_ends_early_leaves_the_file_as_it_was) {
  std::ofstream{file()} << "the last one";
  for (const std::size_t bytes : {0U, 50U, 512U, 1023U}) {
    const auto written = write_what_comes(two_pages().substr(0, bytes));
    ASSERT_FALSE(written) << bytes;
    EXPECT_EQ(written.error().exit, Exit::other);
    EXPECT_THAT(written.error().message, testing::HasSubstr("netperfd did not send all of the store"));
    EXPECT_EQ(content_of(file()), "the last one");
    EXPECT_FALSE(std::filesystem::exists(file() + ".partial"));
  }
}

}  // namespace
}  // namespace netperfctl
