// SPDX-License-Identifier: GPL-2.0-or-later
// Every way in which a measurement can fail has its own clear result: failed, with our words and iperf3's,
// and exit code 7.
#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/system_test.hpp"
#include "tests/system/harness/traffic_tap.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

// The error depends on which socket iperf3 examines first.
testing::Matcher<const std::string&> tells_of_a_lost_server() {
  return AllOf(
      HasSubstr("iperf3 says"),
      AnyOf(HasSubstr("the server went away during the test"), HasSubstr("the server broke off the test"),
            HasSubstr("the connection to the server broke during the test")));
}

// iperf3, whose clients stop as long as the file `stops` is there, and of which one dies if the directory
// `dies` is: so a test need not be faster than a run.
constexpr const char* kIperf3 = R"(#!/bin/sh
here=${0%/*}
case " $* " in *" --client "*)
  if [ -e "$here/stops" ]; then kill -STOP $$; fi
  if mkdir "$here/dies/now" 2>/dev/null; then kill -KILL $$; fi ;;
esac
exec IPERF3 "$@"
)";

class Failure : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({.iperf3_script = kIperf3, .environment = {}}); }
  void TearDown() override {
    lab().net().set_link(true);
    SystemTest::TearDown();
  }

  // Starts a job that netperfctl follows to its end.
  static std::unique_ptr<Process> follow(const std::string& scenario,
                                         const std::vector<std::string>& words = {}) {
    std::vector<std::string> arguments{"start", scenario};
    for (const std::string& each : words) arguments.insert(arguments.end(), {"--set", each});
    return std::make_unique<Process>(lab().ctl_command(arguments, lab().users().member));
  }

  // The error of the only run, which must have failed; netperfctl must print it as it is stored.
  static std::string error_of_failed(Process& started) {
    EXPECT_EQ(started.wait(), (Exit{kRunFailed, 0})) << started.out() << started.err();
    const Database database = lab().database();
    const auto row = database.rows("SELECT state, error FROM runs ORDER BY id DESC LIMIT 1").at(0);
    EXPECT_EQ(row.at(0), "failed");
    EXPECT_THAT(started.out() + started.err(), HasSubstr("failed"));
    EXPECT_THAT(started.out() + started.err(), HasSubstr(row.at(1).substr(0, row.at(1).find('\n'))));
    return row.at(1);
  }
};

TEST_F(Failure, a_refused_connection) {
  EXPECT_THAT(error_of_failed(*follow("foreign")), HasSubstr("Connection refused"));
}

TEST_F(Failure, of_a_missing_namespace_names_what_makes_it_and_ends_the_job_at_once) {
  lab().directory().write(
      "lab.yaml",
      "name: lab\nrepeat: 3\nworkload:\n  iperf3:\n    server: 10.0.0.2\n    netns: ring-a\n"
      "    duration: 1s\n");
  ASSERT_FALSE(std::filesystem::exists("/run/netns/ring-a"));
  const Outcome refused = lab().ctl({"start", lab().directory().path("lab.yaml")});
  EXPECT_EQ(refused.code, 2) << refused.out << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("/usr/share/netperfd/lab up hsr"));
  EXPECT_THAT(refused.err, HasSubstr("for 1 reason; nothing was started"));
  const Outcome started = lab().ctl({"start", lab().directory().path("lab.yaml"), "--force"});
  EXPECT_EQ(started.code, kRunFailed) << started.out << started.err;
  EXPECT_THAT(started.out, HasSubstr("/usr/share/netperfd/lab up hsr"));
  const nlohmann::json runs =
      nlohmann::json::parse(lab().ctl({"runs", "scenario:lab", "-o", "json"}).out).at("runs");
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs.at(2).at("state"), "failed");
  EXPECT_EQ(runs.at(1).at("state"), "canceled");
  EXPECT_EQ(runs.at(0).at("state"), "canceled");
}

TEST_F(Failure, of_a_congestion_control_names_the_sysctl_and_ends_the_job_at_once) {
  lab().directory().write(
      "scenarios.d/congested.yaml",
      fmt::format(
          "name: congested\nrepeat: 3\nworkload: {{iperf3: {{local: {{netns: {}, bind: {}}}, netns: {}, "
          "duration: 1s, congestion: nosuch}}}}\n",
          lab().net().right(), NetnsPair::kRightAddress, lab().net().left()));
  const Outcome started = lab().ctl({"start", "congested", "--force"});
  EXPECT_EQ(started.code, kRunFailed) << started.out << started.err;
  const nlohmann::json runs =
      nlohmann::json::parse(lab().ctl({"runs", "scenario:congested", "-o", "json"}).out).at("runs");
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs.at(2).at("state"), "failed");
  EXPECT_THAT(
      lab().database().value("SELECT error FROM runs WHERE state = 'failed' ORDER BY id DESC LIMIT 1"),
      HasSubstr("sysctl net.ipv4.tcp_allowed_congestion_control="));
  EXPECT_EQ(runs.at(1).at("state"), "canceled");
  EXPECT_EQ(runs.at(0).at("state"), "canceled");
}

TEST_F(Failure, of_a_plan_or_a_self_test_is_that_of_its_runs) {
  for (const char* verb : {"plan", "selftest"}) {
    const Outcome outcome = lab().ctl({verb, "foreign", "--repeat", "1", "--force"});
    EXPECT_EQ(outcome.code, kRunFailed) << verb << ": " << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr("Connection refused")) << verb;
    EXPECT_THAT(outcome.err, HasSubstr("netperfctl: ")) << verb << " says what it could not tell of them";
  }
}

TEST_F(Failure, a_host_that_nobody_knows) {
  const std::string error =
      error_of_failed(*follow("foreign", {"workload.iperf3.server=no-such-host.invalid"}));
  EXPECT_THAT(error, AllOf(HasSubstr("unable to connect to server"), HasSubstr("no-such-host.invalid")));
}

TEST_F(Failure, a_server_that_is_busy_with_another_client) {
  const auto server =
      lab().foreign_iperf3(lab().net().right(), {"--server", "--bind", NetnsPair::kRightAddress});
  server->wait_for_output("Server listening");
  const auto client = lab().foreign_iperf3(
      lab().net().left(), {"--client", NetnsPair::kRightAddress, "--time", "60", "--bitrate", "1M"});
  server->wait_for_output("Accepted connection");
  EXPECT_THAT(error_of_failed(*follow("foreign")), HasSubstr("the server is busy running a test"));
}

TEST_F(Failure, a_namespace_that_does_not_exist) {
  const Outcome refused = lab().ctl({"start", "foreign", "--set", "workload.iperf3.netns=nowhere-at-all"});
  EXPECT_EQ(refused.code, kUsage);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("nowhere-at-all"), HasSubstr("does not exist")));
}

TEST_F(Failure, a_local_server_whose_port_is_taken) {
  const auto server =
      lab().foreign_iperf3(lab().net().right(), {"--server", "--bind", NetnsPair::kRightAddress});
  server->wait_for_output("Server listening");
  const std::string error = error_of_failed(*follow("local"));
  EXPECT_THAT(error, AllOf(HasSubstr("local server"), HasSubstr("Address already in use")));
}

TEST_F(Failure, a_local_server_killed_in_the_middle) {
  TrafficTap tap{lab().net().right()};
  const auto started = follow("local", {"workload.iperf3.duration=30s"});
  tap.wait_for_traffic();
  ASSERT_EQ(::kill(lab().iperf3_with("--server").pid, SIGKILL), 0);
  const std::string error = error_of_failed(*started);
  EXPECT_THAT(error, HasSubstr("local server: killed by signal 9"));
  EXPECT_THAT(error, tells_of_a_lost_server());
}

TEST_F(Failure, a_foreign_server_killed_in_the_middle) {
  const auto server =
      lab().foreign_iperf3(lab().net().right(), {"--server", "--bind", NetnsPair::kRightAddress});
  server->wait_for_output("Server listening");
  TrafficTap tap{lab().net().right()};
  const auto started = follow("foreign", {"workload.iperf3.duration=30s"});
  tap.wait_for_traffic();
  server->signal(SIGKILL);
  EXPECT_THAT(error_of_failed(*started), tells_of_a_lost_server());
}

TEST_F(Failure, a_client_killed_in_the_middle) {
  TrafficTap tap{lab().net().right()};
  const auto started = follow("local", {"workload.iperf3.duration=30s"});
  tap.wait_for_traffic();
  ASSERT_EQ(::kill(lab().iperf3_with("--client").pid, SIGKILL), 0);
  EXPECT_THAT(error_of_failed(*started), HasSubstr("iperf3: killed by signal 9"));
}

TEST_F(Failure, a_link_that_goes_down_in_the_middle) {
  TrafficTap tap{lab().net().right()};
  // At this rate it does not end by itself.
  const auto started = follow("quick", {"limits.timeout=10s", "workload.iperf3.bitrate=1M"});
  tap.wait_for_traffic();
  lab().net().set_link(false);
  const std::string error = error_of_failed(*started);
  // iperf3 3.12 waits forever for an answer of the other side; newer versions notice by themselves.
  EXPECT_THAT(error, HasSubstr("iperf3 says"));
  EXPECT_THAT(error, AnyOf(HasSubstr("deadline of 10 s"), HasSubstr("unable to"), HasSubstr("timed out")));
  lab().net().set_link(true);
  EXPECT_EQ(follow("local")->wait(), (Exit{0, 0}));
}

TEST_F(Failure, a_run_that_is_not_done_within_its_deadline) {
  // A stopped process can neither end nor react to SIGTERM.
  const std::string stops = lab().directory().write("stops", "");
  const auto started = follow("local", {"limits.timeout=3s"});
  EXPECT_THAT(error_of_failed(*started), HasSubstr("deadline of 3 s"));
  std::filesystem::remove(stops);
}

TEST_F(Failure, a_job_of_two_runs_goes_on_after_the_first_has_failed) {
  const std::string dies = lab().directory().path("dies");
  std::filesystem::create_directory(dies);
  std::filesystem::permissions(dies, std::filesystem::perms::all);
  EXPECT_EQ(lab().ctl({"start", "local", "--repeat", "2"}).code, kRunFailed);
  EXPECT_TRUE(std::filesystem::exists(dies + "/now"));
  std::filesystem::remove_all(dies);
  EXPECT_EQ(lab().database().value(
                "SELECT group_concat(state) FROM (SELECT state FROM runs ORDER BY id DESC LIMIT 2)"),
            "finished,failed");
}

TEST_F(Failure, what_iperf3_wrote_before_it_failed_is_kept) {
  (void)error_of_failed(*follow("foreign"));
  const Database database = lab().database();
  EXPECT_EQ(database.value(
                "SELECT name FROM documents WHERE run = (SELECT max(id) FROM runs) ORDER BY name LIMIT 1"),
            "client.stdout");
}

}  // namespace
}  // namespace netperfd::system_test
