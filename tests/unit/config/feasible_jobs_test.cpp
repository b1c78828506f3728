// SPDX-License-Identifier: GPL-2.0-or-later
// Texts of jobs that cannot end in an answer, and the same with the advice followed.
#include <gmock/gmock.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "daemon/config/job_reader.hpp"
#include "daemon/core/queue/feasibility.hpp"
#include "tests/unit/config/support.hpp"

namespace netperfd::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

JobSpec read(const std::string& text, core::JobOptions options = {}) {
  auto spec = read_job({.text = text, .origin = "job.yaml", .expected_name = {}, .commands_refused = {}},
                       std::move(options), {});
  if (!spec) throw std::runtime_error(spec.error().message);
  return std::move(*spec);
}

std::vector<std::string> reasons(const std::string& text, std::vector<std::string> overrides = {}) {
  return core::why_no_answer(read(text, {.overrides = std::move(overrides), .label = {}, .repeat = {}}));
}

std::string probing(const std::string& keys, const std::string& figures) {
  return "name: job\nworkload: {latency: {server: h, " + keys + "}}\nfigures: [" + figures + "]\n";
}

std::string loaded(const std::string& duration, const std::string& keys, const std::string& figures) {
  return "name: job\nworkload: {iperf3: {server: h, duration: " + duration + "}}\nwith: {latency: {" + keys +
         "}}\nfigures: [" + figures + "]\n";
}

std::string sockperf(const std::string& keys, const std::string& figures) {
  return "name: job\nworkload: {sockperf: {server: h, " + keys + "}}\nfigures: [" + figures + "]\n";
}

// Ten values lie beyond the 99th percentile of 1,000; the advice is for 1,100.
TEST(FeasiblePercentiles, take_their_answers_from_the_probes_alone) {
  const std::string text = probing("duration: 4s", "latency.p99, latency.p90");
  EXPECT_THAT(
      reasons(text),
      ElementsAre("figure latency.p99 takes 1000 answers, and a run has 800 at most, 200 a second for 4 "
                  "s: set `workload.latency.duration: 6s`"));
  EXPECT_THAT(reasons(text, {"workload.latency.duration=6s"}), IsEmpty());
  EXPECT_THAT(reasons(text, {"workload.latency.duration=5s"}), IsEmpty()) << "if none is lost";
  EXPECT_THAT(reasons(probing("duration: 54s", "latency.p999")), IsEmpty());
  EXPECT_THAT(reasons(probing("duration: 49s", "latency.p999")), ElementsAre(HasSubstr("duration: 55s")));
  EXPECT_THAT(reasons(probing("duration: 1s, probes: [{protocol: udp, rate: 19}]", "latency.p50")),
              ElementsAre(HasSubstr("takes 20 answers, and a run has 19 at most")));
  EXPECT_THAT(
      reasons(probing("duration: 1s, probes: [{protocol: udp, rate: 1}]", "latency.mean, latency.max")),
      IsEmpty());
}

TEST(FeasiblePercentiles, take_the_probe_and_the_phase_that_they_name) {
  const std::string probes =
      "idle: 2s, probes: [{protocol: udp, rate: 600}, {name: slow, protocol: udp, rate: 5}]";
  EXPECT_THAT(reasons(loaded("2s", probes, "latency.p99, latency.idle.p99")), IsEmpty());
  const std::string slow = loaded("2s", probes, "latency.slow.p99");
  EXPECT_THAT(
      reasons(slow),
      ElementsAre("figure latency.slow.p99 takes 1000 answers, and a run has 10 at most, 5 a second for "
                  "2 s: set `workload.iperf3.duration: 220s`"));
  EXPECT_THAT(reasons(slow, {"workload.iperf3.duration=220s"}), IsEmpty());
  const std::string bloat = loaded("2s", "idle: 2s, probes: [{protocol: udp, rate: 5}]", "latency.bloat");
  EXPECT_THAT(
      reasons(bloat),
      ElementsAre("figure latency.bloat takes 1000 answers in the phase load, and a run has 10 at most, "
                  "5 a second for 2 s: set `workload.iperf3.duration: 220s`",
                  "figure latency.bloat takes 20 answers in the phase idle, and a run has 10 at most, 5 "
                  "a second for 2 s: set `with.latency.idle: 5s`"));
  EXPECT_THAT(reasons(bloat, {"workload.iperf3.duration=220s", "with.latency.idle=5s"}), IsEmpty());
}

TEST(FeasiblePercentiles, take_more_requests_if_no_phase_can_be_long_enough) {
  const std::string probe = "probes: [{protocol: udp, rate: 1}]";
  const std::string idle = loaded("2s", "idle: 2s, " + probe, "latency.idle.p99");
  EXPECT_THAT(reasons(idle), ElementsAre(HasSubstr("set `with.latency.probes[].rate: 550`")));
  EXPECT_THAT(reasons(idle, {"with.latency.probes=[{protocol: udp, rate: 550}]"}), IsEmpty());
  const std::string both = loaded("2s", "idle: 500ms, " + probe, "latency.idle.p999");
  EXPECT_THAT(reasons(both), ElementsAre(HasSubstr("set `with.latency.idle: 600s` and "
                                                   "`with.latency.probes[].rate: 19`")));
  EXPECT_THAT(reasons(both, {"with.latency.idle=600s", "with.latency.probes=[{protocol: udp, rate: 19}]"}),
              IsEmpty());
}

