// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "daemon/config/job_reader.hpp"
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
  ScenarioDirectories scenarios{{directory.path()}, {}};
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
  ScenarioDirectories none({"/nonexistent/scenarios.d"}, {});
  EXPECT_THAT(none.list(), IsEmpty());
  EXPECT_EQ(none.load("a", {}).error().kind, ErrorKind::not_found);
}

TEST_F(Scenarios, are_those_of_both_directories) {
  TemporaryDirectory shipped;
  shipped.write("b.yaml", job_text("b", "shipped"));
  shipped.write("c.yaml", job_text("c", "shipped"));
  directory.write("a.yaml", job_text("a", "root's"));
  directory.write("b.yaml", job_text("b", "root's"));
  ScenarioDirectories both({directory.path(), shipped.path()}, {});
  const auto rows = both.list();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].file, directory.path() / "a.yaml");
  EXPECT_EQ(rows[1].file, directory.path() / "b.yaml");
  EXPECT_EQ(rows[1].description, "root's");
  EXPECT_EQ(rows[2].file, shipped.path() / "c.yaml");
  EXPECT_EQ(both.load("b", {})->description, "root's");
  EXPECT_EQ(both.load("c", {})->description, "shipped");
  EXPECT_EQ(both.load("cc", {}).error().message, "\"cc\": no such scenario in " + directory.path().string() +
                                                     " or " + shipped.path().string() +
                                                     "; did you mean `c`?");
}

// Root edited the scenario for a reason: the shipped one must not run in its place.
TEST_F(Scenarios, of_root_that_are_wrong_hide_the_shipped_ones_too) {
  TemporaryDirectory shipped;
  for (const char* name : {"broken", "gone"}) shipped.write(name + std::string(".yaml"), job_text(name));
  directory.write("broken.yaml", "name: broken\nworkload: [\n");
  std::filesystem::create_symlink("nowhere", directory.path() / "gone.yaml");
  ScenarioDirectories both({directory.path(), shipped.path()}, {});
  const auto rows = both.list();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[0].error, HasSubstr(directory.path() / "broken.yaml"));
  EXPECT_EQ(rows[1].file, directory.path() / "gone.yaml");
  EXPECT_THAT(rows[1].error, HasSubstr(directory.path() / "gone.yaml"));
  EXPECT_FALSE(both.load("gone", {}));
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
  ScenarioDirectories below({directory.path() / "d"}, {});
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
  EXPECT_EQ(job->test.traffic.streams, 3U);
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

// Scenarios with commands, in a directory that belongs only to this user.
class Commands : public testing::Test {
 protected:
  Commands() {
    directory.write("a.yaml", job_text("a") + "design:\n  a: {switch: [/bin/x]}\n  b: {switch: [/bin/y]}\n");
    change_mode(file, 0644);
    change_mode(directory.path(), 0755);
  }

  static void change_mode(const std::filesystem::path& path, mode_t mode) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
  }
  [[nodiscard]] std::string error() {
    const auto job = scenarios.load("a", {});
    return job ? "" : job.error().message;
  }

  TemporaryDirectory directory;
  std::filesystem::path file = directory.path() / "a.yaml";
  ScenarioDirectories scenarios{{directory.path()}, {}, ::getuid()};
};

TEST_F(Commands, count_in_a_file_that_only_its_owner_can_change) {
  const auto job = scenarios.load("a", {});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(job->design->a->apply, ElementsAre("/bin/x"));
  change_mode(file, 0400);
  EXPECT_EQ(error(), "");
}

TEST_F(Commands, do_not_count_in_a_file_that_others_may_write) {
  for (const mode_t mode : {0664U, 0646U, 0666U}) {
    change_mode(file, mode);
    EXPECT_THAT(error(), HasSubstr("a.yaml:5:15: design.a.switch: would run as root, so only a scenario that "
                                   "nobody but root can change may have it, and others than its owner may "
                                   "write " +
                                   file.string() + "; mend that with `chmod go-w " + file.string() + "`"));
    EXPECT_THAT(error(), HasSubstr("a.yaml:6:15: design.b.switch: "));
  }
}

TEST_F(Commands, do_not_count_in_a_directory_that_others_may_write) {
  for (const mode_t mode : {0775U, 0757U, 01777U}) {
    change_mode(directory.path(), mode);
    EXPECT_THAT(error(), HasSubstr("mend that with `chmod go-w " + directory.path().string() + "`"));
  }
}

