// SPDX-License-Identifier: GPL-2.0-or-later
// Commands of root's scenarios: a real benchmark that netperfd does not know, from the start by a member to
// the comparison; and what members may not do with them.
#include <fmt/format.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class Commands : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }

  // Writes it as root's scenario. `keys` are below workload.command.
  static void install(const std::string& name, const std::string& keys, const std::string& more = "") {
    const std::string path = lab().scenarios_dir() + "/" + name + ".yaml";
    std::ofstream(path) << "name: " << name << "\nworkload:\n  command:\n" << keys << more;
    ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  }
  static void install_sh(const std::string& name, const std::string& script, const std::string& more = "") {
    install(name,
            fmt::format("    run: [/bin/sh, -c, '{}']\n    netns: {}\n    duration: 1s\n    figures:\n"
                        "      - {{name: rate, unit: 1/s, better: higher, pattern: 'rate=(\\S+)'}}\n",
                        script, lab().net().left()),
            more);
  }
  static json last_run() {
    const Outcome shown = lab().ctl({"show", "last", "-o", "json"});
    EXPECT_EQ(shown.code, 0) << shown.err;
    return json::parse(shown.out);
  }
  static json figure(const json& page, const std::string& name) {
    for (const json& each : page.at("figures")) {
      if (each.at("name") == name) return each;
    }
    ADD_FAILURE() << "no figure " << name << " in " << page.at("figures");
    return {};
  }
  static std::size_t directories() {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/tmp")) {
      struct stat status{};
      const bool own =
          ::lstat(entry.path().c_str(), &status) == 0 && status.st_uid == lab().users().iperf3.uid;
      count += own && entry.path().filename().string().starts_with("netperfd-work.") ? 1 : 0;
    }
    return count;
  }
};

TEST_F(Commands, of_a_scenario_measure_with_a_program_that_netperfd_does_not_know) {
  if (!std::filesystem::exists("/usr/bin/iperf")) FAIL() << "the package iperf is not installed";
  install("bounce",
          fmt::format(
              "    run: [iperf, -c, {1}, --bounceback, --bounceback-period, '0', -t, '1', -l, '{{size}}']\n"
              "    netns: {0}\n    duration: 1s\n"
              "    parameters: {{size: {{value: 100, from: 64, to: 9000}}}}\n"
              "    local: {{run: [iperf, -s, -B, {1}], netns: {2}, bind: {1}, ready: {{port: 5001}}}}\n"
              "    figures:\n"
              "      - {{name: requests, unit: requests/s, better: higher, pattern: 'sec .*(?:RPS=| "
              ")([0-9]+)(?: rps)?$'}}\n"
              "      - {{name: trip, unit: ns, better: lower, pattern: '[0-9]=([0-9.]+)/[0-9.]+/[0-9.]+/"
              "[0-9.]+ ms', scale: 1e6}}\n",
              lab().net().left(), NetnsPair::kRightAddress, lab().net().right()));
  const Outcome started = lab().ctl({"start", "bounce", "--set", "workload.command.parameters.size=200"});
  ASSERT_EQ(started.code, 0) << started.err << started.out;
  const json page = last_run();
  EXPECT_EQ(page.at("run").at("state"), "finished") << page.dump(1);
  EXPECT_EQ(page.at("run").at("workload"), "command");
  EXPECT_EQ(page.at("run").at("server"), NetnsPair::kRightAddress);
  EXPECT_EQ(page.at("run").at("client_netns"), lab().net().left());
  const double requests = figure(page, "requests").at("value");
  const double trip = figure(page, "trip").at("value");
  EXPECT_GT(requests, 0);
  // One request is under way at a time; a busy host makes pauses between them.
  EXPECT_LT(requests * trip / 1e9, 1.2);
  EXPECT_GT(requests * trip / 1e9, 0.1);
  const std::string own = lab().ctl({"show", "last", "--document", "client.stdout"}).out;
  EXPECT_THAT(own, AllOf(HasSubstr("size= 200 Byte"), HasSubstr(fmt::format(" {:.0f} rps", requests))));
  // Both ends are on the path: counters of both namespaces, and the facts of the commands.
  const Outcome counters = lab().ctl({"show", "last", "--counters", "-o", "json"});
  EXPECT_THAT(counters.out, AllOf(HasSubstr(lab().net().left()), HasSubstr(lab().net().right())));
  const Outcome facts = lab().ctl({"show", "last", "--environment", "-o", "json"});
  EXPECT_THAT(facts.out, HasSubstr("--bounceback-period 0 -t 1 -l 200"));
  const Outcome text = lab().ctl({"show", "last"});
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("requests"), HasSubstr("requests/s"), HasSubstr("commands of the scenario")));
}

