// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "daemon/analysis/compare/gates.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Not;
using testing::Optional;

Figure figure(std::string_view name) {
  return parse_figure(name).value();
}

ComparisonSettings of(std::initializer_list<const char*> names) {
  ComparisonSettings settings;
  settings.figures.clear();
  for (const char* name : names) settings.figures.push_back({.figure = figure(name)});
  return settings;
}

struct FigureSides {
  std::vector<ComparedRun> a, b;
};

// ABBA blocks. Each figure of B is so many times that of A, and spreads by about 1 %.
FigureSides blocks_with(int count, const std::map<std::string, double>& ratios) {
  FigureSides sides;
  for (int block = 0; block < count; ++block) {
    for (int letter = 0; letter < 4; ++letter) {
      const bool is_b = letter == 1 || letter == 2;
      ComparedRun run = run_at(block * 4 + letter, 0);
      run.received_bits_per_second.reset();
      run.job = 1;
      run.block = static_cast<std::uint32_t>(block) + 1;
      int salt = 0;
      for (const auto& [name, ratio] : ratios) {
        const double noise = 0.01 * std::sin(1.7 * block + 2.3 * letter + 5.1 * salt++);
        const double value = 1e6 * (is_b ? ratio : 1) * std::exp(noise);
        if (name == "received") {
          run.received_bits_per_second = value;
        } else {
          run.figures[name] = value;
        }
      }
      (is_b ? sides.b : sides.a).push_back(run);
    }
  }
  return sides;
}

std::vector<Verdict> verdicts(const Comparison& comparison) {
  std::vector<Verdict> each;
  for (const FigureResult& result : comparison.figures) each.push_back(result.verdict);
  return each;
}

TEST(Figures, of_which_less_is_better_regress_if_they_grow) {
  const FigureSides slower = blocks_with(8, {{"latency.p99", 1.2}});
  const Comparison comparison = compare(slower.a, slower.b, of({"latency.p99"}));
  EXPECT_EQ(comparison.verdict, Verdict::regression);
  EXPECT_EQ(comparison.figure, "latency.p99");
  EXPECT_NEAR(comparison.effect.ratio.value_or(0), 1.2, 0.02);
  ASSERT_EQ(comparison.figures.size(), 1U);
  EXPECT_EQ(comparison.figures[0].unit, "ns");
  EXPECT_EQ(comparison.figures[0].better, Better::lower);
  const FigureSides faster = blocks_with(8, {{"latency.p99", 0.8}});
  EXPECT_EQ(compare(faster.a, faster.b, of({"latency.p99"})).verdict, Verdict::improvement);
  for (const char* name : {"retransmits", "rtt", "jitter", "cpu", "latency.bloat"}) {
    const FigureSides more = blocks_with(8, {{name, 1.2}});
    EXPECT_EQ(compare(more.a, more.b, of({name})).verdict, Verdict::regression) << name;
  }
  for (const char* name : {"received", "sent", "delivered", "latency.delivered"}) {
    const FigureSides more = blocks_with(8, {{name, 1.2}});
    EXPECT_EQ(compare(more.a, more.b, of({name})).verdict, Verdict::improvement) << name;
  }
}

TEST(Figures, are_equivalent_in_either_direction_alike) {
  const auto interval = [](double low, double high) {
    RatioEstimate estimate;
    estimate.low = low;
    estimate.high = high;
    return estimate;
  };
  for (const Better better : {Better::higher, Better::lower}) {
    EXPECT_EQ(verdict_of(interval(0.995, 1.005), 0.01, better), Verdict::equivalent);
    EXPECT_EQ(verdict_of(interval(1.002, 1.008), 0.01, better), Verdict::equivalent);
    EXPECT_EQ(verdict_of(interval(0.98, 1.02), 0.01, better), Verdict::inconclusive);
    EXPECT_EQ(verdict_of(interval(1.0, 1.05), 0.01, better), Verdict::inconclusive);
  }
  EXPECT_EQ(verdict_of(interval(1.011, 1.05), 0.01, Better::lower), Verdict::regression);
  EXPECT_EQ(verdict_of(interval(0.95, 0.989), 0.01, Better::lower), Verdict::improvement);
}