// Each directory is judged on its own: who may write to one cannot give commands in the other's name.
TEST_F(Commands, count_by_the_directory_that_their_file_is_in) {
  TemporaryDirectory loose;
  loose.write("b.yaml", job_text("b") + "design:\n  a: {switch: [/bin/x]}\n  b: {switch: [/bin/y]}\n");
  change_mode(loose.path() / "b.yaml", 0644);
  change_mode(loose.path(), 0777);
  for (const bool loose_first : {false, true}) {
    std::vector<std::string> order{directory.path(), loose.path()};
    if (loose_first) std::ranges::reverse(order);
    ScenarioDirectories both(order, {}, ::getuid());
    EXPECT_TRUE(both.load("a", {}));
    const auto job = both.load("b", {});
    ASSERT_FALSE(job);
    EXPECT_THAT(job.error().message, HasSubstr("mend that with `chmod go-w " + loose.path().string() + "`"));
  }
}

TEST_F(Commands, do_not_count_in_a_directory_and_a_file_of_another_user) {
  ScenarioDirectories of_another({directory.path()}, {}, ::getuid() + 1);
  const auto job = of_another.load("a", {});
  ASSERT_FALSE(job);
  EXPECT_THAT(job.error().message,
              HasSubstr("belongs to user " + std::to_string(::getuid()) + "; mend that with `chown root " +
                        directory.path().string() + "`"));
}

TEST_F(Commands, do_not_count_in_a_file_of_another_user) {
  if (::getuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(::chown(file.c_str(), 12'345, 0), 0);
  EXPECT_THAT(error(), HasSubstr(file.string() + " belongs to user 12345; mend that with `chown root " +
                                 file.string() + "`"));
}

TEST_F(Commands, do_not_count_behind_a_symbolic_link) {
  std::filesystem::rename(file, directory.path() / "kept");
  std::filesystem::create_symlink("kept", file);
  EXPECT_THAT(error(), HasSubstr(file.string() + " is a symbolic link; put the file itself there"));
}

TEST_F(Commands, of_a_callers_text_do_not_count_wherever_they_were_copied_from) {
  const auto job = scenarios.parse(contents(file), file, {});
  ASSERT_FALSE(job);
  EXPECT_THAT(job.error().message, HasSubstr("and this text is a caller's"));
}

TEST_F(Commands, that_do_not_count_hide_no_scenario_without_any) {
  directory.write("b.yaml", job_text("b"));
  change_mode(directory.path(), 0777);
  EXPECT_TRUE(scenarios.load("b", {}));
  const auto rows = scenarios.list();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NE(rows[0].error, "");
  EXPECT_EQ(rows[1].error, "");
}

// Uses a copy that nobody else may change, like root's installation.
class ShippedScenarios : public testing::Test {
 protected:
  ShippedScenarios() {
    const auto source = source_root() / "daemon/config/scenarios.d";
    for (const auto& file : std::filesystem::directory_iterator(source)) {
      const std::string copy = directory.write(file.path().filename(), contents(file.path()));
      if (::chmod(copy.c_str(), 0644) != 0) throw std::runtime_error("chmod");
    }
  }

  TemporaryDirectory directory;
  ScenarioDirectories shipped{{directory.path()}, {}, ::getuid()};
};

TEST_F(ShippedScenarios, are_right_and_survive_their_own_text) {
  const auto rows = shipped.list();
  std::vector<std::string> names;
  for (const auto& row : rows) {
    names.push_back(row.name);
    EXPECT_EQ(row.error, "");
    EXPECT_NE(row.description, "");
    const auto job = shipped.load(row.name, {});
    ASSERT_TRUE(job) << job.error().message;
    const auto again =
        read_job({.text = job->text, .origin = "again", .expected_name = {}, .commands_refused = {}}, {}, {});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, *job) << job->text;
  }
  EXPECT_THAT(
      names, ElementsAre("bridge", "forward-rules", "hsr-ring", "shaped-fq-codel", "shaped-load", "tcp-stack",
                         "veth-both", "veth-bounceback", "veth-drops", "veth-gso", "veth-latency",
                         "veth-memcached", "veth-netperf-rr", "veth-nginx", "veth-offload", "veth-sockperf",
                         "veth-tcp", "veth-udp", "veth-xdp-drop", "watch-drops"));
}

TEST_F(ShippedScenarios, veth_tcp_measures_between_two_namespaces) {
  const auto job = shipped.load("veth-tcp", {});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->repeat, 3U);
  EXPECT_EQ(job->test.path.netns, "left");
  EXPECT_EQ(job->test.path.local->netns, "right");
  EXPECT_EQ(job->test.path.server, "10.0.0.2");
  EXPECT_EQ(job->test.traffic.streams, 2U);
  EXPECT_EQ(planned_duration(*job), 6s);
  EXPECT_EQ(job->limits.timeout, 26s);
}

TEST_F(ShippedScenarios, veth_drops_is_veth_tcp_with_a_trace) {
  const auto job = shipped.load("veth-drops", {});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->test, shipped.load("veth-tcp", {})->test);
  ASSERT_TRUE(job->trace);
  ASSERT_EQ(job->trace->events.size(), 2U);
  EXPECT_EQ(job->trace->events[0], (EventSpec{"skb:kfree_skb", "", true}));
  EXPECT_EQ(job->trace->events[1], (EventSpec{"tcp:tcp_retransmit_skb", "", false}));
  EXPECT_TRUE(job->trace->optional);
}