TEST_F(Commands, are_compared_by_the_first_figure_that_they_declare) {
  install_sh("plain", "echo rate=$(date +%N | cut -c1-2)1; echo other=4", "repeat: 4\n");
  const Outcome a = lab().ctl({"start", "plain", "--label", "before", "-o", "json"});
  ASSERT_EQ(a.code, 0) << a.err;
  const Outcome b = lab().ctl({"start", "plain", "--label", "after", "-o", "json"});
  ASSERT_EQ(b.code, 0) << b.err;
  const Outcome compared = lab().ctl({"compare", "label:before", "label:after", "-o", "json"});
  EXPECT_THAT(compared.out, HasSubstr("\"rate\"")) << compared.err;
  EXPECT_THAT(compared.out, testing::Not(HasSubstr("\"received\""))) << compared.out;
}

TEST_F(Commands, that_lack_a_figure_in_the_first_run_are_not_run_again) {
  install_sh("lacking", "echo no figure here", "repeat: 3\n");
  const Outcome started = lab().ctl({"start", "lacking"});
  EXPECT_NE(started.code, 0);
  const json page = last_run();
  EXPECT_THAT(page.dump(), HasSubstr("not measured, since run"));
  EXPECT_THAT(page.dump(), HasSubstr("figure rate: nothing in client.stdout matches rate="));
  EXPECT_THAT(page.dump(), HasSubstr("its last line: no figure here"));
}

TEST_F(Commands, that_hang_end_at_the_deadline_with_all_that_they_started) {
  install_sh("hanging",
             "trap \"\" TERM; (setsid sleep 971 &); echo words >&2; echo rate=1; while :; do sleep 1; done",
             "limits: {timeout: 2s}\n");
  const Outcome started = lab().ctl({"start", "hanging"});
  EXPECT_NE(started.code, 0);
  const json page = last_run();
  EXPECT_EQ(page.at("run").at("state"), "failed");
  EXPECT_THAT(page.at("run").at("error").get<std::string>(),
              AllOf(HasSubstr("not done within the deadline of 2 s (limits.timeout)"), HasSubstr("words")));
  EXPECT_FALSE(page.contains("figures") && !page.at("figures").empty()) << page.dump();
  EXPECT_TRUE(lab().workload_ends());
  EXPECT_EQ(directories(), 0U);
}

TEST_F(Commands, of_a_killed_daemon_leave_neither_processes_nor_directories) {
  install_sh("long", "echo x > file; exec sleep 970");
  const StartedJob job = lab().start("long");
  wait_for_change("/tmp", [] { return directories() == 1; });
  lab().end_netperfd(SIGKILL);
  EXPECT_TRUE(lab().workload_ends());
  lab().start_netperfd();
  EXPECT_EQ(directories(), 0U);
  EXPECT_THAT(lab().netperfd().log(), HasSubstr("removed the directories of 1 run(s)"));
}

TEST_F(Commands, are_not_for_members_to_write_or_to_change) {
  install_sh("fixed", "echo rate={n}");
  std::ofstream(lab().scenarios_dir() + "/fixed.yaml")
      << "name: fixed\nworkload:\n  command:\n    run: [/bin/echo, 'rate={n}']\n    duration: 1s\n"
         "    parameters: {n: {value: 1, from: 1, to: 5}}\n    figures:\n"
         "      - {name: rate, unit: 1/s, better: higher, pattern: 'rate=(\\S+)'}\n";
  const std::string own = lab().directory().write(
      "own.yaml",
      "name: own\nworkload: {command: {run: [/bin/sh, -c, id], duration: 1s, figures: [{name: a, unit: b, "
      "better: lower, pattern: '(x)'}]}}\n");
  const Outcome text = lab().ctl({"start", own});
  EXPECT_NE(text.code, 0);
  EXPECT_THAT(text.err, HasSubstr("workload.command: runs what the text says"));
  const auto refused = [](const std::string& set) { return lab().ctl({"start", "fixed", "--set", set}); };
  EXPECT_THAT(refused("workload.command.run=[id]").err, HasSubstr("which no start may change"));
  EXPECT_THAT(refused("workload.command.parameters.n=6").err, HasSubstr("is not a whole number from 1 to 5"));
  EXPECT_THAT(refused("workload.command.parameters.m=1").err, HasSubstr("is no parameter of the scenario"));
  const Outcome allowed = refused("workload.command.parameters.n=5");
  ASSERT_EQ(allowed.code, 0) << allowed.err << allowed.out;
  EXPECT_EQ(figure(last_run(), "rate").at("value"), 5);
  // A scenario that others can change is a text of theirs.
  ASSERT_EQ(::chmod((lab().scenarios_dir() + "/fixed.yaml").c_str(), 0666), 0);
  EXPECT_THAT(lab().ctl({"start", "fixed"}).err, HasSubstr("chmod go-w"));
  std::filesystem::remove(lab().scenarios_dir() + "/fixed.yaml");
}

}  // namespace
}  // namespace netperfd::system_test