TEST(Figures, of_which_less_is_better_bear_as_much_luck_as_others) {
  RatioEstimate up, down;
  up.ratio = 1.1;
  up.low = 1.05;
  up.high = 1.2;
  down.ratio = 1 / 1.1;
  down.low = 1 / 1.2;
  down.high = 1 / 1.05;
  const auto bears = [](const RatioEstimate& effect, Verdict verdict) {
    return bearable_spread(effect, verdict, 0.01, 0.95).value_or(0);
  };
  EXPECT_GT(bears(up, Verdict::improvement), 0.01);
  EXPECT_DOUBLE_EQ(bears(up, Verdict::regression), bears(up, Verdict::improvement));
  // A fall by 1 % is a little more than a rise by 1 %.
  EXPECT_NEAR(bears(down, Verdict::improvement), bears(up, Verdict::improvement), 1e-4);
  EXPECT_DOUBLE_EQ(bears(down, Verdict::regression), bears(down, Verdict::improvement));
}

TEST(Figures, that_go_apart_are_a_trade_off) {
  const FigureSides sides = blocks_with(8, {{"received", 1.1}, {"latency.p99", 1.5}});
  const Comparison comparison = compare(sides.a, sides.b, of({"received", "latency.p99"}));
  EXPECT_EQ(comparison.verdict, Verdict::trade_off);
  EXPECT_EQ(to_string(comparison.verdict), "trade-off");
  EXPECT_THAT(verdicts(comparison), ElementsAre(Verdict::improvement, Verdict::regression));
  EXPECT_EQ(comparison.figure, "received");
  EXPECT_NEAR(comparison.effect.ratio.value_or(0), 1.1, 0.02);
  const FigureSides both = blocks_with(8, {{"received", 1.1}, {"latency.p99", 0.5}});
  EXPECT_EQ(compare(both.a, both.b, of({"received", "latency.p99"})).verdict, Verdict::improvement);
}

TEST(Figures, have_one_verdict_together) {
  const auto together = [](std::initializer_list<Verdict> verdicts) {
    std::vector<FigureResult> figures;
    for (const Verdict verdict : verdicts) figures.emplace_back().verdict = verdict;
    return overall(figures);
  };
  using enum Verdict;
  for (const Verdict verdict : {improvement, regression, equivalent, inconclusive, too_few, refused})
    EXPECT_EQ(together({verdict}), verdict);
  EXPECT_EQ(together({improvement, regression, refused}), trade_off);
  EXPECT_EQ(together({equivalent, regression, inconclusive}), regression);
  EXPECT_EQ(together({regression, refused}), regression) << "what was found stays found";
  EXPECT_EQ(together({improvement, refused}), refused) << "what could not be judged may be worse";
  EXPECT_EQ(together({improvement, equivalent, inconclusive}), improvement);
  EXPECT_EQ(together({improvement, too_few}), improvement);
  EXPECT_EQ(together({equivalent, equivalent}), equivalent);
  EXPECT_EQ(together({equivalent, inconclusive, too_few}), inconclusive);
  EXPECT_EQ(together({equivalent, too_few}), too_few);
}

TEST(Figures, that_are_several_have_wider_intervals_and_greater_p) {
  const FigureSides sides = blocks_with(8, {{"received", 1.1}, {"latency.p99", 1.5}});
  const FigureResult alone = compare(sides.a, sides.b, of({"received"})).figures.at(0);
  const FigureResult one = compare(sides.a, sides.b, of({"received", "latency.p99"})).figures.at(0);
  EXPECT_DOUBLE_EQ(alone.effect.level, 1 - 10 / 256.0);
  EXPECT_DOUBLE_EQ(one.effect.level, 1 - 6 / 256.0) << "at least 97.5 %";
  EXPECT_LT(*one.effect.low, *alone.effect.low);
  EXPECT_GT(*one.effect.high, *alone.effect.high);
  EXPECT_DOUBLE_EQ(alone.p_adjusted.value_or(0), 2 / 256.0);
  EXPECT_EQ(one.effect.p, alone.effect.p);
  EXPECT_DOUBLE_EQ(one.p_adjusted.value_or(0), 4 / 256.0);
  EXPECT_GT(one.effect.detectable, alone.effect.detectable);
  EXPECT_DOUBLE_EQ(level_of_each(0.95, 1), 0.95);
  EXPECT_DOUBLE_EQ(level_of_each(0.95, 2), 0.975);
  EXPECT_DOUBLE_EQ(level_of_each(0.95, 8), 0.99375);
}

