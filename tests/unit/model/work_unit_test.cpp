// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/work_unit.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace netperfd {
namespace {

NamedFigure figure(const char* name, const char* unit, double value) {
  return {.name = name, .unit = unit, .better = Better::higher, .value = value};
}

double amount(const std::vector<NamedFigure>& figures, WorkUnit unit, std::optional<double> seconds = 4) {
  const auto work = own_work(figures, unit, seconds);
  return work ? work->amount : -1;
}

TEST(WorkUnits, are_told_by_the_units_of_figures) {
  EXPECT_EQ(work_in("transactions/s"), (CountedWork{WorkUnit::transaction, true, 1}));
  EXPECT_EQ(work_in("requests per second"), (CountedWork{WorkUnit::transaction, true, 1}));
  EXPECT_EQ(work_in("messages"), (CountedWork{WorkUnit::transaction, false, 1}));
  EXPECT_EQ(work_in("packets/s"), (CountedWork{WorkUnit::packet, true, 1}));
  EXPECT_EQ(work_in("bits/s"), (CountedWork{WorkUnit::byte, true, 0.125}));
  EXPECT_EQ(work_in("bits_per_second"), (CountedWork{WorkUnit::byte, true, 0.125}));
  EXPECT_EQ(work_in("bytes"), (CountedWork{WorkUnit::byte, false, 1}));
  for (const char* unit : {"", "ns", "share", "count", "/s", "Packets/s", "packets/ms", "J"})
    EXPECT_EQ(work_in(unit), std::nullopt) << unit;
}

TEST(WorkUnits, give_the_work_of_a_run) {
  const std::vector<NamedFigure> figures = {figure("p99", "ns", 7e5), figure("rate", "transactions/s", 250),
                                            figure("throughput", "bits/s", 8000),
                                            figure("sent", "packets", 123)};
  EXPECT_EQ(amount(figures, WorkUnit::transaction), 1000);
  EXPECT_EQ(own_work(figures, WorkUnit::transaction, 4)->figure, "rate");
  EXPECT_EQ(amount(figures, WorkUnit::byte), 4000);
  EXPECT_EQ(amount(figures, WorkUnit::packet), 123);
  EXPECT_EQ(amount(figures, WorkUnit::packet, {}), 123) << "a count needs no time";
}

TEST(WorkUnits, that_are_not_known_are_not_guessed) {
  EXPECT_EQ(amount({}, WorkUnit::packet), -1);
  EXPECT_EQ(amount({figure("rate", "requests/s", 250)}, WorkUnit::transaction, {}), -1) << "of what time";
  EXPECT_EQ(amount({figure("rate", "requests/s", 0)}, WorkUnit::transaction), -1) << "no cost of nothing";
  EXPECT_EQ(amount({figure("rate", "requests/s", -2)}, WorkUnit::transaction), -1);
  EXPECT_EQ(amount({figure("a", "requests/s", 1), figure("b", "ops/s", 1)}, WorkUnit::transaction), -1)
      << "which one is meant?";
}

}  // namespace
}  // namespace netperfd
