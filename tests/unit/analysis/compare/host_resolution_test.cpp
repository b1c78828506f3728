// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/host_resolution.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "daemon/analysis/compare/gates.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"
#include "tests/unit/analysis/compare/sampled_sides.hpp"

namespace netperfd::analysis {
namespace {

using testing::Optional;

struct Tests {
  std::vector<ComparedRun> a, b;
};

RatioEstimate an_effect(double ratio, double low, double high) {
  RatioEstimate effect;
  effect.ratio = ratio;
  effect.low = low;
  effect.high = high;
  return effect;
}

// A block of two letters in each boot, in which B differs by so much.
Tests self_tests(const std::vector<double>& differences) {
  Tests tests;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    ComparedRun run = run_at(static_cast<int>(i), 1e9);
    run.job = 1;
    run.block = static_cast<std::uint32_t>(i) + 1;
    run.fingerprint.emplace().boot_id = std::to_string(i);
    tests.a.push_back(run);
    *run.received_bits_per_second *= std::exp(differences[i]);
    tests.b.push_back(run);
  }
  return tests;
}

TEST(HostResolution, of_code_is_t_times_the_root_mean_square_of_the_boots) {
  const Tests tests = self_tests({0.01, -0.02, 0.02});
  // sqrt(0.0009 / 3); the quantile for 3 degrees of freedom.
  EXPECT_THAT(code_resolution(tests.a, tests.b, 0.95),
              Optional(testing::DoubleNear(std::exp(3.182446 * 0.0173205), 1e-6)));
}

TEST(HostResolution, of_code_takes_three_boots_or_builds) {
  EXPECT_FALSE(code_resolution({}, {}, 0.95));
  const Tests two = self_tests({0.01, -0.02});
  EXPECT_FALSE(code_resolution(two.a, two.b, 0.95));
  Tests one_boot = self_tests({0.01, -0.02, 0.02});
  for (auto* side : {&one_boot.a, &one_boot.b}) {
    for (ComparedRun& run : *side) run.fingerprint->boot_id = "one";
  }
  EXPECT_FALSE(code_resolution(one_boot.a, one_boot.b, 0.95)) << "blocks of one boot share its luck";
}

// The pairs of a cycle sum up to 0, so four of them have three degrees of freedom.
TEST(HostResolution, of_code_counts_one_pair_of_builds_less) {
  Tests tests = self_tests({0.01, -0.02, 0.02, -0.01});
  for (std::size_t i = 0; i < 4; ++i) {
    tests.b[i].build = std::to_string(i);
    for (auto* run : {&tests.a[i], &tests.b[i]}) run->fingerprint->boot_id = "one";
  }
  EXPECT_THAT(code_resolution(tests.a, tests.b, 0.95),
              Optional(testing::DoubleNear(std::exp(3.182446 * std::sqrt(0.001 / 3)), 1e-6)));
  tests.a.resize(3);
  tests.b.resize(3);
  EXPECT_FALSE(code_resolution(tests.a, tests.b, 0.95));
}

TEST(HostResolution, of_code_adds_what_boots_and_builds_add) {
  Tests tests;
  for (int boot = 0; boot < 3; ++boot) {
    Tests of_boot = self_tests({0.01, -0.02, 0.02, -0.01});
    for (std::size_t i = 0; i < 4; ++i) {
      of_boot.b[i].build = std::to_string(i);
      *of_boot.b[i].received_bits_per_second *= std::exp(0.01 * (boot - 1));
      for (auto* run : {&of_boot.a[i], &of_boot.b[i]}) {
        run->fingerprint->boot_id = std::to_string(boot);
        run->job = boot;
      }
    }
    tests.a.insert(tests.a.end(), of_boot.a.begin(), of_boot.a.end());
    tests.b.insert(tests.b.end(), of_boot.b.begin(), of_boot.b.end());
  }
  // Boots differ by -0.01, 0 and 0.01; three degrees of freedom each.
  const double expected = std::exp(3.182446 * std::sqrt(0.0002 / 3 + 0.001 / 3));
  EXPECT_THAT(code_resolution(tests.a, tests.b, 0.95), Optional(testing::DoubleNear(expected, 1e-6)));
  tests.a.front().fingerprint.reset();
  EXPECT_TRUE(code_resolution(tests.a, tests.b, 0.95)) << "a run whose boot is not known is left out";
}

TEST(HostResolution, of_settings_is_what_a_self_test_found) {
  const RatioEstimate found = an_effect(0.97, 0.95, 0.99);
  EXPECT_THAT(settings_resolution(found, Verdict::regression), Optional(1 / 0.95));
  const RatioEstimate more = an_effect(1.02, 1.01, 1.04);
  EXPECT_THAT(settings_resolution(more, Verdict::improvement), Optional(1.04));
  EXPECT_THAT(settings_resolution(found, Verdict::inconclusive), Optional(1 / 0.95)) << "it leans";
  EXPECT_FALSE(settings_resolution(an_effect(1.02, 0.99, 1.04), Verdict::inconclusive));
  EXPECT_FALSE(settings_resolution(found, Verdict::equivalent));
  EXPECT_FALSE(settings_resolution({}, Verdict::too_few));
}

TEST(HostResolution, is_of_each_figure) {
  Tests tests = self_tests({0.01, -0.02, 0.02});
  EXPECT_FALSE(code_resolution(tests.a, tests.b, 0.95, Figure{.name = "rtt"}));
  for (auto* runs : {&tests.a, &tests.b}) {
    for (ComparedRun& run : *runs) run.figures["rtt"] = std::pow(*run.received_bits_per_second, 2);
  }
  const auto received = code_resolution(tests.a, tests.b, 0.95);
  const auto squared = code_resolution(tests.a, tests.b, 0.95, Figure{.name = "rtt"});
  ASSERT_TRUE(received && squared);
  EXPECT_NEAR(std::log(*squared), 2 * std::log(*received), 1e-9);
  for (auto* runs : {&tests.a, &tests.b}) {
    for (ComparedRun& run : *runs) run.received_bits_per_second.reset();
  }
  EXPECT_EQ(code_resolution(tests.a, tests.b, 0.95, Figure{.name = "rtt"}), squared);
}

TEST(HostResolution, bounds_the_verdict_of_a_change) {
  const RatioEstimate effect = an_effect(1.03, 1.02, 1.04);
  EXPECT_EQ(bounded(Verdict::improvement, effect, 0.01, 1.031), Verdict::inconclusive);
  EXPECT_EQ(bounded(Verdict::improvement, effect, 0.01, 1.029), Verdict::improvement);
  EXPECT_EQ(bounded(Verdict::improvement, effect, 0.01, {}), Verdict::improvement);
  const RatioEstimate less = an_effect(1 / 1.03, 0.96, 0.98);
  EXPECT_EQ(bounded(Verdict::regression, less, 0.01, 1.031), Verdict::inconclusive);
  EXPECT_EQ(bounded(Verdict::regression, less, 0.01, 1.029), Verdict::regression);
  EXPECT_EQ(bounded(Verdict::equivalent, effect, 0.01, 1.031), Verdict::inconclusive) << "3 % may be hidden";
  EXPECT_EQ(bounded(Verdict::equivalent, effect, 0.05, 1.031), Verdict::equivalent);
  EXPECT_EQ(bounded(Verdict::refused, effect, 0.01, 1.031), Verdict::refused);
}

// The runs of one boot vary by 15 %, and so may two boots: what disturbed them may last for a boot.
TEST(HostResolution, of_a_boot_each_is_no_better_than_its_runs) {
  SampledSides sides;
  for (int i = 0; i < 12; ++i) {
    const double luck = 0.15 * std::sin(2.4 * i) * std::sqrt(2);
    sides.a.push_back(run_at(i, 1e9 * std::exp(luck)));
    sides.b.push_back(run_at(20 + i, 0.82e9 * std::exp(luck)));
  }
  const auto boot = [](std::vector<ComparedRun>& runs, const char* id) {
    for (ComparedRun& run : runs) run.fingerprint.emplace().boot_id = id;
  };
  boot(sides.a, "one");
  boot(sides.b, "one");
  EXPECT_EQ(compare(sides.a, sides.b, {}).verdict, Verdict::regression);
  boot(sides.b, "another");
  const Comparison comparison = compare(sides.a, sides.b, {});
  EXPECT_EQ(comparison.verdict, Verdict::inconclusive);
  EXPECT_EQ(comparison.leaning, Verdict::regression);
  EXPECT_THAT(comparison.caveats, has_caveat("two boots are taken to differ by 22 % (standard deviation)"));
}

TEST(HostResolution, of_a_boot_each_is_bounded_by_what_two_boots_may_differ_by_even_after_a_small_self_test) {
  SampledSides sides = blocks(8, 1.03);
  for (ComparedRun& run : sides.a) run.fingerprint.emplace().boot_id = "before";
  for (ComparedRun& run : sides.b) run.fingerprint.emplace().boot_id = "after";
  ComparisonSettings settings;
  settings.figures.front().resolution.settings = 1.012;
  const Comparison comparison = compare(sides.a, sides.b, settings);
  EXPECT_EQ(comparison.verdict, Verdict::inconclusive);
  EXPECT_NEAR(comparison.resolution.value_or(0), std::exp(1.96 * 0.025), 1e-4);
  EXPECT_THAT(comparison.caveats, has_caveat("two boots are taken to differ by 2.5 %"));
  EXPECT_EQ(comparison.leaning, Verdict::improvement);
  settings.changed = {"kernel"};
  EXPECT_THAT(compare(sides.a, sides.b, settings).caveats,
              has_caveat("two boots are taken to differ by 2.5 % and two builds are taken to differ by 2 % "
                         "(standard deviation) until self-tests of three boots and with `builds:` tell"));
  settings.changed.clear();
  settings.figures.front().resolution.code = 1.015;
  EXPECT_EQ(compare(sides.a, sides.b, settings).verdict, Verdict::improvement)
      << "self-tests of several boots tell";
  settings.figures.front().resolution.code = 1.04;
  EXPECT_THAT(compare(sides.a, sides.b, settings).caveats, has_caveat("its self-tests find as much"));
}

TEST(HostResolution, of_a_build_each_is_bounded_by_what_two_builds_may_differ_by) {
  const auto verdict_of_builds = [](double ratio, std::vector<std::string> changed) {
    SampledSides sides = blocks(8, ratio);
    boot_every(8, sides);
    ComparisonSettings settings;
    settings.changed = std::move(changed);
    return compare(sides.a, sides.b, settings);
  };
  const Comparison small = verdict_of_builds(1.04, {"module:hsr"});
  EXPECT_EQ(small.verdict, Verdict::inconclusive);
  EXPECT_EQ(small.leaning, Verdict::improvement);
  EXPECT_NEAR(small.resolution.value_or(0), std::exp(1.96 * 0.02), 1e-4);
  EXPECT_THAT(small.caveats, has_caveat("two builds are taken to differ by 2 % (standard deviation) until "
                                        "self-tests with `builds:` tell"));
  const Comparison within = verdict_of_builds(1.004, {"module:hsr"});
  EXPECT_GT(within.effect.low.value_or(0), 1);
  EXPECT_EQ(within.verdict, Verdict::inconclusive) << "2 % may be hidden";
  EXPECT_FALSE(within.leaning) << "the interval lies within the threshold";
  EXPECT_EQ(verdict_of_builds(1.06, {"module:hsr"}).verdict, Verdict::improvement);
  EXPECT_EQ(verdict_of_builds(1.04, {"sysctl:net.core.rmem_max"}).verdict, Verdict::improvement)
      << "a setting is no code";
  EXPECT_EQ(verdict_of_builds(1.0, {"module:hsr"}).verdict, Verdict::inconclusive) << "2 % may be hidden";
}

}  // namespace
}  // namespace netperfd::analysis