TEST(Figures, that_are_several_need_more_blocks_for_an_interval) {
  const FigureSides six = blocks_with(6, {{"received", 1.1}, {"latency.p99", 1.5}});
  EXPECT_EQ(compare(six.a, six.b, of({"received"})).verdict, Verdict::improvement);
  const Comparison comparison = compare(six.a, six.b, of({"received", "latency.p99"}));
  EXPECT_EQ(comparison.verdict, Verdict::too_few);
  EXPECT_EQ(comparison.figures.at(0).fewest, 7U);
  EXPECT_TRUE(comparison.effect.ratio) << "it is still shown";
  const FigureSides seven = blocks_with(7, {{"received", 1.1}, {"latency.p99", 1.5}});
  EXPECT_EQ(compare(seven.a, seven.b, of({"received", "latency.p99"})).verdict, Verdict::trade_off);
  EXPECT_EQ(compare(six.a, six.b, of({"received"})).figures.at(0).fewest, 6U);
}

TEST(Figures, may_each_have_a_threshold) {
  const FigureSides sides = blocks_with(12, {{"received", 1.001}, {"latency.p99", 1.02}});
  ComparisonSettings settings = of({"received", "latency.p99"});
  settings.threshold = 0.02;
  settings.figures[1].threshold = 0.1;
  const Comparison comparison = compare(sides.a, sides.b, settings);
  EXPECT_THAT(verdicts(comparison), Each(Verdict::equivalent));
  EXPECT_EQ(comparison.verdict, Verdict::equivalent);
  EXPECT_EQ(comparison.figures[0].threshold, 0.02);
  EXPECT_EQ(comparison.figures[1].threshold, 0.1);
  settings.figures[1].threshold = 0.01;
  EXPECT_EQ(compare(sides.a, sides.b, settings).verdict, Verdict::regression);
}

TEST(Figures, are_bounded_by_what_the_host_resolves_of_each) {
  const FigureSides sides = blocks_with(8, {{"received", 1.1}, {"latency.p99", 1.5}});
  ComparisonSettings settings = of({"received", "latency.p99"});
  settings.figures[1].resolution.settings = 1.6;
  const Comparison comparison = compare(sides.a, sides.b, settings);
  EXPECT_THAT(verdicts(comparison), ElementsAre(Verdict::improvement, Verdict::inconclusive));
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_FALSE(comparison.figures[0].resolution);
  EXPECT_THAT(comparison.figures[1].resolution, Optional(1.6));
  EXPECT_THAT(comparison.caveats,
              has_caveat("latency.p99: No verdict, since this host resolves 60 % at best"));
}

TEST(Figures, of_which_less_is_better_hold_without_the_noisy_blocks_as_others_do) {
  FigureSides sides = blocks_with(12, {{"received", 1.1}, {"latency.p99", 1.5}});
  for (std::size_t i = 0; i < 4; ++i) sides.b[i].flags = {"foreign-load"};  // of two blocks
  const Comparison comparison = compare(sides.a, sides.b, of({"received", "latency.p99"}));
  EXPECT_THAT(verdicts(comparison), ElementsAre(Verdict::improvement, Verdict::regression));
  EXPECT_THAT(comparison.caveats,
              has_caveat("Without the 8 runs of flagged blocks the verdict is the same."));
  // Of four blocks, the latency is longer by less than 1 %.
  for (std::size_t i = 0; i < 24; ++i)
    sides.b[i].figures["latency.p99"] = sides.a[i].figures["latency.p99"] * (i < 12 ? 1.005 : 1.02);
  for (std::size_t i = 0; i < 4; ++i) sides.b[i].figures["latency.p99"] = 3e6;
  ComparisonSettings settings = of({"received", "latency.p99"});
  settings.threshold = 1e-6;
  const Comparison noisy = compare(sides.a, sides.b, settings);
  EXPECT_THAT(verdicts(noisy), ElementsAre(Verdict::improvement, Verdict::regression)) << "0.5 % stay";
  settings.figures[1].threshold = 0.01;
  const Comparison judged = compare(sides.a, sides.b, settings);
  EXPECT_THAT(verdicts(judged), ElementsAre(Verdict::improvement, Verdict::inconclusive));
  EXPECT_THAT(judged.caveats,
              has_caveat("latency.p99: No verdict: it was regression. The sides differ in the noise of the "
                         "host: 0 of 24 runs of A are flagged; 4 of 24 runs of B are flagged (foreign-load). "
                         "Without the 8 runs of flagged blocks the verdict is inconclusive."));
}

