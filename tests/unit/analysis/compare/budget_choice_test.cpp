// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/budget_choice.hpp"

#include <gmock/gmock.h>

#include <random>

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Names = std::vector<std::string>;

Names names(const BudgetChoice& choice, bool traced) {
  Names found;
  for (const auto& function : choice.functions) {
    if (function.traced == traced) found.push_back(function.function);
  }
  return found;
}

// A second of a CPU in which the tracer took 400 ms: 600 ms of work.
CallCount a_count() {
  return {.calls = {{"hot", 300'000}, {"warm", 90'000}, {"cold", 10'000}},
          .uncalled = 5,
          .records = 800'000,
          .lost = 0,
          .busy_ns = 1e9,
          .reading_ns = 0,
          .call_ns = 1'000,
          .window_s = 1};
}

TEST(BudgetChoice, takes_the_functions_with_the_fewest_calls_while_their_share_fits) {
  const BudgetChoice choice = choose_functions({a_count()}, 0.2);
  EXPECT_THAT(names(choice, true), ElementsAre("warm", "cold"));
  EXPECT_THAT(names(choice, false), ElementsAre("hot"));
  EXPECT_NEAR(choice.predicted, 100.0 / 700, 1e-12) << "100 ms for 600 ms of work";
  EXPECT_EQ(choice.functions.front().function, "hot") << "what is left out comes first";
  EXPECT_EQ(choice.functions.front().calls, 300'000U);
  EXPECT_NEAR(choice.functions.front().cost, 0.5, 1e-12);
}

TEST(BudgetChoice, takes_all_at_the_share_that_they_have_and_at_100_percent) {
  EXPECT_THAT(names(choose_functions({a_count()}, 0.4), false), IsEmpty());
  EXPECT_THAT(names(choose_functions({a_count()}, 0.399), false), ElementsAre("hot"));
  EXPECT_THAT(names(choose_functions({a_count()}, 1), false), IsEmpty());
  EXPECT_NEAR(choose_functions({a_count()}, 1).predicted, 0.4, 1e-12) << "the share of the count itself";
}

TEST(BudgetChoice, leaves_out_all_that_were_called_where_others_are_left_to_trace) {
  EXPECT_THAT(names(choose_functions({a_count()}, 0.001), true), IsEmpty());
  EXPECT_EQ(choose_functions({a_count()}, 0.001).predicted, 0);
  CallCount all_called = a_count();
  all_called.uncalled = 0;
  const BudgetChoice choice = choose_functions({all_called}, 0.001);
  EXPECT_THAT(names(choice, true), ElementsAre("cold")) << "a trace needs a function";
  EXPECT_GT(choice.predicted, 0.001);
}

TEST(BudgetChoice, counts_calls_whose_records_were_lost) {
  CallCount lossy = a_count();
  lossy.records = 400'000;
  lossy.lost = 100'000;
  const BudgetChoice choice = choose_functions({lossy}, 0.9);
  EXPECT_EQ(choice.functions.front().calls, 375'000U) << "a quarter more than was recorded";
  EXPECT_NEAR(choice.predicted, 0.5, 1e-12) << "500,000 calls took half of the second";
}

TEST(BudgetChoice, weighs_a_function_by_the_side_where_it_costs_more) {
  CallCount other = a_count();
  other.calls = {{"hot", 1'000}, {"warm", 10'000}, {"cold", 200'000}, {"own", 1'000}};
  other.records = 424'000;
  const BudgetChoice choice = choose_functions({a_count(), other}, 0.2);
  EXPECT_THAT(names(choice, false), ElementsAre("hot", "cold"));
  EXPECT_THAT(names(choice, true), ElementsAre("warm", "own"));
  EXPECT_EQ(choose_functions({a_count(), other}, 0.2).functions,
            choose_functions({other, a_count()}, 0.2).functions);
}

TEST(BudgetChoice, treats_the_clones_of_a_function_as_one) {
  CallCount other = a_count();
  other.calls = {{"hot.isra.0", 250'000}, {"hot.cold", 50'000}, {"warm.part.1", 90'000}};
  const BudgetChoice choice = choose_functions({a_count(), other}, 0.2);
  EXPECT_THAT(names(choice, false), ElementsAre("hot"));
  EXPECT_THAT(names(choice, true), ElementsAre("warm", "cold"));
}

TEST(BudgetChoice, counts_what_netperfd_takes_to_read_the_records) {
  CallCount read = a_count();
  read.reading_ns = 2e8;
  const BudgetChoice choice = choose_functions({read}, 1);
  EXPECT_NEAR(choice.predicted, 0.5, 1e-12)
      << "400 ms of the tracer and 200 ms of netperfd, for 600 ms of work";
  EXPECT_NEAR(choice.functions.front().cost, 0.75, 1e-12) << "hot has three quarters of the calls";
}

TEST(BudgetChoice, is_corrected_by_a_second_count_where_a_call_costs_more_than_was_calibrated) {
  // A second of a CPU. A unit of work calls hot 30 times, warm 9 times and cold once; a call takes 1,100 ns.
  const auto second_of_cpu = [](double work, double calls) {
    return CallCount{
        .calls = {{"warm", static_cast<std::uint64_t>(9 * work)}, {"cold", static_cast<std::uint64_t>(work)}},
        .uncalled = 5,
        .records = static_cast<std::uint64_t>(2 * calls * work),
        .lost = 0,
        .busy_ns = work * (20'000 + calls * 1'100),
        .reading_ns = 0,
        .call_ns = 1'000,
        .window_s = 1};
  };
  CallCount all = second_of_cpu(10'000, 40);
  all.calls["hot"] = 300'000;
  const double truth = 10 * 1'000.0 / 20'000;  // warm and cold, at the calibrated cost

  std::vector<CallCount> sides{all};
  const double first = choose_functions(sides, 0.4).predicted;
  correct(sides, second_of_cpu(20'000, 10));
  const BudgetChoice choice = choose_functions(sides, 0.4);
  EXPECT_THAT(names(choice, true), ElementsAre("warm", "cold"));
  const double error = std::abs(choice.predicted - truth / (1 + truth));
  EXPECT_LT(error, 0.02);
  EXPECT_LT(error, 0.4 * std::abs(first - truth / (1 + truth)));
}

TEST(BudgetChoice, is_corrected_by_what_a_record_takes_among_few) {
  std::vector<CallCount> sides{a_count()};
  CallCount second = a_count();
  second.calls.erase("hot");
  second.records = 200'000;
  second.busy_ns = 7e8;
  second.reading_ns = 5e7;
  correct(sides, second);
  EXPECT_NEAR(choose_functions(sides, 1).functions.front().cost, (300 + 150) / 600.0, 1e-9)
      << "250 ns to read a record; the work is the same";
}

TEST(TracerShare, is_what_the_calls_and_their_reading_took_of_the_runs_cpu_time) {
  TraceRecord trace;
  FunctionProfile& profile = trace.profile.emplace();
  profile.functions.resize(2);
  profile.functions[0].hits = 300'000;
  profile.functions[1].hits = 100'000;
  std::vector<CounterDelta> counters{{"cpu", "", "busy", 1'200'000'000, "ns"},
                                     {"noise", "", "others", 0, "ns"},
                                     {"noise", "", "netperfd", 200'000'000, "ns"}};
  trace.reading_ns = 200'000'000;
  EXPECT_FALSE(tracer_share(trace, counters)) << "the cost of a call is not known";
  profile.calibration = Calibration{.entry_ns = 600, .callee_ns = 400, .calls = 300};
  EXPECT_NEAR(*tracer_share(trace, counters), 0.5, 1e-12);
  trace.reading_ns.reset();
  EXPECT_FALSE(tracer_share(trace, counters)) << "what reading took is not known";
  trace.reading_ns = 200'000'000;
  counters.erase(counters.begin());
  EXPECT_FALSE(tracer_share(trace, counters)) << "the CPU time is not known";
}

TEST(BudgetChoice, is_careful_where_the_tracer_seems_to_have_taken_all_of_the_time) {
  CallCount odd = a_count();
  odd.call_ns = 5'000;
  const BudgetChoice choice = choose_functions({odd}, 0.2);
  EXPECT_THAT(names(choice, true), IsEmpty()) << "cold: 50 ms for 100 ms of work";
  EXPECT_THAT(names(choose_functions({odd}, 0.34), true), ElementsAre("cold"));
}

TEST(BudgetChoice, is_as_large_as_any_set_that_fits) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    CallCount count{.calls = {},
                    .uncalled = 1,
                    .records = 1,
                    .lost = 0,
                    .busy_ns = 1e9,
                    .reading_ns = 0,
                    .call_ns = 900,
                    .window_s = 1};
    const auto functions = 1 + random() % 8;
    for (std::size_t i = 0; i < functions; ++i)
      count.calls[std::string(1, static_cast<char>('a' + i))] = random() % 200'000;
    const double share = 0.01 + 0.9 * static_cast<double>(random() % 1'000) / 1'000;
    const BudgetChoice choice = choose_functions({count}, share);
    ASSERT_LE(choice.predicted, share);
    std::size_t largest = 0;
    for (unsigned set = 0; set < (1U << functions); ++set) {
      double cost = 0;
      std::size_t size = 0;
      for (std::size_t i = 0; i < functions; ++i) {
        if ((set >> i & 1U) == 0) continue;
        cost += choice.functions[i].cost;
        ++size;
      }
      if (cost / (1 + cost) <= share) largest = std::max(largest, size);
    }
    ASSERT_EQ(names(choice, true).size(), largest) << "round " << round;
  }
}

}  // namespace
}  // namespace netperfd::analysis
