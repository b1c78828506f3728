// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs with two sides: the daemon itself runs real commands that change a namespace between real runs.
#include <fmt/format.h>

#include <csignal>
#include <filesystem>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"
#include "tests/system/harness/tracefs_state.hpp"

namespace netperfd::system_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Sides : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }
  void SetUp() override {
    SystemTest::SetUp();
    watch = std::make_unique<JobWatch>(lab().bus().address());
    lab().directory().write("side", "1\n");
    Process process{{.argv = in_left("echo 1 >/proc/sys/net/ipv4/tcp_sack"),
                     .environment = {},
                     .user = {},
                     .netns = {},
                     .stderr_file = {}}};
    ASSERT_EQ(process.wait(), (Exit{0, 0})) << process.err();
  }

  // With this seed a block has the order BAAB.
  static constexpr int kBeginsWithB = 5489;

  static std::vector<std::string> in_left(const std::string& script) {
    return {"/usr/sbin/ip", "netns", "exec", lab().net().left(), "/bin/sh", "-c", script};
  }
  // Words of YAML in single quotes.
  static std::string list_of(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", word);
    return "[" + text + "]";
  }
  // One side, which sets TCP's tcp_sack to this value; the check reads the same file.
  std::string side(const std::string& name, int value, const std::string& check_too = {},
                   const std::string& switch_first = {}) const {
    const std::string path = "/proc/sys/net/ipv4/tcp_sack";
    return fmt::format("{{name: {}, switch: {}, check: {}}}", name,
                       list_of(in_left(switch_first + fmt::format("echo {0} >{1} && echo {0} >{2}", value,
                                                                  path, side_file))),
                       list_of(in_left(fmt::format("test $(cat {}) = {}{}", path, value, check_too))));
  }
  void write_scenario(const std::string& name, const std::string& more, const std::string& check_of_b = {},
                      const std::string& before_switch_to_a = {}) const {
    lab().directory().write(
        "scenarios.d/" + name + ".yaml",
        fmt::format("name: {}\nrepeat: 1\nworkload:\n  iperf3: {{netns: {}, local: {{netns: {}, bind: {}}}, "
                    "bytes: 100K}}\n"
                    "design:\n  seed: {}\n  a: {}\n  b: {}\n{}",
                    name, lab().net().left(), lab().net().right(), NetnsPair::kRightAddress, kBeginsWithB,
                    side("on", 1, {}, before_switch_to_a), side("off", 0, check_of_b), more));
  }
  [[nodiscard]] std::string side_now() const { return read_text(side_file); }
  static std::string column(std::uint64_t job, const char* name) {
    return lab().database().value(fmt::format(
        "SELECT group_concat({}, ' ') FROM (SELECT * FROM runs WHERE job = {} ORDER BY id)", name, job));
  }
  static std::uint64_t newest_job() {
    return static_cast<std::uint64_t>(lab().database().number("SELECT max(id) FROM jobs"));
  }

  const std::string side_file = lab().directory().path("side");
  std::unique_ptr<JobWatch> watch;
};

