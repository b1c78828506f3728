// SPDX-License-Identifier: GPL-2.0-or-later
// What the prober wrote becomes figures whose truth is known: all values of a long run, drawn here.
#include "daemon/workload/latency/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "daemon/analysis/calls/histogram.hpp"

namespace netperfd::workload {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

using Values = std::vector<std::uint64_t>;

const LatencyOrder kOrder{.probes = {"voice"}, .phases = {"idle", "load", "after"}};
constexpr const char* kStart =
    R"({"event":"start","version":1,"server":"s","port":1,"client":"c","same_clock":true,"timeout_ms":2000,)"
    R"("interval_ms":1000,"greeting_s":0.5,"probes":[{"protocol":"udp","rate":100,"length":64,"dscp":46}]})"
    "\n";
constexpr const char* kEnd =
    R"({"event":"end","at_s":9.0,"probes":[{"timestamps":"kernel","clock_steps":0,"foreign_packets":0}]})"
    "\n";

std::string span_of(const Values& values) {
  analysis::HistogramCounter counter;
  std::uint64_t sum = 0;
  for (const std::uint64_t value : values) {
    counter.add(value);
    sum += value;
  }
  const Histogram histogram = counter.histogram();
  std::vector<std::string> buckets;
  for (const auto& [bucket, count] : histogram.buckets)
    buckets.push_back(fmt::format("[{},{}]", bucket, count));
  return fmt::format(R"({{"count":{},"sum_ns":{},"min_ns":{},"max_ns":{},"buckets":[{}]}})", values.size(),
                     sum, values.empty() ? 0 : *std::ranges::min_element(values),
                     values.empty() ? 0 : *std::ranges::max_element(values), fmt::join(buckets, ","));
}

struct Sent {
  std::size_t phase = 0;
  double start_s = 0, end_s = 1;
  Values round_trips;
  std::uint64_t lost = 0, missed = 0, late_sends = 0;
};

std::string interval(const Sent& sent) {
  return fmt::format(
      R"({{"event":"interval","probe":0,"phase":{},"start_s":{},"end_s":{},"sent":{},"missed":{},)"
      R"("late_sends":{},"max_send_delay_ns":7,"received":{},"lost":{},"late":1,"duplicates":2,)"
      R"("reordered":3,"jitter_sum_ns":100,"jitter_count":4,"spans":{{"round-trip":{}}}}})"
      "\n",
      sent.phase, sent.start_s, sent.end_s, sent.round_trips.size() + sent.lost, sent.missed, sent.late_sends,
      sent.round_trips.size(), sent.lost, span_of(sent.round_trips));
}

constexpr const char* kChange = R"({"event":"phase","phase":1,"at_s":1.0})"
                                "\n";

ParsedLatency parse(const std::string& lines) {
  return parse_latency(kStart + lines + kChange + kChange + kEnd, kOrder);
}

// As latencies are: a mode, and a long tail.
Values drawn(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> distribution(std::log(80'000.0), 0.7);
  Values values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<std::uint64_t>(distribution(random)));
  return values;
}

// The value at or below which that share of the values lies.
double exact(const Values& sorted, double fraction) {
  const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  return static_cast<double>(sorted.at(std::max<std::size_t>(rank, 1) - 1));
}

TEST(LatencyReport, has_the_percentiles_of_a_million_values_in_a_hundred_intervals_within_a_bucket) {
  const Values all = drawn(1'000'000, 11);
  std::string lines;
  for (std::size_t i = 0; i < 100; ++i) {
    lines += interval({.phase = 1,
                       .start_s = static_cast<double>(i),
                       .end_s = static_cast<double>(i) + 1,
                       .round_trips = Values(all.begin() + static_cast<std::ptrdiff_t>(i * 10'000),
                                             all.begin() + static_cast<std::ptrdiff_t>((i + 1) * 10'000))});
  }
  const ParsedLatency parsed = parse(lines);
  ASSERT_THAT(parsed.error, IsEmpty());
  ASSERT_EQ(parsed.report.spans.size(), 1U);
  const rows::LatencySpan& span = parsed.report.spans[0].figures;
  EXPECT_EQ(span.count, all.size());
  EXPECT_EQ(span.min_ns, *std::ranges::min_element(all));
  EXPECT_EQ(span.max_ns, *std::ranges::max_element(all));
  Values sorted = all;
  std::ranges::sort(sorted);
  const std::pair<double, std::optional<std::uint64_t>> percentiles[] = {
      {0.5, span.p50_ns}, {0.9, span.p90_ns}, {0.99, span.p99_ns}, {0.999, span.p999_ns}};
  for (const auto& [fraction, value] : percentiles) {
    ASSERT_TRUE(value) << fraction;
    // A bucket is up to 1/32 of its values wide; of so many values the place within it is known far better.
    EXPECT_NEAR(static_cast<double>(*value) / exact(sorted, fraction), 1, 0.004) << fraction;
  }
}

TEST(LatencyReport, merges_intervals_to_the_histogram_of_all_values) {
  const Values all = drawn(3'000, 12);
  const Values first(all.begin(), all.begin() + 1'000), rest(all.begin() + 1'000, all.end());
  const ParsedLatency parts =
      parse(interval({.round_trips = first}) + interval({.start_s = 1, .end_s = 2, .round_trips = rest}));
  const ParsedLatency whole = parse(interval({.end_s = 2, .round_trips = all}));
  ASSERT_EQ(parts.report.spans.size(), 1U);
  EXPECT_EQ(parts.report.spans[0].histogram, whole.report.spans[0].histogram);
  EXPECT_EQ(parts.report.spans[0].figures, whole.report.spans[0].figures);
}

TEST(LatencyReport, tells_a_percentile_only_if_ten_values_lie_beyond_it) {
  const auto figures = [](std::size_t count) {
    return parse(interval({.round_trips = drawn(count, 13)})).report.spans.at(0).figures;
  };
  EXPECT_FALSE(figures(19).p50_ns);
  EXPECT_TRUE(figures(20).p50_ns);
  EXPECT_FALSE(figures(99).p90_ns);
  EXPECT_TRUE(figures(100).p90_ns);
  EXPECT_FALSE(figures(999).p99_ns);
  EXPECT_TRUE(figures(1'000).p99_ns);
  EXPECT_FALSE(figures(9'999).p999_ns);
  EXPECT_TRUE(figures(10'000).p999_ns);
}

TEST(LatencyReport, tells_a_percentile_of_an_interval_only_if_ten_values_lie_beyond_it) {
  const auto figures = [](std::size_t count) {
    return parse(interval({.round_trips = drawn(count, 13)})).report.intervals.at(0);
  };
  EXPECT_FALSE(figures(19).p50_ns);
  EXPECT_TRUE(figures(20).p50_ns);
  EXPECT_FALSE(figures(200).p99_ns);
  EXPECT_FALSE(figures(999).p99_ns);
  EXPECT_TRUE(figures(1'000).p99_ns);
  EXPECT_TRUE(figures(1).max_ns);
}

TEST(LatencyReport, counts_each_phase_apart_and_from_the_release) {
  const ParsedLatency parsed = parse(
      interval({.phase = 0, .start_s = 0, .end_s = 1, .round_trips = {100, 100}, .lost = 1, .missed = 2}) +
      interval({.phase = 1, .start_s = 1, .end_s = 2, .round_trips = {500}}) +
      interval({.phase = 1, .start_s = 2, .end_s = 3, .round_trips = {700, 700}, .lost = 2}));
  ASSERT_EQ(parsed.report.phases.size(), 2U);
  const rows::LatencyPhase& idle = parsed.report.phases[0];
  EXPECT_EQ(idle.phase, "idle");
  EXPECT_EQ(idle.start_s, 0.5) << "the release, the greeting, and then time 0 of the prober";
  EXPECT_EQ(idle.sent, 3U);
  EXPECT_EQ(idle.lost, 1U);
  EXPECT_EQ(idle.missed, 2U);
  EXPECT_EQ(idle.jitter_ns, 25U);
  const rows::LatencyPhase& load = parsed.report.phases[1];
  EXPECT_EQ(load.phase, "load");
  EXPECT_EQ(load.sent, 5U);
  EXPECT_EQ(load.received, 3U);
  EXPECT_EQ(load.end_s, 3.5);
  EXPECT_EQ(load.duplicates, 4U);
  ASSERT_EQ(parsed.report.intervals.size(), 3U);
  EXPECT_EQ(parsed.report.intervals[2].max_ns, 700U);
}

TEST(LatencyReport, adds_what_is_left_over_at_the_end_of_a_phase_to_its_last_interval) {
  const ParsedLatency parsed =
      parse(interval({.phase = 0, .start_s = 0, .end_s = 1, .round_trips = {100}}) +
            interval({.phase = 0, .start_s = 1, .end_s = 1.2, .round_trips = {900}}) +
            interval({.phase = 1, .start_s = 1.2, .end_s = 1.3, .round_trips = {300}}));
  ASSERT_EQ(parsed.report.intervals.size(), 2U);
  EXPECT_EQ(parsed.report.intervals[0].end_s, 1.7);
  EXPECT_EQ(parsed.report.intervals[0].max_ns, 900U);
  EXPECT_EQ(parsed.report.intervals[1].phase, "load") << "a phase of its own, however short";
}

TEST(LatencyReport, flags_a_prober_that_was_held_up) {
  const ParsedLatency fine = parse(interval({.round_trips = Values(990, 100), .missed = 5, .late_sends = 4}));
  EXPECT_THAT(fine.flags, IsEmpty());
  const ParsedLatency held = parse(interval({.round_trips = Values(500, 100), .missed = 500}));
  ASSERT_EQ(held.flags.size(), 1U);
  EXPECT_EQ(held.flags[0].code, "probes-late");
  EXPECT_THAT(held.flags[0].message, HasSubstr("voice (idle): 500 of 1000 requests were not sent"));
}

TEST(LatencyReport, repeats_the_error_of_the_prober) {
  const ParsedLatency parsed =
      parse_latency(R"({"event":"error","message":"no answer from 10.0.0.2 port 5202 (udp) within 2 s"})"
                    "\n",
                    kOrder);
  EXPECT_THAT(parsed.error, testing::StartsWith("no answer from 10.0.0.2"));
}

TEST(LatencyReport, is_an_error_if_the_output_is_cut_short_but_keeps_what_came) {
  const std::string whole = kStart + interval({.round_trips = {100}});
  for (const std::string& lines : {whole, whole + "{\"event\":\"in", std::string()}) {
    const ParsedLatency parsed = parse_latency(lines, kOrder);
    EXPECT_THAT(parsed.error, testing::Not(IsEmpty()));
  }
  EXPECT_EQ(parse_latency(whole, kOrder).report.phases.size(), 1U);
}

TEST(LatencyReport, is_an_error_if_the_prober_missed_a_change_of_the_phase) {
  const ParsedLatency parsed =
      parse_latency(kStart + interval({.round_trips = {100}}) + kChange + kEnd, kOrder);
  EXPECT_THAT(parsed.error, HasSubstr("1 of 2 changes of the phase"));
}

TEST(LatencyReport, counts_lines_that_contradict_themselves_and_uses_none_of_them) {
  const std::string good = interval({.round_trips = {100}});
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string line = good;
    line.replace(line.find(from), from.size(), to);
    return line;
  };
  for (const std::string& bad :
       {std::string("nonsense\n"), std::string("[]\n"), changed(R"("sent":1)", R"("sent":2)"),
        changed(R"("probe":0)", R"("probe":1)"), changed(R"("phase":0)", R"("phase":3)"),
        changed(R"("sent":1)", R"("sent":-1)"), changed(R"("count":1)", R"("count":2)"),
        changed(R"("spans":{)", R"("spans":[],"x":{)"),
        changed(R"("buckets":[[)", R"("buckets":[[99999,1],[)")}) {
    const ParsedLatency parsed = parse(good + bad);
    EXPECT_THAT(parsed.error, IsEmpty()) << bad;
    ASSERT_EQ(parsed.flags.size(), 1U) << bad;
    EXPECT_EQ(parsed.flags[0].code, "latency-unreadable");
    EXPECT_EQ(parsed.report.spans.at(0).figures.count, 1U) << bad;
  }
}

TEST(LatencyReport, survives_any_bytes) {
  const std::string whole = kStart + interval({.round_trips = drawn(50, 14)}) + kEnd;
  std::mt19937_64 random(15);
  for (int i = 0; i < 3'000; ++i) {
    std::string damaged = whole;
    for (int j = 0; j < 3; ++j) damaged[random() % damaged.size()] = static_cast<char>(random());
    (void)parse_latency(damaged, kOrder);
  }
}

}  // namespace
}  // namespace netperfd::workload
