// SPDX-License-Identifier: GPL-2.0-or-later
// Where a member may measure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "daemon/config/scenario.hpp"
#include "tests/unit/config/support.hpp"

namespace netperfd::config {
namespace {

class LimitedScenarios : public testing::Test {
 protected:
  LimitedScenarios() {
    directory.write("far.yaml", far);
    scenarios = ScenarioDirectories(
        {directory.path()},
        {.allow = {.namespaces = Rules{"lab-*"}, .hosts = Rules{"10.0.0.0/8"}, .ports = Rules{"5201"}}},
        ::getuid());
  }
  using Rules = std::vector<std::string>;
  static core::JobOptions member(std::vector<std::string> overrides = {}) {
    core::JobOptions options;
    options.overrides = std::move(overrides);
    options.limited = true;
    return options;
  }
  static std::string text_with(const std::string& keys, const std::string& name = "own") {
    return "name: " + name + "\nworkload: {iperf3: {duration: 1s, " + keys + "}}\n";
  }
  TemporaryDirectory directory;
  ScenarioDirectories scenarios{{directory.path()}, {}};
  const std::string far = text_with("server: 192.0.2.1, netns: uplink", "far");
};

TEST_F(LimitedScenarios, of_root_measure_anywhere) {
  const auto job = scenarios.load("far", member());
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_TRUE(scenarios.load("far", member({"workload.iperf3.streams=8", "workload.iperf3.duration=2s"})));
  EXPECT_TRUE(scenarios.parse(far, "mine.yaml", member())) << "it is the same place";
}

TEST_F(LimitedScenarios, are_limited_once_a_member_changes_an_end) {
  for (const char* change :
       {"workload.iperf3.server=192.0.2.2", "workload.iperf3.port=5202", "workload.iperf3.netns=null",
        "workload.iperf3.bind=192.0.2.9", "workload.iperf3={server: 192.0.2.3, duration: 1s}",
        "workload={latency: {server: 192.0.2.1, duration: 1s, probes: [udp]}}",
        "with={latency: {probes: [udp]}}"}) {
    const auto job = scenarios.load("far", member({change}));
    ASSERT_FALSE(job) << change;
    EXPECT_EQ(job.error().kind, ErrorKind::access_denied) << change << job.error().message;
    core::JobOptions root = member({change});
    root.limited = false;
    EXPECT_TRUE(scenarios.load("far", root)) << change;
  }
  EXPECT_TRUE(
      scenarios.load("far", member({"workload.iperf3.server=10.1.1.1", "workload.iperf3.netns=lab-a"})));
}

TEST_F(LimitedScenarios, of_a_text_say_where_it_is_wrong_and_what_root_allows) {
  const auto job = scenarios.parse(text_with("server: '::ffff:192.0.2.1'"), "mine.yaml", member());
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().kind, ErrorKind::access_denied);
  EXPECT_EQ(
      job.error().message,
      "mine.yaml:2:43: workload.iperf3.server: \"::ffff:192.0.2.1\" is not allowed: the key allow.hosts of "
      "netperfd's configuration allows 10.0.0.0/8; other values are for root, and for scenarios that root "
      "installed, with their own ends");
  EXPECT_TRUE(scenarios.parse(text_with("server: '::ffff:10.0.0.1'"), "mine.yaml", member()));
  EXPECT_FALSE(scenarios.parse(text_with("local: {netns: uplink, bind: 10.0.0.1}"), "mine.yaml", member()));
}

TEST_F(LimitedScenarios, that_others_may_change_are_nobodys_leave) {
  ASSERT_EQ(::chmod((directory.path() / "far.yaml").c_str(), 0666), 0);
  EXPECT_FALSE(scenarios.load("far", member()));
  EXPECT_FALSE(scenarios.parse(far, "mine.yaml", member()));
}

TEST_F(LimitedScenarios, are_checked_again_when_a_job_is_read_again) {
  EXPECT_TRUE(scenarios.reread(far, "job 1", member()));
  directory.write("far.yaml", text_with("server: 192.0.2.77", "far"));
  const auto job = scenarios.reread(far, "job 1", member());
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().kind, ErrorKind::access_denied);
  EXPECT_TRUE(scenarios.reread(far, "job 1", {})) << "root's";
}

}  // namespace
}  // namespace netperfd::config
