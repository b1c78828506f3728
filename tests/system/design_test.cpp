// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs with a design, pilots and self-tests, run for real and shown by the client.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Design : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    set_up({});
    lab().directory().write("same.yaml",
                            fmt::format(R"(name: same
repeat: 1
workload:
  iperf3:
    local: {{netns: {}, bind: {}}}
    netns: {}
    duration: 1s
limits: {{timeout: 5min}}
design:
  a: {{name: list}}
  b: {{name: hash}}
  seed: 42
)",
                                        lab().net().right(), NetnsPair::kRightAddress, lab().net().left()));
  }

  // A member's text cannot have commands, so its sides differ only in their names.
  static std::string same() { return lab().directory().path("same.yaml"); }
};

TEST_F(Design, of_names_only_ends_with_a_comparison_that_says_too_few) {
  const Outcome started = lab().ctl({"start", same(), "--force"});
  EXPECT_EQ(started.code, 0) << started.err;
  EXPECT_THAT(started.out, HasSubstr("1 block of A list and B hash, ABBA or BAAB: 4 runs of 1"));
  EXPECT_THAT(started.out, HasSubstr("seed 42"));
  EXPECT_THAT(started.out, HasSubstr("block 1, A list, plain"));
  EXPECT_THAT(started.out, HasSubstr("block 1, B hash, plain"));
  EXPECT_THAT(started.out, HasSubstr("A: list, 2 runs   B: hash, 2 runs"));
  EXPECT_THAT(started.out, HasSubstr("TOO FEW"));
}

TEST_F(Design, that_cannot_end_in_an_answer_is_not_started_until_its_advice_is_followed) {
  const auto jobs = [] { return lab().database().number("SELECT count(*) FROM jobs"); };
  const auto before = jobs();
  const Outcome refused = lab().ctl(
      {"start", same(), "--set", "workload.iperf3.netns=nowhere-at-all", "--set", "figures=[received, cpu]"});
  EXPECT_EQ(refused.code, 2) << refused.out;
  EXPECT_THAT(refused.err, StartsWith("1 block is too few: the intervals of 2 figures together take 7. Set "
                                      "`repeat: 7`\nnetwork namespace \"nowhere-at-all\" does not exist"));
  EXPECT_THAT(refused.err, HasSubstr("This could not end in an answer, for 2 reasons; nothing was started. "
                                     "`--force` measures all the same."));
  EXPECT_EQ(jobs(), before);
  const Outcome followed = lab().ctl(
      {"start", same(), "--set", "figures=[received, cpu]", "--set", "repeat=7", "--detach", "-o", "json"});
  ASSERT_EQ(followed.code, 0) << followed.err;
  lab().stop(json::parse(followed.out).at("job").at("job").get<std::uint64_t>());
  EXPECT_EQ(jobs(), before + 1);
}

// The sides of `ab` need no scenario of their own, no command and no rights of root.
class Ab : public Design {
 protected:
  static std::string plain() {
    return lab().directory().write(
        "plain.yaml",
        fmt::format("name: plain\nworkload: {{iperf3: {{netns: {}, local: {{netns: {}, bind: {}}}, "
                    "duration: 1s}}}}\n",
                    lab().net().left(), lab().net().right(), NetnsPair::kRightAddress));
  }
  static json run_of(const json& document, const std::string& side) {
    for (const json& run : document.at("runs")) {
      if (run.at("variant") == side)
        return json::parse(lab().ctl({"show", std::to_string(run.at("run").get<int>()), "-o", "json"}).out);
    }
    ADD_FAILURE() << "no run of " << side;
    return json::object();
  }
};

TEST_F(Ab, measures_each_side_with_its_own_keys_and_says_what_it_was) {
  const Outcome started = lab().ctl({"ab", plain(), "--a", "streams=1", "--b", "streams=4", "--b",
                                     "congestion=reno", "--repeat", "1", "--force", "-o", "json"});
  ASSERT_EQ(started.code, 0) << started.err;
  const json document = json::parse(started.out);
  EXPECT_EQ(document.at("comparison").at("changed"), json::array({"iperf3"}));
  const json a = run_of(document, "1"), b = run_of(document, "B");
  EXPECT_EQ(a.at("run").at("streams"), 1);
  EXPECT_EQ(b.at("run").at("streams"), 4);
  EXPECT_EQ(b.at("run").at("congestion"), "reno");
}

TEST_F(Ab, finds_what_a_key_costs) {
  const Outcome started = lab().ctl({"ab", plain(), "--b", "bitrate=20M", "-o", "json"});
  ASSERT_EQ(started.code, 0) << started.err;
  const json comparison = json::parse(started.out).at("comparison");
  // A noisy host takes the verdict away.
  EXPECT_THAT(comparison.at("verdict"), AnyOf("regression", "inconclusive"));
  EXPECT_EQ(comparison.at("changed"), json::array({"iperf3"}));
  EXPECT_LT(comparison.at("ratio_high").get<double>(), 0.5);
}

