// SPDX-License-Identifier: GPL-2.0-or-later
// Sides that set keys of the job: whose text may have them, and what the runs of each side are told.
#include <gmock/gmock.h>

#include <string>

#include "daemon/config/job_reader.hpp"

namespace netperfd::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kJob = R"(name: ring
repeat: 6
workload: {iperf3: {server: h, netns: left, duration: 1s, congestion: reno, streams: 2}}
)";

// A caller's text, which may have no commands.
Result<JobSpec> read(const std::string& text, std::vector<std::string> overrides = {}) {
  return read_job({.text = text, .origin = "ring.yaml", .expected_name = {}},
                  {.overrides = std::move(overrides), .label = {}, .repeat = {}}, {});
}

std::string error_of(const std::string& text, std::vector<std::string> overrides = {}) {
  const auto job = read(text, std::move(overrides));
  return job ? "accepted" : job.error().message;
}

std::string with_sides(const std::string& a, const std::string& b) {
  return kJob + ("design: {a: {" + a + "}, b: {" + b + "}}\n");
}

TEST(JobSides, have_the_keys_that_they_set_and_the_others_of_the_job) {
  const auto job = read(with_sides("set: {congestion: cubic}", "set: {congestion: bbr, duration: 3s}"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->test.iperf3.congestion, "reno");
  const JobSpec a = spec_of_side(*job, 'A'), b = spec_of_side(*job, 'B');
  EXPECT_EQ(a.test.iperf3.congestion, "cubic");
  EXPECT_EQ(b.test.iperf3.congestion, "bbr");
  EXPECT_EQ(a.test.traffic.duration, std::chrono::seconds{1});
  EXPECT_EQ(b.test.traffic.duration, std::chrono::seconds{3});
  EXPECT_GT(b.limits.timeout, a.limits.timeout);
  for (const JobSpec& side : {a, b}) {
    EXPECT_EQ(side.test.traffic.streams, 2U);
    EXPECT_EQ(side.test.path.netns, "left");
  }
  EXPECT_EQ(planned_duration(*job), std::chrono::seconds{3});
  EXPECT_THAT(job->design->changed, ElementsAre("iperf3")) << "their difference is the declared change";
}

TEST(JobSides, are_named_by_the_only_value_that_each_sets) {
  const auto named =
      read(with_sides("set: {congestion: cubic}", "set: {workload: {iperf3: {congestion: bbr}}}"));
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_EQ(named->design->a->name, "cubic");
  EXPECT_EQ(named->design->b->name, "bbr");
  const auto given = read(with_sides("name: old, set: {congestion: cubic}", "set: {congestion: bbr}"));
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->design->a->name, "old");
  EXPECT_EQ(given->design->b->name, "bbr");
  const auto several = read(with_sides("set: {streams: 1}", "set: {streams: 8, zerocopy: true}"));
  ASSERT_TRUE(several) << several.error().message;
  EXPECT_EQ(several->design->a->name, "1");
  EXPECT_EQ(several->design->b->name, "B");
}

TEST(JobSides, are_made_by_a_start_of_a_job_without_sides) {
  const auto job = read(kJob, {"design.a.set.congestion=cubic", "design.b.set.congestion=bbr"});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(spec_of_side(*job, 'A').test.iperf3.congestion, "cubic");
  EXPECT_EQ(spec_of_side(*job, 'B').test.iperf3.congestion, "bbr");
  EXPECT_EQ(job->design->b->name, "bbr");
  const auto again = read(job->text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->sides, job->sides) << "what the store keeps says it too";
}

TEST(JobSides, of_a_scenario_are_not_changed_by_a_start) {
  EXPECT_THAT(error_of(with_sides("set: {streams: 1}", "set: {streams: 8}"), {"design.a.set.streams=4"}),
              HasSubstr("belongs to a side of the design, which no start may change"));
  EXPECT_THAT(error_of(kJob, {"design.a.switch=[/bin/true]", "design.b.set.streams=4"}),
              HasSubstr("belongs to a side of the design"));
}

