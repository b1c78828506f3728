// SPDX-License-Identifier: GPL-2.0-or-later
// Another user of the host connects to the server of somebody's run.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"
#include "tests/system/harness/traffic_tap.hpp"

namespace netperfd::system_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Strangers : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }

  // Who is in no group, in the namespace of the server, and runs bash. In `script`, SERVER is the server's
  // place.
  static std::unique_ptr<Process> outsider(std::string script) {
    const std::string server = fmt::format("/dev/tcp/{}/5201", NetnsPair::kRightAddress);
    const std::string word = "SERVER";
    for (auto at = script.find(word); at != std::string::npos; at = script.find(word))
      script.replace(at, word.size(), server);
    return std::make_unique<Process>(
        Command{.argv = {"bash", "-c", "exec 2>/dev/null; echo begun; " + script},
                .environment = {},
                .user = lab().users().outsider,
                .netns = lab().net().right(),
                .stderr_file = {}});
  }
  // Whether the run was measured, and who the run says was there too.
  static std::string measured_beside(const std::unique_ptr<Process>& stranger,
                                     const std::vector<std::string>& overrides = {}) {
    stranger->wait_for_output("begun");
    JobWatch watch{lab().bus().address()};
    const StartedJob job = lab().start("local", overrides);
    EXPECT_EQ(watch.wait_for_end(job.id), "finished")
        << lab().database().value("SELECT error FROM runs ORDER BY id DESC LIMIT 1");
    return lab().database().value(
        "SELECT coalesce((SELECT message FROM flags WHERE code = 'server-disturbed' AND run = (SELECT "
        "max(id) FROM "
        "runs)), '')");
  }
  static std::string of_outsider() {
    return fmt::format("of uid {} from 10.77.0.2", lab().users().outsider.uid);
  }
};

TEST_F(Strangers, who_connect_first_and_say_nothing_are_refused_and_named) {
  const auto stranger = outsider("until exec 3<>SERVER; do :; done; echo in; sleep 60");
  EXPECT_THAT(measured_beside(stranger), HasSubstr("1 connection " + of_outsider()));
  EXPECT_THAT(lab().ctl({"show", "last"}).out, HasSubstr("1 connection " + of_outsider()));
}

TEST_F(Strangers, who_send_garbage_again_and_again_are_refused) {
  const auto stranger =
      outsider("while :; do (exec 3<>SERVER; head -c 5000 /dev/urandom >&3; read -t 0.01 -u 3); done");
  EXPECT_THAT(measured_beside(stranger, {"streams=4", "no_delay=true"}), HasSubstr("connection"));
}

// Three attempts, each until the kernel has sent what asks for a connection (SYN_SENT).
constexpr const char* kThreeAttempts =
    "for i in {1..3}; do (: <>SERVER && echo connected) & until grep -q ':1451 02 ' /proc/net/tcp && echo "
    "asked; do kill -0 $! || break; done; kill $!; wait $!; done; echo done";

TEST_F(Strangers, cannot_connect_during_the_test) {
  JobWatch watch{lab().bus().address()};
  // The longer the host takes for the attempts, the longer the test that they need.
  std::string state;
  for (int seconds = 2; state != "running" && seconds <= 128; seconds *= 4) {
    TrafficTap tap{lab().net().right()};
    const StartedJob job = lab().start("local", {fmt::format("duration={}s", seconds)});
    tap.wait_for_traffic();
    const auto stranger = outsider(kThreeAttempts);
    stranger->wait_for_output("done");
    state = lab().database().value("SELECT state FROM runs ORDER BY id DESC LIMIT 1");
    EXPECT_THAT(stranger->out(), Not(HasSubstr("connected")));
    if (state == "running") {
      EXPECT_THAT(stranger->out(), HasSubstr("asked\nasked\nasked\ndone"));
    }
    EXPECT_EQ(watch.wait_for_end(job.id), "finished");
  }
  EXPECT_EQ(state, "running") << "still, after the attempts";
}

TEST_F(Strangers, do_not_keep_the_prober_of_a_run_from_its_server) {
  lab().directory().write(
      "scenarios.d/probes.yaml",
      fmt::format(
          "name: probes\nworkload: {{latency: {{local: {{netns: {}, bind: {}}}, netns: {}, port: 5201, "
          "duration: 1s, probes: [tcp, udp]}}}}\n",
          lab().net().right(), NetnsPair::kRightAddress, lab().net().left()));
  const auto stranger = outsider(
      "until exec 3<>SERVER; do :; done; for i in {10..210}; do eval \"exec $i<>SERVER\"; done; echo in; "
      "sleep 60");
  stranger->wait_for_output("begun");
  JobWatch watch{lab().bus().address()};
  const StartedJob job = lab().start("probes");
  EXPECT_EQ(watch.wait_for_end(job.id), "finished")
      << lab().database().value("SELECT error FROM runs ORDER BY id DESC LIMIT 1");
}

}  // namespace
}  // namespace netperfd::system_test