// No switch is run: the first reboot is announced an hour before.
TEST_F(Sides, that_need_a_reboot_are_not_piloted_unless_somebody_agrees) {
  lab().directory().write(
      "scenarios.d/kernels.yaml",
      fmt::format(
          "name: kernels\nworkload:\n  iperf3: {{netns: {}, local: {{netns: {}, bind: {}}}, duration: 1s}}\n"
          "design:\n  level: boot\n  a: {{name: on, switch: [/bin/false], check: [/bin/true]}}\n"
          "  b: {{name: off, switch: [/bin/false, b], check: [/bin/false]}}\n"
          "  reboots: {{notice: 1h, settle: 30s, runs: 2}}\n",
          lab().net().left(), lab().net().right(), NetnsPair::kRightAddress));
  const std::int64_t before = lab().database().number("SELECT count(*) FROM jobs");
  const Outcome refused = lab().ctl({"plan", "kernels"});
  EXPECT_EQ(refused.code, kUsage) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("A pilot takes 24 boots, about 24 h "));
  EXPECT_THAT(refused.err, HasSubstr("--yes lets the pilot reboot this machine"));
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM jobs"), before) << "nothing was started";

  const Outcome agreed = lab().ctl({"plan", "kernels", "--yes", "--repeat", "2"}, User{});
  EXPECT_EQ(agreed.code, 0) << agreed.err;
  EXPECT_THAT(agreed.err, HasSubstr("A pilot takes 8 boots"));
  EXPECT_THAT(agreed.out, HasSubstr("`netperfctl plan kernels` plans from its boots"));
  const std::uint64_t pilot = newest_job();
  // Held before its first reboot, it is held when the daemon was restarted, too.
  EXPECT_EQ(lab().ctl({"hold", std::to_string(pilot)}, User{}).code, 0);
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  lab().start_netperfd();
  EXPECT_THAT(lab().ctl({"jobs"}).out, HasSubstr("is held"));
  EXPECT_EQ(lab().database().value(fmt::format("SELECT purpose FROM jobs WHERE id = {}", pilot)), "pilot");
  EXPECT_EQ(lab().ctl({"stop", std::to_string(pilot)}, User{}).code, 0);
}

TEST_F(Sides, are_taken_by_turns_with_and_without_the_trace) {
  const std::string tracefs_before = tracefs_state();
  write_scenario("turns", "trace: {events: ['skb:consume_skb']}\n");
  const Outcome started = lab().ctl({"start", "turns", "--force"});
  ASSERT_EQ(started.code, 0) << started.err;
  const std::uint64_t job = newest_job();
  EXPECT_EQ(column(job, "variant"), "B B A A A A B B");
  EXPECT_EQ(column(job, "state"), "finished finished finished finished finished finished finished finished");
  const Database database = lab().database();
  EXPECT_EQ(database.number(fmt::format("SELECT sum(traced) FROM runs WHERE job = {}", job)), 4);
  EXPECT_EQ(
      database.number(fmt::format(
          "SELECT count(*) FROM runs WHERE job = {} AND traced != (id IN (SELECT run FROM traces))", job)),
      0)
      << "a plain run has no trace, a traced one has";
  EXPECT_EQ(side_now(), "1\n") << "the side that it was on before";
  EXPECT_EQ(tracefs_state(), tracefs_before);
}

TEST_F(Sides, find_each_run_on_its_side) {
  write_scenario("found", "");
  ASSERT_EQ(lab().ctl({"start", "found", "--force"}).code, 0);
  // Each run's environment has its side's value in its own namespace; no command has touched the others.
  EXPECT_EQ(lab().database().value(fmt::format("SELECT group_concat(variant || switched, ' ') FROM (SELECT "
                                               "variant, sum(value = '0') AS switched FROM runs "
                                               "JOIN environment_overview ON run = runs.id WHERE job = {} "
                                               "AND fact_group LIKE 'sysctl:%tcp_sack' GROUP BY "
                                               "runs.id ORDER BY runs.id)",
                                               newest_job())),
            "B1 A0 A0 B1");
}

TEST_F(Sides, end_with_a_check_that_fails_on_the_side_where_they_began) {
  write_scenario("failing", "",
                 "; for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done; echo no luck >&2; exit 4");
  const Outcome started = lab().ctl({"start", "failing", "--force"});
  EXPECT_EQ(started.code, kRunFailed);
  const std::uint64_t job = newest_job();
  EXPECT_EQ(column(job, "state"), "failed canceled canceled canceled");
  const std::string error =
      lab().database().value(fmt::format("SELECT error FROM runs WHERE job = {} ORDER BY id LIMIT 1", job));
  EXPECT_THAT(error, StartsWith("side off: its check failed: exit code 4: no luck; "));
  EXPECT_THAT(started.out, HasSubstr("exit code 4: no luck; "));
  EXPECT_THAT(started.out, Not(HasSubstr("line 9"))) << "what it wrote before would hide the cause";
  const std::string run = column(job, "id").substr(0, column(job, "id").find(' '));
  EXPECT_THAT(started.out, HasSubstr(fmt::format("Why run {0} failed: `netperfctl show {0}`.", run)));
  EXPECT_THAT(lab().ctl({"show", run}).out, HasSubstr(fmt::format("show {} --document command.output", run)));
  EXPECT_THAT(lab().ctl({"show", run, "--document", "command.output"}).out,
              testing::AllOf(StartsWith("line 1\n"), testing::EndsWith("line 9\nno luck\n")));
  EXPECT_EQ(side_now(), "1\n");
}