TEST(FeasiblePercentiles, take_their_answers_from_a_tool_that_sends_at_a_rate) {
  const std::string text = sockperf("test: under-load, duration: 3s", "half_round_trip.p99");
  EXPECT_THAT(reasons(text),
              ElementsAre("figure half_round_trip.p99 takes 1000 answers, and a run has 300 at most, 100 a "
                          "second for 3 s: set `workload.sockperf.duration: 11s`"))
      << "one of 100 messages is answered, of 10,000 a second";
  EXPECT_THAT(reasons(text, {"workload.sockperf.duration=11s"}), IsEmpty());
  EXPECT_THAT(reasons(text, {"workload.sockperf.reply_every=10"}), IsEmpty());
  EXPECT_THAT(reasons(sockperf("test: ping-pong, rate: 10, duration: 1s", "half_round_trip.p50")),
              ElementsAre(HasSubstr("takes 20 answers, and a run has 10 at most, 10 a second for 1 s: set "
                                    "`workload.sockperf.duration: 3s`")));
  EXPECT_THAT(reasons(sockperf("test: ping-pong, duration: 1s", "half_round_trip.p99999")), IsEmpty())
      << "how many come, nobody knows";
  EXPECT_THAT(reasons("name: job\nworkload: {netperf: {test: TCP_RR, server: h, duration: 1s}}\nfigures: "
                      "[round_trip.p99]\n"),
              IsEmpty());
}

TEST(FeasiblePercentiles, are_those_of_each_side_that_sets_keys) {
  const std::string text =
      "name: job\nrepeat: 6\nworkload: {sockperf: {test: under-load, server: h, duration: "
      "3s}}\nfigures: [half_round_trip.p90]\ndesign: {a: {set: {rate: 100}}, b: {set: "
      "{rate: 20000}}}\n";
  EXPECT_THAT(reasons(text),
              ElementsAre(HasSubstr("1 a second for 3 s: set `workload.sockperf.duration: 110s`")));
  EXPECT_THAT(reasons(text, {"workload.sockperf.duration=110s"}), IsEmpty());
}

// The longest durations, the lowest rates and the highest numbers that texts may have.
TEST(FeasiblePercentiles, of_extreme_values_are_known_at_once) {
  const std::clock_t begun = std::clock();  // CPU time, whatever else runs
  EXPECT_THAT(
      reasons(sockperf("test: under-load, duration: 23h, rate: 1, reply_every: 10000000",
                       "half_round_trip.p99999")),
      ElementsAre("figure half_round_trip.p99999 takes 1000000 answers, and a run has 1 at most, 0.0000001 a "
                  "second for 23 h: even a run of 23 h has too few, so have more answered in a second, or "
                  "take a lower percentile"));
  EXPECT_THAT(reasons(probing("duration: 23h, interval: 1min, probes: [{protocol: udp, rate: 10000}]",
                              "latency.p999")),
              IsEmpty());
  for (const char* repeat : {"4294967295", "4294967296", "18446744073709551616", "-1", "1001"}) {
    const auto refused = read_job({.text = std::string("name: job\nworkload: {iperf3: {server: h, duration: "
                                                       "1s}}\nrepeat: ") +
                                           repeat + "\ndesign: {a: {}, b: {}}\n",
                                   .origin = "job.yaml",
                                   .expected_name = {},
                                   .commands_refused = {}},
                                  {}, {});
    ASSERT_FALSE(refused) << repeat;
    EXPECT_THAT(refused.error().message, HasSubstr("repeat")) << repeat;
  }
  EXPECT_LT(std::clock() - begun, 5 * CLOCKS_PER_SEC);
}

TEST(FeasibleScenarios, are_all_shipped_ones) {
  std::size_t scenarios = 0;
  for (const auto& file : std::filesystem::directory_iterator(source_root() / "daemon/config/scenarios.d")) {
    ++scenarios;
    const std::string text = contents(file.path());
    EXPECT_THAT(reasons(text), IsEmpty()) << file.path();
    const JobSpec spec = read(text);
    if (!spec.workload.ends_by_itself) continue;
    for (const JobPurpose purpose : {JobPurpose::pilot, JobPurpose::selftest}) {
      EXPECT_THAT(
          core::why_no_answer(read(text, {.overrides = {}, .label = {}, .repeat = {}, .purpose = purpose})),
          IsEmpty())
          << file.path();
    }
  }
  EXPECT_GT(scenarios, 15U);
}

// `netperfctl ab`: `repeat` of the text was meant for runs.
TEST(NewSides, get_as_many_blocks_as_the_figures_take) {
  const std::string text = "name: job\nrepeat: 3\nworkload: {iperf3: {server: h, duration: 1s}}\n";
  const std::vector<std::string> sides{"design.a.set.streams=1", "design.b.set.streams=8"};
  const JobSpec one = read(text, {.overrides = sides, .label = {}, .repeat = {}});
  EXPECT_EQ(one.repeat, 6U);
  EXPECT_THAT(one.text, HasSubstr("repeat: 6")) << "as it is read after a restart";
  const std::string two = text + "figures: [received, cpu]\n";
  EXPECT_EQ(read(two, {.overrides = sides, .label = {}, .repeat = {}}).repeat, 7U);
  EXPECT_THAT(reasons(two, sides), IsEmpty());
  EXPECT_EQ(read(two, {.overrides = sides, .label = {}, .repeat = 2}).repeat, 2U);
  auto told = sides;
  told.emplace_back("repeat=4");
  EXPECT_THAT(reasons(two, told), ElementsAre(HasSubstr("Set `repeat: 7`")));
  EXPECT_EQ(read(two).repeat, 3U);
}

}  // namespace
}  // namespace netperfd::config
