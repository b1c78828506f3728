// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "daemon/config/job_reader.hpp"
#include "tests/unit/config/support.hpp"

namespace netperfd::config {
namespace {

TEST(ScenarioReference, has_the_rows_of_the_table_of_keys) {
  const std::string reference = contents(source_root() / "docs/scenarios.md");
  std::vector<std::string> rows;
  std::istringstream lines(reference);
  bool in_keys = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) in_keys = line == "## Keys";
    if (in_keys && line.starts_with("| `")) rows.push_back(line);
  }
  std::vector<std::string> expected;
  for (const auto& [path, text] : job_keys()) {
    std::string row = "|";
    for (const std::string& cell : {"`" + path + "`", std::string(text.type), std::string(text.fallback),
                                    std::string(text.meaning), std::string(text.option)})
      row += cell.empty() ? " |" : " " + cell + " |";
    expected.push_back(row);
  }
  EXPECT_EQ(rows, expected);
}

}  // namespace
}  // namespace netperfd::config
