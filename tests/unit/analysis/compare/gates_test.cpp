// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/gates.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace netperfd::analysis {
namespace {

// By number: the condition, and what happens if it does not hold.
using GateRows = std::map<std::string, std::string>;

GateRows documented_gates() {
  static const std::regex kRow{
      R"(\| (\d+a?) \| ([^|]*) \| (`(?:refused|inconclusive)`(?:, or a caveat with `despite`)?) \|.*)"};
  std::ifstream file{NETPERFD_TEST_DATA "/../../docs/comparing.md"};
  GateRows rows;
  for (std::string line; std::getline(file, line);) {
    std::smatch row;
    if (std::regex_match(line, row, kRow))
      rows.emplace(row[1].str(), fmt::format("{} | {}", row[2].str(), row[3].str()));
  }
  return rows;
}

TEST(GatesOfAFigure, are_those_of_the_guide) {
  GateRows rows;
  for (const Gate& gate : gates()) {
    rows.emplace(gate.number, fmt::format("{} | `{}`{}", gate.condition, to_string(gate.cap),
                                          gate.lifted ? ", or a caveat with `despite`" : ""));
  }
  EXPECT_EQ(rows.size(), gates().size());
  EXPECT_EQ(rows, documented_gates());
}

TEST(GatesOfAFigure, let_luck_widen_the_interval_of_equal_samples_to_both_sides) {
  RatioEstimate effect;
  effect.ratio = effect.low = effect.high = 1.02;
  EXPECT_EQ(verdict_of(effect, 0.01, Better::higher, {}), Verdict::improvement);
  EXPECT_EQ(verdict_of(effect, 0.01, Better::higher, 1.05), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(effect, 0.01, Better::higher, 1.001), Verdict::improvement);
}

}  // namespace
}  // namespace netperfd::analysis
