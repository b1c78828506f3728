#include "daemon/config/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/config/support.hpp"

namespace netperfd::config {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string job_text(const std::string& name, const std::string& description = "text") {
  return "name: " + name + "\ndescription: " + description +
         "\nworkload: {iperf3: {server: h, duration: 1s}}\n";
}

class Scenarios : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> names() {
    std::vector<std::string> found;
    for (const auto& row : scenarios.list()) found.push_back(row.name);
    return found;
  }

  TemporaryDirectory directory;
  ScenarioDirectory scenarios{directory.path(), {}};
};

TEST_F(Scenarios, are_the_yaml_files_by_name) {
  directory.write("b.yaml", job_text("b", "second"));
  directory.write("a.yaml", job_text("a", "first"));
  directory.write("a.yaml~", "editor's copy");
  directory.write(".c.yaml", "hidden");
  directory.write("README", "not one");
  const auto rows = scenarios.list();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "a");
  EXPECT_EQ(rows[0].description, "first");
  EXPECT_EQ(rows[0].file, directory.path() / "a.yaml");
  EXPECT_EQ(rows[0].error, "");
  EXPECT_EQ(rows[1].name, "b");
}

TEST_F(Scenarios, that_are_wrong_are_listed_with_their_error) {
  directory.write("broken.yaml", "name: broken\nworkload: [\n");
  directory.write("other.yaml", job_text("name"));
  directory.write("with space.yaml", job_text("x"));
  ASSERT_EQ(::mkfifo((directory.path() / "pipe.yaml").c_str(), 0600), 0);
  std::filesystem::create_directory(directory.path() / "sub.yaml");
  const auto rows = scenarios.list();
  ASSERT_THAT(names(), ElementsAre("broken", "other", "pipe", "sub", "with space"));
  EXPECT_THAT(rows[0].error, HasSubstr("broken.yaml:"));
  EXPECT_THAT(rows[1].error,
              HasSubstr("other.yaml:1:7: name: \"name\" differs from the name of its file, \"other\""));
  EXPECT_THAT(rows[2].error, HasSubstr("not a regular file"));
  EXPECT_THAT(rows[3].error, HasSubstr("not a regular file"));
  EXPECT_THAT(rows[4].error, HasSubstr("is no scenario's name"));
}

TEST_F(Scenarios, of_a_missing_directoryare_none) {
  ScenarioDirectory none("/nonexistent/scenarios.d", {});
  EXPECT_THAT(none.list(), IsEmpty());
  EXPECT_EQ(none.load("a", {}).error().kind, ErrorKind::not_found);
}

TEST_F(Scenarios, are_read_anew_at_each_start) {
  directory.write("a.yaml", job_text("a", "before"));
  EXPECT_EQ(scenarios.load("a", {})->description, "before");
  directory.write("a.yaml", job_text("a", "after"));
  EXPECT_EQ(scenarios.load("a", {})->description, "after");
}

TEST_F(Scenarios, never_come_from_outside_the_directory) {
  TemporaryDirectory inner;
  directory.write("secret.yaml", job_text("secret"));
  std::filesystem::create_directory(directory.path() / "d");
  ScenarioDirectory below(directory.path() / "d", {});
  for (const char* name :
       {"../secret", "..", "", "/etc/passwd", "d/../secret", ".hidden", "-x", "a b", "a\n"}) {
    const auto job = below.load(name, {});
    ASSERT_FALSE(job) << name;
    EXPECT_EQ(job.error().kind, ErrorKind::not_found) << name;
  }
}

TEST_F(Scenarios, of_an_unknown_name_come_with_a_guess) {
  directory.write("veth-tcp.yaml", job_text("veth-tcp"));
  const auto job = scenarios.load("veth-tpc", {});
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().kind, ErrorKind::not_found);
  EXPECT_EQ(job.error().message,
            "\"veth-tpc\": no such scenario in " + directory.path().string() + "; did you mean `veth-tcp`?");
}