TEST(Figures, that_were_measured_under_tracing_have_to_have_the_facts_of_a_trace_alike) {
  FigureSides sides = blocks_with(8, {{"received", 1.1}, {"latency.p99", 1.5}});
  for (auto* runs : {&sides.a, &sides.b}) {
    const bool is_b = runs == &sides.b;
    std::vector<ComparedRun> plain = *runs;
    for (ComparedRun& run : plain) run.figures.clear();
    for (ComparedRun& run : *runs) {
      run.trace.emplace();
      run.received_bits_per_second.reset();
    }
    give_facts(*runs,
               {{"trace", "tracer", is_b ? "function" : "function_graph"}, {"kernel", "release", "6.1"}});
    give_facts(plain, {{"trace", "tracer", "none"}, {"kernel", "release", "6.1"}});
    runs->insert(runs->end(), plain.begin(), plain.end());
  }
  ComparisonSettings settings = of({"received", "latency.p99"});
  settings.changed = {"kernel"};
  EXPECT_THAT(verdicts(compare(sides.a, sides.b, settings)), Each(Verdict::refused));
  settings = of({"received"});
  settings.changed = {"kernel"};
  EXPECT_EQ(compare(sides.a, sides.b, settings).verdict, Verdict::improvement) << "plain runs have no trace";
}

// Of 8 blocks. B has 20 % more of it.
FigureSides blocks_with_own(const NamedFigure& own) {
  FigureSides sides = blocks_with(8, {{"latency.p99", 1.2}});
  for (auto* runs : {&sides.a, &sides.b}) {
    for (ComparedRun& run : *runs) {
      run.own_figures = {{.name = "other", .unit = "s", .better = Better::lower, .value = 1}, own};
      run.own_figures.back().value = run.figures.at("latency.p99");
      run.figures.clear();
    }
  }
  return sides;
}

ComparisonSettings of_own(const char* name) {
  ComparisonSettings settings;
  settings.figures = {{.figure = parse_any_figure(name).value()}};
  return settings;
}

TEST(OwnFigures, are_judged_as_the_runs_tell_them) {
  const FigureSides more =
      blocks_with_own({.name = "requests", .unit = "per_second", .better = Better::higher});
  const Comparison faster = compare(more.a, more.b, of_own("requests"));
  EXPECT_EQ(faster.verdict, Verdict::improvement);
  ASSERT_EQ(faster.figures.size(), 1U);
  EXPECT_EQ(faster.figure, "requests");
  EXPECT_EQ(faster.figures[0].name, "requests");
  EXPECT_EQ(faster.figures[0].unit, "per_second");
  EXPECT_EQ(faster.figures[0].better, Better::higher);
  EXPECT_EQ(faster.figures[0].effect.n_a, 8U) << "a value for each run, in 8 blocks";
  EXPECT_NEAR(faster.figures[0].effect.ratio.value_or(0), 1.2, 0.02);
  const FigureSides worse = blocks_with_own({.name = "energy", .unit = "J", .better = Better::lower});
  const Comparison dearer = compare(worse.a, worse.b, of_own("energy"));
  EXPECT_EQ(dearer.verdict, Verdict::regression);
  EXPECT_EQ(dearer.figures[0].unit, "J");
}

TEST(OwnFigures, that_some_run_tells_otherwise_are_of_no_one_thing) {
  FigureSides sides = blocks_with_own({.name = "energy", .unit = "J", .better = Better::lower});
  for (const bool of_unit : {true, false}) {
    FigureSides mixed = sides;
    NamedFigure& odd = mixed.b[5].own_figures.back();
    if (of_unit) odd.unit = "mJ";
    if (!of_unit) odd.better = Better::higher;
    ComparisonSettings settings = of_own("energy");
    settings.despite = true;
    const Comparison comparison = compare(mixed.a, mixed.b, settings);
    EXPECT_EQ(comparison.verdict, Verdict::refused) << of_unit;
    EXPECT_THAT(
        comparison.caveats,
        has_caveat(of_unit
                       ? "gives energy in mJ (lower is better), and other runs give it in J (lower is better)"
                       : "gives energy in J (higher is better), and other runs"));
  }
  sides.a[3].own_figures.clear();
  EXPECT_EQ(compare(sides.a, sides.b, of_own("energy")).verdict, Verdict::regression) << "it tells nothing";
}

