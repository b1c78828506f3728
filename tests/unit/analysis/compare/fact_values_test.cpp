// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/fact_values.hpp"

#include <gmock/gmock.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

const FactKey kGovernor = {"cpu", "governor"}, kMtu = {"nic:veth0", "mtu"}, kTracer = {"trace", "tracer"};

// Six runs in three blocks of the jobs 1 and 2: their fingerprints differ in nothing but what a test sets.
std::vector<ComparedRun> six_runs() {
  std::vector<ComparedRun> runs = runs_from(0, {1, 2, 3, 4, 5, 6});
  give_facts(runs, {{"cpu", "governor", "performance"}});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].job = i < 4 ? 1 : 2;
    runs[i].block = i < 2 || i >= 4 ? 1 : 2;
    runs[i].fingerprint->boot_id = std::to_string(i);
  }
  return runs;
}

TEST(FactValues, count_the_runs_that_have_each) {
  std::vector<ComparedRun> runs = six_runs();
  runs[1].fingerprint->facts[0].value = runs[4].fingerprint->facts[0].value = "powersave";
  runs[5].fingerprint.reset();
  const FactValues values(runs, false);
  EXPECT_THAT(values.values(kGovernor), ElementsAre(Pair("performance", 3), Pair("powersave", 2)));
  EXPECT_THAT(values.values_by_block(kGovernor),
              ElementsAre(Pair(BlockKey{1, 1}, ElementsAre(Pair("performance", 1), Pair("powersave", 1))),
                          Pair(BlockKey{1, 2}, ElementsAre(Pair("performance", 2))),
                          Pair(BlockKey{2, 1}, ElementsAre(Pair("powersave", 1)))));
  std::set<FactKey> keys;
  values.add_keys(keys);
  EXPECT_THAT(keys, ElementsAre(kGovernor));
}

// Runs with the same facts are not alike if they do not know the same.
TEST(FactValues, are_absent_or_unknown_by_run) {
  std::vector<ComparedRun> runs = six_runs();
  runs[1].fingerprint->facts.push_back({"nic:veth0", "mtu", "1500"});
  for (const std::size_t i : {2U, 4U}) runs[i].fingerprint->unknown = {"nic: ethtool: it failed"};
  const FactValues values(runs, false);
  EXPECT_THAT(values.values(kMtu), UnorderedElementsAre(Pair(std::string(kAbsentValue), 3), Pair("1500", 1)));
  EXPECT_THAT(values.values_by_block(kMtu).at({1, 2}), ElementsAre(Pair(std::string(kAbsentValue), 1)));
  EXPECT_THAT(values.values(kGovernor), ElementsAre(Pair("performance", 6)));
}

// Nor if one is plain and the other one traced.
TEST(FactValues, of_the_tracer_are_those_of_traced_runs) {
  std::vector<ComparedRun> runs = six_runs();
  for (const std::size_t i : {3U, 5U}) runs[i].trace.emplace();
  EXPECT_THAT(FactValues(runs, true).values(kTracer), ElementsAre(Pair(std::string(kAbsentValue), 2)));
  EXPECT_THAT(FactValues(runs, false).values(kTracer), ElementsAre(Pair(std::string(kAbsentValue), 6)));
}

TEST(FactValues, belong_to_blocks_if_each_run_does) {
  std::vector<ComparedRun> runs = six_runs();
  EXPECT_TRUE(FactValues(runs, false).in_blocks());
  runs[4].block = 0;
  EXPECT_FALSE(FactValues(runs, false).in_blocks());
  runs[4].fingerprint.reset();
  EXPECT_TRUE(FactValues(runs, false).in_blocks());
  for (ComparedRun& run : runs) run.fingerprint.reset();
  EXPECT_FALSE(FactValues(runs, false).has_fingerprint());
  EXPECT_THAT(FactValues(runs, false).values(kGovernor), IsEmpty());
}

}  // namespace
}  // namespace netperfd::analysis
