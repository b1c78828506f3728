// SPDX-License-Identifier: GPL-2.0-or-later
// Sides that set what a device has, by the real program on a real device, and each way back.
#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class MachineSettings : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    LabOptions options;
    options.more_configuration =
        fmt::format("switch: {{path: {}}}\nallow: {{devices: ['veth0@*']}}\n", NETPERFD_SWITCH);
    set_up(options);
  }

  // The device of the left namespace, as settings name it.
  static std::string device() { return "veth0@" + lab().net().left(); }
  static std::string mtu() {
    const Outcome shown = run({.argv = {"/usr/sbin/ip", "-json", "link", "show", "veth0"},
                               .environment = {},
                               .user = {},
                               .netns = lab().net().left(),
                               .stderr_file = {}});
    EXPECT_EQ(shown.code, 0) << shown.err;
    return json::parse(shown.out).at(0).at("mtu").dump();
  }
  // Side A sets 1400 and side B 1300; the device has another value.
  static StartedJob start_long() {
    return lab().start("local", {"duration=30s"},
                       {"--force", "--set", fmt::format("design.a.machine={{mtu.{}: 1400}}", device()),
                        "--set", fmt::format("design.b.machine={{mtu.{}: 1300}}", device())});
  }
  static bool has_note() { return std::filesystem::exists(lab().database_path() + ".switch"); }

  void SetUp() override {
    SystemTest::SetUp();
    ASSERT_EQ(mtu(), "1500");
    watch = std::make_unique<JobWatch>(lab().bus().address());
  }
  void TearDown() override {
    EXPECT_EQ(mtu(), "1500") << "as it was";
    EXPECT_FALSE(has_note());
    SystemTest::TearDown();
  }

  std::unique_ptr<JobWatch> watch;
};

TEST_F(MachineSettings, are_what_differs_between_the_runs_of_a_member) {
  const Outcome started =
      lab().ctl({"ab", "local", "--repeat", "1", "--force", "--a", fmt::format("mtu.{}=1400", device()),
                 "--b", fmt::format("mtu.{}=1300", device()), "--fail-on", "never"});
  ASSERT_EQ(started.code, 0) << started.out << started.err;
  EXPECT_EQ(
      lab().database().value(
          "SELECT group_concat(DISTINCT variant || value) FROM (SELECT variant, value FROM runs JOIN "
          "environment_overview ON run = runs.id WHERE job = (SELECT max(id) FROM jobs) AND fact_group = "
          "'machine' ORDER BY variant)"),
      "A1400,B1300");
  const json page = json::parse(lab().ctl({"compare", "last", "-o", "json", "--fail-on", "never"}).out);
  EXPECT_EQ(page.at("comparison").at("changed"), json::array({"machine"})) << page.at("comparison");
}

TEST_F(MachineSettings, of_what_root_does_not_allow_are_refused) {
  for (const char* setting : {"mtu.lo: 1400", "offload.gro.veth1@x: off", "sysctl.net.ipv4.tcp_sack: 0",
                              "module.hsr: /x/hsr.ko", "irq.30: 1", "governor: performance"}) {
    const std::string own = lab().directory().write(
        "own.yaml",
        fmt::format("name: own\nrepeat: 1\nworkload: {{iperf3: {{netns: {}, local: {{netns: {}, bind: {}}}, "
                    "duration: 1s}}}}\ndesign: {{a: {{}}, b: {{machine: {{{}}}}}}}\n",
                    lab().net().left(), lab().net().right(), NetnsPair::kRightAddress, setting));
    const Outcome refused = lab().ctl({"start", own, "--force", "--detach"});
    EXPECT_EQ(refused.code, kDenied) << setting;
    EXPECT_THAT(refused.err, AllOf(HasSubstr("design.b.machine"), HasSubstr("the key allow."))) << setting;
  }
}

TEST_F(MachineSettings, that_the_device_does_not_take_fail_the_job) {
  const Outcome started = lab().ctl({"ab", "local", "--repeat", "1", "--force", "--b",
                                     fmt::format("mtu.{}=70000", device()), "--fail-on", "never"});
  EXPECT_EQ(started.code, kRunFailed) << started.out;
  EXPECT_THAT(started.out + started.err, HasSubstr("mtu.veth0"));
}

TEST_F(MachineSettings, are_undone_when_the_job_is_stopped) {
  const StartedJob job = start_long();
  watch->wait_for_run_state(job.id, "running");
  EXPECT_NE(mtu(), "1500");
  EXPECT_TRUE(has_note());
  EXPECT_EQ(lab().ctl({"stop", "last"}).code, 0);
  EXPECT_EQ(watch->wait_for_end(job.id), "canceled");
  EXPECT_EQ(lab().ctl({"wait", "last"}).code, kCanceled);
}

TEST_F(MachineSettings, are_undone_by_a_daemon_that_stops) {
  const StartedJob job = start_long();
  watch->wait_for_run_state(job.id, "running");
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  EXPECT_EQ(mtu(), "1500");
  lab().start_netperfd();
}

TEST_F(MachineSettings, are_undone_by_the_next_start_of_a_daemon_that_was_killed) {
  const StartedJob job = start_long();
  watch->wait_for_run_state(job.id, "running");
  EXPECT_EQ(lab().end_netperfd(SIGKILL), (Exit{-1, SIGKILL}));
  EXPECT_NE(mtu(), "1500");
  EXPECT_TRUE(lab().workload_ends());
  lab().start_netperfd();
  EXPECT_EQ(mtu(), "1500");
}

}  // namespace
}  // namespace netperfd::system_test