TEST_F(Sides, that_cannot_go_back_fail_the_job) {
  // The switches of the two letters of side A create one each, that at the end finds both.
  const std::filesystem::path once = lab().directory().path("once"), twice = lab().directory().path("twice");
  write_scenario("stuck", "", {}, fmt::format("mkdir {} || mkdir {} && ", once.string(), twice.string()));
  const Outcome started = lab().ctl({"start", "stuck", "--force"});
  EXPECT_EQ(column(newest_job(), "state"), "finished finished finished finished");
  EXPECT_EQ(started.code, kRunFailed) << started.out << started.err;
  EXPECT_THAT(started.out, HasSubstr("failed: 4 runs finished"));
  EXPECT_THAT(started.out, HasSubstr("could not be brought back"));
  EXPECT_EQ(side_now(), "0\n");
  std::filesystem::remove(once);
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  lab().start_netperfd();
  EXPECT_EQ(side_now(), "1\n") << "the next start tries again";
}

TEST_F(Sides, go_back_when_they_are_stopped) {
  write_scenario("stopped", "");
  const StartedJob job = lab().start("stopped", {"bytes=null", "duration=60s"});
  watch->wait_for_run_state(job.id, "running");
  EXPECT_EQ(side_now(), "0\n");
  lab().stop(job.id);
  EXPECT_EQ(watch->wait_for_end(job.id), "canceled");
  EXPECT_EQ(side_now(), "1\n");
}

TEST_F(Sides, go_back_when_the_daemon_stops) {
  write_scenario("ended", "");
  const StartedJob job = lab().start("ended", {"bytes=null", "duration=60s"});
  watch->wait_for_run_state(job.id, "running");
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  EXPECT_EQ(side_now(), "1\n");
  lab().start_netperfd();
}

TEST_F(Sides, a_daemon_that_was_killed_goes_back_at_its_next_start) {
  write_scenario("killed", "");
  const StartedJob job = lab().start("killed", {"bytes=null", "duration=60s"});
  watch->wait_for_run_state(job.id, "running");
  EXPECT_EQ(lab().end_netperfd(SIGKILL), (Exit{-1, SIGKILL}));
  EXPECT_EQ(side_now(), "0\n");
  EXPECT_TRUE(lab().workload_ends());
  lab().start_netperfd();
  EXPECT_EQ(side_now(), "1\n");
  EXPECT_THAT(lab().netperfd().log(), HasSubstr(fmt::format("job {} left the machine off side on", job.id)));
}

TEST_F(Sides, go_on_with_the_next_block_after_a_kill) {
  write_scenario("overnight", "");
  const StartedJob job = lab().start("overnight", {"bytes=null", "duration=1s"}, {"--repeat", "2"});
  ASSERT_EQ(watch->wait_for_runs(job.id, 1).front().state, "finished");
  EXPECT_EQ(lab().end_netperfd(SIGKILL), (Exit{-1, SIGKILL}));
  EXPECT_TRUE(lab().workload_ends());
  lab().start_netperfd();
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0) << "it runs after the job that goes on";
  EXPECT_EQ(column(job.id, "state"),
            "finished interrupted interrupted interrupted finished finished finished finished");
  EXPECT_EQ(column(job.id, "block"), "1 1 1 1 2 2 2 2");
  const Outcome compared = lab().ctl({"compare", fmt::format("job:{}", job.id)});
  EXPECT_THAT(compared.out + compared.err, HasSubstr("1 ABBA block")) << "the whole one";
  EXPECT_EQ(side_now(), "1\n");
}

}  // namespace
}  // namespace netperfd::system_test