TEST_F(Ab, refuses_a_key_that_there_is_not_and_a_scenario_with_sides) {
  const Outcome unknown = lab().ctl({"ab", plain(), "--b", "colour=red"});
  EXPECT_EQ(unknown.code, 2) << unknown.out;
  EXPECT_THAT(unknown.err, HasSubstr("colour"));
  const Outcome sided = lab().ctl({"ab", same(), "--b", "streams=2"});
  EXPECT_EQ(sided.code, 2) << sided.out;
  EXPECT_THAT(sided.err, HasSubstr("belongs to a side of the design"));
}

TEST_F(Design, of_a_stored_job_is_compared_by_its_number_and_as_the_last) {
  const Outcome started = lab().ctl({"start", same(), "--force", "-o", "json", "--fail-on", "inconclusive"});
  EXPECT_EQ(started.code, 6) << started.err;
  const json document = json::parse(started.out);
  EXPECT_EQ(document.at("comparison").at("verdict"), "too few");
  EXPECT_EQ(document.at("job").at("seed"), 42);
  EXPECT_EQ(document.at("job").at("repeat"), 1);
  EXPECT_EQ(document.at("runs").size(), 4U);
  std::multiset<std::string> sides;
  for (const json& run : document.at("runs")) sides.insert(run.at("variant"));
  EXPECT_EQ(sides, (std::multiset<std::string>{"hash", "hash", "list", "list"}));

  const auto job = document.at("job").at("job").get<std::uint64_t>();
  const std::string of_job = fmt::format("job:{}", job);
  for (const auto& [selection, user] :
       {std::pair{of_job, lab().users().outsider}, {"last", lab().users().member}}) {
    const Outcome compared = lab().ctl({"compare", selection, "-o", "json"}, user);
    EXPECT_EQ(compared.code, 6) << compared.err;
    EXPECT_EQ(json::parse(compared.out).at("job"), job);
  }
  const Outcome by_hand =
      lab().ctl({"compare", of_job + " variant:list", of_job + " variant:hash", "-o", "json"});
  EXPECT_EQ(json::parse(by_hand.out).at("comparison").at("runs_a"),
            json::parse(lab().ctl({"compare", of_job, "-o", "json"}).out).at("comparison").at("runs_a"));
  const Outcome runs = lab().ctl({"runs", "--job", std::to_string(job)});
  EXPECT_THAT(runs.out, HasSubstr("1A plain list"));
}

TEST_F(Design, is_planned_from_stored_runs) {
  const Outcome measured = lab().ctl({"start", "local", "--repeat", "4"});
  ASSERT_EQ(measured.code, 0) << measured.err;
  const Outcome planned = lab().ctl(
      {"plan", "local", "--runs", "scenario:local", "--effect", "5%", "-o", "json"}, lab().users().member);
  ASSERT_EQ(planned.code, 0) << planned.err;
  const json document = json::parse(planned.out);
  EXPECT_EQ(document.at("plan").at("pairing"), "runs");
  EXPECT_GE(document.at("plan").at("samples"), 4);
  EXPECT_DOUBLE_EQ(document.at("plan").at("effect").get<double>(), 0.05);
  EXPECT_EQ(document.at("repeat"), 4);
  ASSERT_EQ(document.at("effects").size(), 6U);
  // If the number of runs for an effect is below a million, a larger effect needs fewer.
  const json& effects = document.at("effects");
  for (std::size_t i = 1; i < effects.size(); ++i) {
    if (!effects.at(i - 1).contains("needed")) continue;
    EXPECT_LE(effects.at(i).at("needed"), effects.at(i - 1).at("needed")) << document.dump(2);
  }
  const Outcome page = lab().ctl({"plan", "local", "--runs", "scenario:local"});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(page.out, StartsWith("local   planned from scenario:local"));
}

TEST_F(Design, at_its_start_is_judged_by_runs_of_the_same_test) {
  const auto started = [](const char* bitrate) {
    return lab().ctl(
        {"start", "local", "--repeat", "4", "--set", fmt::format("workload.iperf3.bitrate={}", bitrate)});
  };
  const Outcome first = started("31M");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, Not(HasSubstr("stored runs"))) << "those that there are had other keys";
  EXPECT_THAT(started("31M").out, HasSubstr("If they scatter as stored runs of this test do"));
  EXPECT_THAT(started("32M").out, Not(HasSubstr("stored runs")));
}

