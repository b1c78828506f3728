#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "daemon/config/job_reader.hpp"
#include "tests/unit/config/support.hpp"

namespace netperfd::config {
namespace {

TEST(ScenarioReference, has_a_row_for_every_key_and_no_other) {
  const std::string reference = contents(source_root() / "docs/scenarios.md");
  std::vector<std::string> rows;
  std::istringstream lines(reference);
  bool in_keys = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) in_keys = line == "## Keys";
    if (in_keys && line.starts_with("| `")) rows.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  EXPECT_EQ(rows, job_keys());
}

}  // namespace
}  // namespace netperfd::config