TEST(JobSides, share_the_path_and_the_workload) {
  for (const char* path : {"server: other", "netns: right", "local: {bind: 10.0.0.1}", "bind: 10.0.0.1",
                           "port: 22", "cport: 4000", "server_wait: 10s"}) {
    EXPECT_THAT(error_of(with_sides("set: {streams: 1}", "set: {" + std::string(path) + "}")),
                HasSubstr("belongs to the path, which all runs share"))
        << path;
  }
  EXPECT_THAT(error_of(with_sides("set: {streams: 1}", "set: {workload: {latency: {interval: 1ms}}}")),
              HasSubstr("workload.latency.interval: is set by a side or a sweep, which set keys below "
                        "workload.iperf3 alone"));
  EXPECT_THAT(error_of(with_sides("set: {streams: 1}", "set: {workload: none}")),
              HasSubstr("set keys below workload.iperf3 alone"));
}

TEST(JobSides, that_are_wrong_are_told_with_key_and_line) {
  EXPECT_THAT(error_of(with_sides("set: {streams: 1}", "set: {streams: many}")),
              HasSubstr("ring.yaml:4:53: workload.iperf3.streams: "));
  EXPECT_THAT(error_of(with_sides("set: {streams: 1}", "set: {colour: red}")),
              HasSubstr("workload.iperf3.colour"));
  EXPECT_THAT(error_of(with_sides("set: {streams: 1}", "set: {protocol: udp, congestion: bbr}")),
              HasSubstr("workload.iperf3.congestion"));
  EXPECT_THAT(error_of(with_sides("set: {streams: 8}", "set: {streams: 8}")),
              HasSubstr("design.b.set: makes no difference between the sides"));
  EXPECT_THAT(error_of(with_sides("set: {streams: 2}", "name: same")),
              HasSubstr("design.a.set: makes no difference between the sides"));
  EXPECT_THAT(error_of(with_sides("set: []", "set: {streams: 8}")), HasSubstr("design.a.set: "));
  EXPECT_THAT(error_of(kJob, {"design.b.set.streams=8"}), HasSubstr("design.a: is missing"));
}

TEST(JobSides, of_commands_set_the_listed_parameters_alone) {
  const std::string job = R"(name: bench
workload:
  command:
    run: [/bin/echo, '{size}']
    duration: 1s
    parameters: {size: {value: 64, from: 64, to: 9000}}
    figures: [{name: rate, unit: 1/s, better: higher, pattern: 'rate=(.*)'}]
design: {a: {set: {parameters: {size: 64}}}, b: {set: {)";
  const auto read_roots = [&job](const std::string& b) {
    return read_job(
        {.text = job + b + "}}}\n", .origin = "bench.yaml", .expected_name = {}, .commands_refused = {}}, {},
        {});
  };
  const auto sized = read_roots("parameters: {size: 1500}");
  ASSERT_TRUE(sized) << sized.error().message;
  EXPECT_THAT(spec_of_side(*sized, 'B').command->client.argv, ElementsAre("/bin/echo", "1500"));
  EXPECT_THAT(spec_of_side(*sized, 'A').command->client.argv, ElementsAre("/bin/echo", "64"));
  for (const char* b :
       {"parameters: {size: 9001}", "parameters: {other: 1}", "run: [/bin/sh]", "capabilities: [BPF]"})
    EXPECT_FALSE(read_roots(b)) << b;
}

TEST(JobSides, are_measured_only_where_the_configuration_allows) {
  JobLimits limits;
  limits.allow.hosts = {"h"};
  limits.allow.ports = {"5201"};
  core::JobOptions options;
  options.limited = true;
  const JobText text{.text = with_sides("set: {streams: 1}", "set: {streams: 8}"),
                     .origin = "ring.yaml",
                     .expected_name = {}};
  const auto job = read_job(text, options, limits);
  EXPECT_TRUE(job) << job.error().message;
  limits.allow.ports = {"80"};
  const auto refused = read_job(text, options, limits);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::access_denied);
}

TEST(JobSides, of_a_selftest_are_both_the_first) {
  core::JobOptions options;
  options.purpose = JobPurpose::selftest;
  const auto job = read_job({.text = with_sides("set: {streams: 1}", "set: {streams: 8}"),
                             .origin = "ring.yaml",
                             .expected_name = {}},
                            options, {});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(spec_of_side(*job, 'B').test.traffic.streams, 1U);
  EXPECT_THAT(job->design->changed, IsEmpty());
}

}  // namespace
}  // namespace netperfd::config