// Each command of the page is one that the daemon accepts, however small the difference.
TEST_F(Design, is_never_planned_beyond_what_the_daemon_accepts) {
  const Outcome measured = lab().ctl({"start", "local", "--repeat", "4"});
  ASSERT_EQ(measured.code, 0) << measured.err;
  for (const char* effect : {"0.001%", "5%", "50%"}) {
    const json plan = json::parse(
        lab().ctl({"plan", "local", "--runs", "scenario:local", "--effect", effect, "-o", "json"}).out);
    const bool fits = plan.at("plan").contains("needed") && plan.at("plan").at("needed") <= 1000;
    EXPECT_EQ(fits, plan.at("commands").size() == 3) << plan.dump(2);
    EXPECT_EQ(fits, !plan.contains("most")) << plan.dump(2);
  }
  const Outcome page =
      lab().ctl({"plan", "local", "--runs", "scenario:local", "--effect", "0.001%"}, lab().users().member);
  EXPECT_THAT(page.out, HasSubstr("this host can compare 1,000 runs a side at most"));
  EXPECT_THAT(page.out, Not(HasSubstr("--repeat")));
  const Reply checked = lab().connect(lab().users().member).manager("CheckScenario", "sa{sv}", "local", 0);
  ASSERT_EQ(checked.error_name, "") << checked.error_text;
  EXPECT_EQ(lab().ctl({"start", "local", "--repeat", "1001", "--detach"}).code, 2);
  EXPECT_NE(lab().connect(lab().users().outsider).manager("CheckScenario", "sa{sv}", "local", 0).error_name,
            "");
}

TEST_F(Design, that_cannot_be_planned_is_not_measured_first) {
  const auto jobs = [] { return lab().database().number("SELECT count(*) FROM jobs"); };
  const auto before = jobs();
  const Outcome small = lab().ctl({"plan", "local", "--effect", "1%"});
  EXPECT_EQ(small.code, 2) << small.out;
  EXPECT_THAT(small.err, HasSubstr("a difference of 1 % is not above the threshold of 1 %"));
  EXPECT_THAT(small.err, HasSubstr("--threshold"));
  EXPECT_THAT(small.err, HasSubstr("nothing was started"));
  EXPECT_EQ(lab().ctl({"plan", "local", "--figure", "latency.p99"}).code, 2);
  EXPECT_EQ(lab().ctl({"plan", "local", "--power", "1%"}).code, 2);
  EXPECT_EQ(jobs(), before);
}

TEST_F(Design, of_a_pilot_is_no_result) {
  const Outcome planned = lab().ctl({"plan", "local", "--repeat", "3", "-o", "json"});
  ASSERT_EQ(planned.code, 0) << planned.err;
  const json document = json::parse(planned.out);
  EXPECT_EQ(document.at("plan").at("samples"), 3);
  const auto pilot = document.at("job").get<std::uint64_t>();
  const json shown = json::parse(lab().ctl({"runs", "--job", std::to_string(pilot), "-o", "json"}).out);
  ASSERT_EQ(shown.at("runs").size(), 3U);
  EXPECT_EQ(shown.at("runs").at(0).at("purpose"), "pilot");
  EXPECT_EQ(shown.at("runs").at(0).at("label"), "pilot");
  const Outcome selected = lab().ctl({"compare", "label:pilot", "41"});
  EXPECT_EQ(selected.code, 5) << "runs of a pilot are not meant without their numbers";
}

TEST_F(Design, of_a_self_test_says_what_this_host_resolves) {
  const Outcome tested =
      lab().ctl({"selftest", "local", "--repeat", "1", "--force", "--set", "workload.iperf3.bitrate=20M"});
  EXPECT_EQ(tested.code, 6) << tested.err;
  EXPECT_THAT(tested.out, HasSubstr("local as a self-test, 1 block of A and B"));
  EXPECT_THAT(tested.out, HasSubstr("this host against itself: local   4 runs"));
  EXPECT_THAT(tested.out, HasSubstr("TOO FEW"));
  EXPECT_THAT(tested.out,
              HasSubstr("again      netperfctl selftest local --set workload.iperf3.bitrate=20M"));
  EXPECT_THAT(tested.out, Not(HasSubstr("fools itself")));
}

TEST_F(Design, names_what_is_wrong_with_the_command_line) {
  EXPECT_EQ(lab().ctl({"compare", "label:x"}).code, 2);
  EXPECT_EQ(lab().ctl({"compare", "job:x"}).code, 2);
  EXPECT_EQ(lab().ctl({"compare", "job:999999"}).code, 5);
  EXPECT_EQ(lab().ctl({"plan", "local", "--effect", "1"}).code, 2);
  EXPECT_EQ(lab().ctl({"plan", "local", "--runs", "last", "--repeat", "3"}).code, 2);
  EXPECT_EQ(lab().ctl({"plan", "nowhere"}).code, 5);
  const Outcome refused = lab().ctl({"selftest", "local"}, lab().users().outsider);
  EXPECT_EQ(refused.code, 4) << refused.err;
}

}  // namespace
}  // namespace netperfd::system_test