TEST_F(Scenarios, take_the_options_of_a_start) {
  directory.write("a.yaml", job_text("a"));
  const auto job =
      scenarios.load("a", {.overrides = {"workload.iperf3.streams=3"}, .label = "x", .repeat = 2});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->iperf3.streams, 3U);
  EXPECT_EQ(job->label, "x");
  EXPECT_EQ(job->repeat, 2U);
  EXPECT_THAT(scenarios.load("a", {.overrides = {"name=b"}, .label = {}, .repeat = {}}).error().message,
              HasSubstr("--set name: \"b\" differs from the name of its file"));
}

TEST_F(Scenarios, larger_than_a_job_may_be_are_refused) {
  directory.write("a.yaml", job_text("a") + std::string(65'536, '#'));
  EXPECT_THAT(scenarios.load("a", {}).error().message, HasSubstr("larger than 65536 bytes"));
}

TEST_F(Scenarios, of_a_caller_need_no_file) {
  const auto job = scenarios.parse(job_text("mine"), "mine.yaml", {});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->name, "mine");
  EXPECT_THAT(scenarios.parse("", "mine.yaml", {}).error().message, HasSubstr("mine.yaml:1:1: has no value"));
}

TEST(ShippedScenarios, are_right_and_survive_their_own_text) {
  ScenarioDirectory shipped(source_root() / "daemon/config/etc/scenarios.d", {});
  const auto rows = shipped.list();
  std::vector<std::string> names;
  for (const auto& row : rows) {
    names.push_back(row.name);
    EXPECT_EQ(row.error, "");
    EXPECT_NE(row.description, "");
    const auto job = shipped.load(row.name, {});
    ASSERT_TRUE(job) << job.error().message;
    const auto again = shipped.parse(job->text, "again", {});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, *job) << job->text;
  }
  EXPECT_THAT(names, ElementsAre("bridge", "hsr-ring", "tcp-stack", "veth-both", "veth-drops", "veth-tcp",
                                 "veth-udp", "watch-drops"));
}

TEST(ShippedScenarios, veth_tcp_measures_between_two_namespaces) {
  ScenarioDirectory shipped(source_root() / "daemon/config/etc/scenarios.d", {});
  const auto job = shipped.load("veth-tcp", {});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->repeat, 3U);
  EXPECT_EQ(job->iperf3.netns, "left");
  EXPECT_EQ(job->iperf3.local->netns, "right");
  EXPECT_EQ(job->iperf3.server, "10.0.0.2");
  EXPECT_EQ(job->iperf3.streams, 2U);
  EXPECT_EQ(planned_duration(*job), 6s);
  EXPECT_EQ(job->limits.timeout, 26s);
}

TEST(ShippedScenarios, veth_drops_is_veth_tcp_with_a_trace) {
  ScenarioDirectory shipped(source_root() / "daemon/config/etc/scenarios.d", {});
  const auto job = shipped.load("veth-drops", {});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->iperf3, shipped.load("veth-tcp", {})->iperf3);
  ASSERT_TRUE(job->trace);
  ASSERT_EQ(job->trace->events.size(), 2U);
  EXPECT_EQ(job->trace->events[0], (EventSpec{"skb:kfree_skb", "", true}));
  EXPECT_EQ(job->trace->events[1], (EventSpec{"tcp:tcp_retransmit_skb", "", false}));
  EXPECT_TRUE(job->trace->optional);
}

TEST(ShippedScenarios, watch_drops_waits_for_its_caller) {
  ScenarioDirectory shipped(source_root() / "daemon/config/etc/scenarios.d", {});
  const auto job = shipped.load("watch-drops", {});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->workload, WorkloadKind::none);
  EXPECT_EQ(planned_duration(*job), std::nullopt);
  EXPECT_EQ(job->limits.timeout, 1h);
}

}  // namespace
}  // namespace netperfd::config
