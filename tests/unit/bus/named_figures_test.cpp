// SPDX-License-Identifier: GPL-2.0-or-later
// The figures that workloads bring, and workloads that netperfd does not know, as callers get them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/bus/rows/wire.hpp"
#include "daemon/workload/job/traits.hpp"
#include "tests/unit/bus/bus_test.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(NamedFigureRow, has_a_unit_only_if_the_figure_has_one) {
  EXPECT_THAT(shown(named_figure_row(
                  {.name = "calls", .unit = "per second", .better = Better::higher, .value = 811.5})),
              UnorderedElementsAre("name calls", "unit per second", "better higher", "value 811.5"));
  EXPECT_THAT(shown(named_figure_row({.name = "delay", .unit = "", .better = Better::lower, .value = -0.25})),
              UnorderedElementsAre("name delay", "better lower", "value -0.25"));
}

class NamedFiguresOnTheBus : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (!IsSkipped()) queries.stored = {a_run(41)};
  }
};

TEST_F(NamedFiguresOnTheBus, come_in_pages) {
  for (int i = 0; i < 5; ++i)
    queries.stored_own_figures.push_back({.name = fmt::format("f{}", i), .unit = "", .value = 1.0 * i});
  std::vector<double> values;
  std::string cursor;
  do {
    const auto answered = client->call<dbus::Rows, std::string, std::uint64_t>(
        "ListFigures", std::uint64_t{41}, cursor, std::uint32_t{2});
    ASSERT_EQ(answered.error, "") << answered.text;
    const auto& [rows, next, total] = answered.values;
    EXPECT_EQ(total, 5U);
    for (const dbus::Row& row : rows) values.push_back(row.at("value").get<double>());
    cursor = next;
  } while (!cursor.empty());
  EXPECT_THAT(values, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ((client
                 ->call<dbus::Rows, std::string, std::uint64_t>("ListFigures", std::uint64_t{7},
                                                                std::string{}, std::uint32_t{0})
                 .error),
            dbus::error::kNotFound);
}

TEST_F(NamedFiguresOnTheBus, may_be_of_a_workload_whose_word_is_passed_on) {
  queries.stored[0].spec.workload = workload::traits_of("teleport");
  const auto answered = client->call<dbus::Row, dbus::Rows, dbus::Rows>("GetRun", std::uint64_t{41});
  ASSERT_EQ(answered.error, "") << answered.text;
  EXPECT_EQ(std::get<0>(answered.values).at("workload").get<std::string>(), "teleport");
  EXPECT_FALSE(std::get<0>(answered.values).contains("server"));
}

}  // namespace
}  // namespace netperfd::bus
