// SPDX-License-Identifier: GPL-2.0-or-later
// tests/data/statistics/README.md says who computed the golden values and how.
#include <gmock/gmock.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "daemon/analysis/compare/many_tests.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/analysis/compare/run_planner.hpp"

namespace netperfd::analysis {
namespace {

struct Golden {
  std::string kind, name;
  std::map<std::string, std::vector<double>> fields;

  [[nodiscard]] const std::vector<double>& all(const std::string& key) const { return fields.at(key); }
  [[nodiscard]] double one(const std::string& key) const { return fields.at(key).front(); }
  [[nodiscard]] bool has(const std::string& key) const { return fields.contains(key); }
};

void PrintTo(const Golden& golden, std::ostream* out) {
  *out << golden.kind << ' ' << golden.name;
}

void read_cases(const std::string& file, const std::string& kind, std::vector<Golden>& cases) {
  std::ifstream in(std::string(NETPERFD_TEST_DATA "/statistics/") + file);
  bool wanted = false;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (line.starts_with("#")) continue;
    if (!line.starts_with(" ")) {
      wanted = word == kind;
      if (wanted) words >> cases.emplace_back().name;
      if (wanted) cases.back().kind = kind;
    } else if (wanted) {
      auto& values = cases.back().fields[word];
      for (double value = 0; words >> value;) values.push_back(value);
    }
  }
}

std::vector<Golden> cases_of(const std::string& kind) {
  std::vector<Golden> cases;
  for (const char* file : {"golden.txt", "golden_r.txt"}) read_cases(file, kind, cases);
  return cases;
}

void expect_golden(const Location& location, const Golden& golden) {
  SCOPED_TRACE(testing::PrintToString(golden));
  EXPECT_NEAR(location.estimate, golden.one("estimate"), 1e-12);
  EXPECT_NEAR(location.p, golden.one("p"), 1e-12 + 1e-9 * golden.one("p"));
  ASSERT_EQ(location.interval.has_value(), golden.has("low"));
  if (!location.interval) return;
  EXPECT_NEAR(location.interval->low, golden.one("low"), 1e-12);
  EXPECT_NEAR(location.interval->high, golden.one("high"), 1e-12);
  if (golden.has("own")) {
    EXPECT_NEAR(location.interval->level, golden.one("own"), 1e-12);
  }
}

TEST(GoldenStatistics, signed_rank_is_as_scipy_and_r_have_it) {
  const auto cases = cases_of("signed_rank");
  ASSERT_EQ(cases.size(), 22U);
  for (const auto& golden : cases) {
    expect_golden(signed_rank(golden.all("values"), golden.one("level")), golden);
  }
}

TEST(GoldenStatistics, mann_whitney_is_as_scipy_and_r_have_it) {
  const auto cases = cases_of("mann_whitney");
  ASSERT_EQ(cases.size(), 22U);
  for (const auto& golden : cases) {
    expect_golden(mann_whitney(golden.all("a"), golden.all("b"), golden.one("level")), golden);
  }
}

TEST(GoldenStatistics, cliffs_delta_is_that_of_all_pairs) {
  const auto cases = cases_of("cliffs_delta");
  ASSERT_EQ(cases.size(), 16U);
  for (const auto& golden : cases) {
    EXPECT_NEAR(cliffs_delta(golden.all("a"), golden.all("b")), golden.one("delta"), 1e-12) << golden.name;
  }
}

TEST(GoldenStatistics, benjamini_hochberg_is_as_r_has_it) {
  const auto cases = cases_of("benjamini_hochberg");
  ASSERT_EQ(cases.size(), 5U);
  for (const auto& golden : cases) {
    EXPECT_THAT(benjamini_hochberg(golden.all("p")),
                testing::Pointwise(testing::DoubleNear(1e-12), golden.all("q")))
        << golden.name;
  }
}

TEST(GoldenStatistics, median_is_as_numpy_has_it) {
  const auto cases = cases_of("median");
  ASSERT_EQ(cases.size(), 3U);
  for (const auto& golden : cases) {
    EXPECT_DOUBLE_EQ(median(golden.all("values")), golden.one("median")) << golden.name;
  }
}

TEST(GoldenStatistics, power_is_as_scipy_has_it) {
  const auto cases = cases_of("power");
  ASSERT_EQ(cases.size(), 27U);
  for (const auto& golden : cases) {
    PowerQuestion question;
    question.sd = 0.02;
    question.effect = 0.02 * golden.one("effect");
    const auto first = static_cast<std::uint32_t>(golden.all("n").front());
    const auto last = static_cast<std::uint32_t>(golden.all("n").back());
    const double power =
        golden.name == "blocks" ? power_of_blocks(first, question) : power_of_runs(first, last, question);
    EXPECT_NEAR(power, golden.one("power"), 1e-7) << golden.name << ' ' << first << ' ' << last;
  }
}

}  // namespace
}  // namespace netperfd::analysis
