// SPDX-License-Identifier: GPL-2.0-or-later
// What a refused comparison offers is followed once, on the same runs: it leads to a verdict, or to the word
// that there is none.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

const Fact kOneMtu{"nic", "veth0 mtu", "1500"}, kOtherMtu{"nic", "veth0 mtu", "9000"};
const Fact kOneGovernor{"cpu", "governor", "performance"}, kOtherGovernor{"cpu", "governor", "schedutil"};
const Fact kOneKind{"topology", "veth0 kind", "veth"}, kOtherKind{"topology", "veth0 kind", "hsr"};

// B is faster, and nothing else differs.
struct Refused {
  Refused() {
    for (auto* side : {&a, &b}) {
      give_facts(*side, {kOneMtu, kOneGovernor, kOneKind, {"kernel", "release", "6.12.1"}});
      for (ComparedRun& run : *side) run.job = run.id + 1;
    }
  }
  std::vector<ComparedRun> a = runs_from(0, eight_around(100)), b = runs_from(10, eight_around(120));
  ComparisonSettings settings = {};

  // In all runs, or in all but the first one.
  static void set(std::vector<ComparedRun>& runs, const Fact& value, std::size_t first = 0) {
    for (std::size_t i = first; i < runs.size(); ++i) {
      for (Fact& fact : runs[i].fingerprint->facts) {
        if (fact.group == value.group && fact.key == value.key) fact.value = value.value;
      }
    }
  }
  [[nodiscard]] Comparison compared() const { return compare(a, b, settings); }
};

Comparison when_declared(Refused refused) {
  const Comparison comparison = refused.compared();
  auto& changed = refused.settings.changed;
  std::ranges::copy(comparison.changed, std::back_inserter(changed));
  for (const FactChange& fact : comparison.facts) {
    if (fact.explains && !fact.declared) changed.push_back(fact.group);
  }
  return refused.compared();
}

Comparison when_despite(Refused refused) {
  refused.settings.despite = true;
  return refused.compared();
}

Comparison followed(const Refused& refused) {
  return refused.compared().remedy == Remedy::declare ? when_declared(refused) : when_despite(refused);
}

// The change is of the MTU.
Refused with_mtu(bool is_declared = true) {
  Refused refused;
  Refused::set(refused.b, kOtherMtu);
  if (is_declared) refused.settings.changed = {"nic"};
  return refused;
}

Refused with_figures(Refused refused, std::vector<std::string> names) {
  refused.settings.figures.clear();
  for (const std::string& name : names)
    refused.settings.figures.push_back({.figure = parse_any_figure(name).value()});
  return refused;
}

void expect_verdict(const Refused& refused, Remedy remedy) {
  const Comparison first = refused.compared();
  EXPECT_EQ(first.verdict, Verdict::refused);
  EXPECT_FALSE(first.caveats.empty()) << "it says why";
  EXPECT_EQ(first.remedy, remedy) << first.caveats.front();
  const Comparison next = followed(refused);
  EXPECT_EQ(next.verdict, Verdict::improvement) << next.caveats.front();
  EXPECT_FALSE(next.remedy);
}

void expect_none(const Refused& refused) {
  EXPECT_EQ(refused.compared().remedy, Remedy::none);
  for (const Comparison& next : {when_declared(refused), when_despite(refused)}) {
    EXPECT_EQ(next.verdict, Verdict::refused);
    EXPECT_EQ(next.remedy, Remedy::none);
  }
}

TEST(Remedy, of_groups_that_differ_is_to_declare_them) {
  Refused beside = with_mtu();
  Refused::set(beside.b, kOtherGovernor);
  expect_verdict(beside, Remedy::declare);
  beside.settings.changed.clear();
  expect_verdict(beside, Remedy::declare);
  beside.settings.changed = {"sysctl:*"};
  expect_verdict(beside, Remedy::declare);
}

// A device that only the first run of A met in another way.
TEST(Remedy, of_a_group_that_differs_within_a_side_is_not_to_declare_it) {
  Refused fresh = with_mtu();
  Refused::set(fresh.a, kOtherKind, 1);
  Refused::set(fresh.b, kOtherKind);
  expect_verdict(fresh, Remedy::despite);
  fresh.settings.changed = {"nic", "topology"};
  expect_verdict(fresh, Remedy::despite);
}

TEST(Remedy, of_what_no_declaration_changes_is_to_compare_despite_it) {
  Refused silent = with_mtu();
  silent.b.back().received_bits_per_second = 0;
  expect_verdict(silent, Remedy::despite);
  Refused twice = with_mtu();
  twice.a[1].files = twice.b[2].files = {"d1"};
  expect_verdict(twice, Remedy::despite);
  // One reason behind the other.
  Refused::set(twice.b, kOtherGovernor);
  expect_verdict(twice, Remedy::despite);
  Refused arms = with_mtu();
  give_trace(arms.b, {});
  expect_verdict(arms, Remedy::despite);
}

TEST(Remedy, is_none_without_a_figure_on_both_sides) {
  Refused unknown = with_mtu();
  for (ComparedRun& run : unknown.a) run.received_bits_per_second.reset();
  expect_none(unknown);
  Refused::set(unknown.b, kOtherGovernor);
  expect_none(unknown);
}

TEST(Remedy, is_none_of_figures_that_are_not_one_thing) {
  Refused apart = with_figures(with_mtu(), {"energy"});
  for (auto* side : {&apart.a, &apart.b}) {
    for (ComparedRun& run : *side)
      run.own_figures = {{.name = "energy", .unit = "J", .better = Better::lower, .value = 7}};
  }
  apart.b[5].own_figures.front().unit = "mJ";
  expect_none(apart);
}

TEST(Remedy, of_several_figures_helps_those_that_have_values) {
  Refused two = with_figures(with_mtu(), {"received", "latency.p99"});
  expect_none(two);
  Refused::set(two.b, kOtherGovernor);
  EXPECT_EQ(two.compared().remedy, Remedy::declare);
  const Comparison next = followed(two);
  EXPECT_EQ(next.figures[0].verdict, Verdict::improvement);
  EXPECT_EQ(next.figures[1].verdict, Verdict::refused);
  EXPECT_EQ(next.remedy, Remedy::none) << "of the other one";
}

TEST(Remedy, is_there_only_for_a_refused_verdict) {
  EXPECT_EQ(with_mtu().compared().verdict, Verdict::improvement);
  EXPECT_FALSE(with_mtu().compared().remedy);
  EXPECT_FALSE(with_mtu(false).compared().remedy);
}

}  // namespace
}  // namespace netperfd::analysis