TEST(OwnFigures, never_stand_for_those_that_every_run_may_have) {
  const FigureSides sides = blocks_with_own({.name = "received", .unit = "J", .better = Better::lower});
  const Comparison comparison = compare(sides.a, sides.b, of({"received"}));
  EXPECT_EQ(comparison.verdict, Verdict::refused);
  EXPECT_EQ(comparison.figures[0].unit, "bits_per_second");
}

TEST(Figures, that_some_runs_lack_are_of_the_others) {
  FigureSides sides = blocks_with(9, {{"received", 1.1}, {"latency.p99", 1.5}});
  sides.a[0].figures.clear();
  sides.a[1].figures.clear();  // the whole side of the first block
  const Comparison comparison = compare(sides.a, sides.b, of({"received", "latency.p99"}));
  EXPECT_THAT(verdicts(comparison), ElementsAre(Verdict::improvement, Verdict::regression));
  EXPECT_EQ(comparison.figures[0].effect.n_a, 9U);
  EXPECT_EQ(comparison.figures[1].effect.n_a, 8U);
  EXPECT_THAT(comparison.caveats, has_caveat("In 2 of 18 runs of A, latency.p99 is not known"));
}

TEST(Figures, that_no_run_of_a_side_has_are_refused) {
  FigureSides sides = blocks_with(8, {{"received", 1.1}, {"latency.p99", 1.5}});
  for (ComparedRun& run : sides.b) run.figures.clear();
  const Comparison comparison = compare(sides.a, sides.b, of({"received", "latency.p99"}));
  EXPECT_THAT(verdicts(comparison), ElementsAre(Verdict::improvement, Verdict::refused));
  EXPECT_EQ(comparison.verdict, Verdict::refused);
  EXPECT_THAT(comparison.caveats,
              has_caveat("There is nothing to compare: no run of B tells its latency.p99."));
}

// A ratio of the other runs would be that of those alone that had some.
TEST(Figures, of_0_have_no_ratio) {
  FigureSides sides = blocks_with(9, {{"retransmits", 1.5}});
  sides.b[0].figures["retransmits"] = 0;
  const Comparison comparison = compare(sides.a, sides.b, of({"retransmits"}));
  EXPECT_EQ(comparison.verdict, Verdict::refused);
  EXPECT_THAT(comparison.caveats, has_caveat("In 1 of 18 runs of B, retransmits is not above 0"));
  ComparisonSettings despite = of({"retransmits"});
  despite.despite = true;
  EXPECT_EQ(compare(sides.a, sides.b, despite).verdict, Verdict::regression);
}

TEST(Figures, share_what_is_said_of_all_of_them) {
  FigureSides sides = blocks_with(8, {{"received", 1.1}, {"latency.p99", 1.5}});
  for (ComparedRun& run : sides.a) run.block = 0;
  for (ComparedRun& run : sides.b) run.block = 0;
  sides.a[0].flags = {"foreign-load"};
  const Comparison comparison = compare(sides.a, sides.b, of({"received", "latency.p99"}));
  int order = 0;
  for (const std::string& caveat : comparison.caveats) order += caveat.starts_with("Not interleaved") ? 1 : 0;
  EXPECT_EQ(order, 1);
  EXPECT_THAT(comparison.caveats, Not(has_caveat("received: ")));
}

TEST(Figures, differ_in_undeclared_facts_as_one) {
  FigureSides sides = blocks_with(8, {{"received", 1.1}, {"latency.p99", 1.5}});
  give_facts(sides.a, {{"nic", "eth0 gro", "on"}, {"kernel", "release", "6.1"}});
  give_facts(sides.b, {{"nic", "eth0 gro", "off"}, {"kernel", "release", "6.2"}});
  ComparisonSettings settings = of({"received", "latency.p99"});
  EXPECT_THAT(verdicts(compare(sides.a, sides.b, settings)), Each(Verdict::refused));
  settings.despite = true;
  EXPECT_EQ(compare(sides.a, sides.b, settings).verdict, Verdict::trade_off);
}

}  // namespace
}  // namespace netperfd::analysis
