// SPDX-License-Identifier: GPL-2.0-or-later
// The keys `workload.latency` and `with.latency`.
#include <gmock/gmock.h>

#include <chrono>
#include <string>

#include "daemon/config/job_reader.hpp"

namespace netperfd::config {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* kPlace = "netns: left, local: {netns: right, bind: 10.0.0.2}";

Result<JobSpec> read(const std::string& text) {
  return read_job(
      {.text = "name: voice\n" + text, .origin = "voice.yaml", .expected_name = {}, .commands_refused = {}},
      {}, {});
}
Result<JobSpec> alone(const std::string& more) {
  return read("workload: {latency: {" + std::string(kPlace) + more + "}}\n");
}
Result<JobSpec> beside(const std::string& latency) {
  return read("workload: {iperf3: {" + std::string(kPlace) +
              ", duration: 5s, omit: 1s}}\nwith: {latency: " + latency + "}\n");
}
std::string error_of(const Result<JobSpec>& job) {
  return job ? "no error" : job.error().message;
}

TEST(JobLatency, alone_has_its_place_and_one_probe_if_it_names_none) {
  const auto job = alone(", duration: 7s");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->workload.name, "latency");
  EXPECT_EQ(job->test.path.netns, "left");
  EXPECT_EQ(job->test.path.server, "10.0.0.2");
  ASSERT_TRUE(job->test.path.local);
  EXPECT_EQ(job->test.path.local->netns, "right");
  EXPECT_EQ(job->test.path.server_wait, 0ms);
  ASSERT_TRUE(job->latency);
  EXPECT_EQ(job->latency->duration, 7s);
  EXPECT_EQ(job->latency->port, 5202);
  ASSERT_EQ(job->latency->probes.size(), 1U);
  EXPECT_EQ(job->latency->probes[0], (ProbeSpec{.name = "udp"}));
  EXPECT_EQ(job->limits.timeout, 7s + 20s + 2 * 2s);
}

TEST(JobLatency, reads_every_key) {
  const auto job = read(
      "workload: {latency: {server: host, server_wait: 3s, netns: n, bind: 10.0.0.1, ip_version: 4, "
      "duration: 2s, "
      "port: 99, timeout: 250ms, interval: 200ms, probes: [tcp, {protocol: icmp, name: ping, rate: 7, "
      "length: 100, "
      "dscp: af11}]}}\n");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->test.path.server, "host");
  EXPECT_EQ(job->test.path.server_wait, 3s);
  EXPECT_EQ(job->test.path.bind, "10.0.0.1");
  EXPECT_EQ(job->test.path.ip_version, IpVersion::v4);
  EXPECT_EQ(
      *job->latency,
      (LatencySpec{
          .port = 99,
          .duration = 2s,
          .timeout = 250ms,
          .interval = 200ms,
          .probes = {{.name = "tcp", .protocol = "tcp"},
                     {.name = "ping", .protocol = "icmp", .rate = 7, .length_bytes = 100, .dscp = "af11"}}}));
}

TEST(JobLatency, beside_iperf3_lengthens_the_run_by_the_idle_parts) {
  const auto job = beside("{idle: 3s, probes: [udp]}");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->workload.name, "iperf3");
  ASSERT_TRUE(job->latency);
  EXPECT_EQ(job->latency->idle, 3s);
  EXPECT_EQ(planned_duration(*job), 3s + 1s + 5s + 3s);
  EXPECT_TRUE(beside("{}"));
}

TEST(JobLatency, is_compared_by_its_99th_percentile_if_enough_is_sent_for_one) {
  const auto figure_of = [](const Result<JobSpec>& job) { return to_string(job->figures.at(0).figure); };
  EXPECT_EQ(figure_of(alone(", duration: 6s")), "latency.p99");
  EXPECT_EQ(figure_of(alone(", duration: 5s")), "latency.p50") << "one of 1,000 requests is soon lost";
  EXPECT_EQ(figure_of(alone(", duration: 9s}}\nfigures: [latency.max]\n#{{")), "latency.max");
  EXPECT_TRUE(beside("{}")->figures.empty()) << "received, as without probes";
}

