// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/import_date.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace netperfd {
namespace {

WallTime at(std::int64_t second) {
  return WallTime{std::chrono::seconds{second}};
}

SourceFile written(std::optional<WallTime> time) {
  return {.name = "file", .size = 1, .modified = time, .sha256 = ""};
}

TEST(ImportDate, is_what_the_document_says_whatever_the_files_are) {
  const auto date = date_of_import({written(at(50))}, at(100));
  ASSERT_TRUE(date);
  EXPECT_EQ(date->measured, at(100));
  EXPECT_EQ(to_string(date->source), "document");
}

TEST(ImportDate, is_the_time_of_the_oldest_file_otherwise) {
  const auto date =
      date_of_import({written(std::nullopt), written(at(70)), written(at(60)), written(at(80))}, {});
  ASSERT_TRUE(date);
  EXPECT_EQ(date->measured, at(60));
  EXPECT_EQ(to_string(date->source), "file");
}

TEST(ImportDate, is_unknown_of_what_came_through_a_pipe) {
  EXPECT_FALSE(date_of_import({written(std::nullopt)}, {}));
  EXPECT_FALSE(date_of_import({}, {}));
}

}  // namespace
}  // namespace netperfd