TEST_F(ShippedScenarios, veth_gso_switches_between_two_sides) {
  const auto job = shipped.load("veth-gso", {});
  ASSERT_TRUE(job) << job.error().message;
  ASSERT_TRUE(job->design && job->design->has_variants());
  EXPECT_NE(job->design->a->apply, job->design->b->apply);
  EXPECT_TRUE(job->design->plain);
  EXPECT_THAT(job->design->changed, ElementsAre("nic"));
  EXPECT_EQ(run_count(*job), 48U);
}

// The answer says what B gains over A.
TEST_F(ShippedScenarios, ask_what_side_b_changes) {
  std::vector<std::string> sides;
  for (const core::ScenarioRow& row : shipped.list()) {
    if (const auto job = shipped.load(row.name, {}); job && job->design && job->design->has_variants())
      sides.push_back(row.name + ": " + job->design->a->name + " -> " + job->design->b->name);
  }
  EXPECT_THAT(sides,
              ElementsAre("forward-rules: 10-rules -> 1000-rules", "shaped-fq-codel: pfifo_fast -> fq_codel",
                          "veth-gso: 16K -> 64K", "veth-offload: gso-off -> gso-on"));
}

// Without checks, a job leaves the machine on side A.
TEST_F(ShippedScenarios, whose_lab_is_on_side_b_find_that) {
  for (const char* name : {"veth-gso", "veth-offload"}) {
    const Design design = shipped.load(name, {}).value().design.value();
    for (const auto& side : {design.a, design.b}) {
      ASSERT_EQ(side->verify.size(), 3U) << name;
      EXPECT_TRUE(side->verify[2].ends_with(" \"" + side->apply[7] + " " + side->apply[8] + "\"")) << name;
    }
  }
}

TEST_F(ShippedScenarios, veth_offload_compares_two_sides_on_any_kernel) {
  const auto job = shipped.load("veth-offload", {});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_FALSE(job->trace);
  ASSERT_TRUE(job->design && job->design->has_variants());
  EXPECT_NE(job->design->a->apply, job->design->b->apply);
  EXPECT_THAT(job->design->changed, ElementsAre("nic"));
  EXPECT_EQ(job->repeat, 6U) << "blocks: the fewest that give an interval";
  EXPECT_EQ(run_count(*job), 24U);
  EXPECT_LT(run_count(*job) * *planned_duration(*job), 2min);
}

// As tools/demo asks for it.
TEST_F(ShippedScenarios, veth_offload_can_also_trace_functions) {
  std::ifstream file(NETPERFD_TEST_DATA "/../vm/guest/demo-trace");
  std::string trace;
  ASSERT_TRUE(std::getline(file, trace));
  const auto job = shipped.load(
      "veth-offload",
      {.overrides = {"workload.iperf3.duration=1s", "trace=" + trace}, .label = {}, .repeat = {}});
  ASSERT_TRUE(job) << job.error().message;
  ASSERT_TRUE(job->trace && job->trace->function_graph);
  EXPECT_EQ(job->trace->function_graph->functions,
            shipped.load("veth-gso", {})->trace->function_graph->functions);
  EXPECT_TRUE(job->design->plain) << "plain runs give the throughput";
  EXPECT_EQ(run_count(*job), 48U);
}

TEST_F(ShippedScenarios, watch_drops_waits_for_its_caller) {
  const auto job = shipped.load("watch-drops", {});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->workload.name, "none");
  EXPECT_EQ(planned_duration(*job), std::nullopt);
  EXPECT_EQ(job->limits.timeout, 1h);
}

}  // namespace
}  // namespace netperfd::config