TEST(JobLatency, has_figures_of_its_own_probes_and_phases_only) {
  const std::string figures = "figures: [received, latency.voice.p99, latency.omitted.p50]\n#{";
  EXPECT_EQ(error_of(beside("{probes: [{name: voice}]}}\n" + figures)), "no error");
  EXPECT_THAT(error_of(alone(", duration: 9s}}\nfigures: [latency.load.p99]\n#{{")),
              HasSubstr("figures[0].figure"));
  EXPECT_THAT(error_of(alone(", duration: 9s}}\nfigures: [latency.voice.p99]\n#{{")),
              HasSubstr("figures[0].figure"));
}

TEST(JobLatency, may_be_traced_sampled_and_of_a_design) {
  const auto job = alone(
      ", duration: 2s}}\nrepeat: 6\ntrace: {function_graph: {module: hsr}}\n"
      "design: {a: {name: old}, b: {name: new}}\n#{{");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_TRUE(job->sample);
  EXPECT_TRUE(job->trace->budget);
}

TEST(JobLatency, tells_what_is_wrong_with_its_place_and_what_is_right) {
  EXPECT_THAT(error_of(alone("")), HasSubstr("workload.latency.duration: is missing"));
  EXPECT_THAT(error_of(alone(", duration: 2s, rate: 5")), HasSubstr("workload.latency.rate"));
  EXPECT_THAT(
      error_of(alone(", duration: 2s, probes: [sctp]")),
      HasSubstr(
          "voice.yaml:2:97: workload.latency.probes[0].protocol: \"sctp\" is not one of udp, tcp or icmp"));
  EXPECT_THAT(error_of(alone(", duration: 2s, probes: [{rate: 0}]")),
              HasSubstr("probes[0].rate: 0 is out of range (1 to 10000)"));
  EXPECT_THAT(error_of(alone(", duration: 2s, probes: [{length: 63}]")),
              HasSubstr("probes[0].length: 63 is out of range (64 to 1400)"));
  EXPECT_THAT(error_of(alone(", duration: 2s, probes: [{dscp: lowdelay}]")), HasSubstr("is not a DSCP"));
  EXPECT_THAT(error_of(alone(", duration: 2s, probes: [udp, udp]")),
              HasSubstr("probes[1].name: \"udp\" is another probe's name already"));
  for (const char* name : {"load", "p99", "bloat"}) {
    EXPECT_THAT(error_of(alone(", duration: 2s, probes: [{name: " + std::string(name) + "}]")),
                HasSubstr("names a phase or a figure of every probe"));
  }
  EXPECT_THAT(error_of(beside("{idle: 100ms}")), HasSubstr("with.latency.idle: 100 ms is out of range"));
  EXPECT_THAT(error_of(beside("{port: 5201}")), HasSubstr("with.latency.port: 5201 is iperf3's own"));
  EXPECT_THAT(error_of(beside("{duration: 2s}")), HasSubstr("with.latency.duration"));
  EXPECT_THAT(error_of(alone(", duration: 24h, interval: 100ms")), HasSubstr("choose a longer one"));
}

TEST(JobLatency, stands_alone_or_beside_iperf3_only) {
  EXPECT_THAT(
      error_of(read("workload: {iperf3: {server: h, duration: 1s}, latency: {server: h, duration: 1s}}\n")),
      HasSubstr("stands beside `iperf3`; a job has one of them"));
  EXPECT_THAT(
      error_of(
          read("workload: {none: {until: stop}}\ntrace: {events: ['skb:kfree_skb']}\nwith: {latency: {}}\n")),
      HasSubstr("with: stands beside a workload of iperf3 only"));
  EXPECT_THAT(error_of(read("workload: {latency: {server: h, duration: 1s}}\nwith: {latency: {idle: 1s}}\n")),
              HasSubstr("with: stands beside a workload of iperf3 only"));
}

}  // namespace
}  // namespace netperfd::config
