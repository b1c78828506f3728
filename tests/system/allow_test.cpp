// SPDX-License-Identifier: GPL-2.0-or-later
// Where root lets members of the group measure.
#include <fmt/format.h>

#include <csignal>
#include <string>
#include <vector>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kAllow =
    "allow: {namespaces: [lab-*], hosts: [192.0.2.0/24, '*.lab.test'], ports: [5201]}\n";

class Allow : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    LabOptions options;
    options.more_configuration = kAllow;
    set_up(options);
  }
  static std::string own(const std::string& keys) {
    return lab().directory().write(
        "own.yaml", "name: own\nworkload: {iperf3: {duration: 1s, server_wait: 0s, " + keys + "}}\n");
  }
  static std::int64_t runs() { return lab().database().number("SELECT count(*) FROM runs"); }
  static void configure(const std::string& allow) {
    std::string text =
        lab().configuration_text(lab().scenarios_dir(), lab().users().group, lab().database_path());
    const auto at = text.find("allow:");
    if (at != std::string::npos) text.replace(at, text.find('\n', at) + 1 - at, allow);
    lab().directory().write("netperfd.yaml", text);
  }
};

TEST_F(Allow, refuses_a_members_text_elsewhere_and_tells_why) {
  const std::int64_t before = runs();
  for (const char* keys : {"server: 10.77.0.2", "server: '::ffff:10.77.0.2'", "server: '0xa4d0002'",
                           "server: localhost", "server: '::'", "server: 0.0.0.0", "server: evil.test",
                           "server: 192.0.2.1, port: 22", "server: 192.0.2.1, netns: other",
                           "local: {bind: 127.0.0.1}", "local: {netns: other, bind: 192.0.2.1}"}) {
    const Outcome outcome = lab().ctl({"start", own(keys), "--detach"});
    EXPECT_EQ(outcome.code, kDenied) << keys << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("own.yaml:2:"), HasSubstr("is not allowed: the key allow.")))
        << keys;
  }
  EXPECT_EQ(runs(), before);
  EXPECT_THAT(
      lab().ctl({"start", own("server: 10.77.0.2"), "--detach"}).err,
      AllOf(HasSubstr("workload.iperf3.server: \"10.77.0.2\""), HasSubstr("192.0.2.0/24, *.lab.test")));
  EXPECT_EQ(lab().database().number(
                "SELECT count(*) FROM audit WHERE outcome = 'refused' AND detail LIKE '%allow.hosts%'") > 0,
            true);
}

TEST_F(Allow, leaves_root_and_roots_scenarios_as_they_are_alone) {
  EXPECT_EQ(lab().ctl({"start", "local"}).code, 0);
  EXPECT_EQ(lab().ctl({"start", "local", "--set", "workload.iperf3.streams=2"}).code, 0);
  const Outcome by_root =
      lab().ctl({"start", own("server: 10.77.0.2, netns: " + lab().net().left()), "--detach"}, User{});
  EXPECT_EQ(by_root.code, 0) << by_root.err;
}

TEST_F(Allow, catches_what_a_member_changes_of_a_scenario) {
  const std::int64_t before = runs();
  for (const char* change :
       {"workload.iperf3.netns=null", "workload.iperf3.port=5202", "workload.iperf3.local.bind=127.0.0.1",
        "workload={iperf3: {server: 10.77.0.2, duration: 1s}}", "with={latency: {probes: [udp]}}"}) {
    const Outcome outcome = lab().ctl({"start", "local", "--detach", "--set", change});
    EXPECT_EQ(outcome.code, kDenied) << change << outcome.err;
  }
  EXPECT_EQ(runs(), before);
}

TEST_F(Allow, changes_with_a_reload_and_is_asked_again_after_a_restart) {
  JobWatch watch{lab().bus().address()};
  configure("");
  const std::size_t ready = lab().netperfd().notified().count("READY=1");
  lab().netperfd().process().signal(SIGHUP);
  lab().netperfd().wait_until_ready(ready + 1);
  const std::string left = lab().net().left();
  const StartedJob first = lab().start("local", {"duration=30s"});
  watch.wait_for_run_state(first.id, "running");
  const Outcome queued = lab().ctl({"start", own("server: 10.77.0.2, netns: " + left), "--detach"});
  ASSERT_EQ(queued.code, 0) << queued.err;
  configure(kAllow);
  (void)lab().end_netperfd(SIGKILL);
  lab().start_netperfd();
  EXPECT_THAT(lab().database().value("SELECT error FROM runs ORDER BY id DESC LIMIT 1"),
              AllOf(HasSubstr("not resumed after a restart of netperfd: it is no longer allowed"),
                    HasSubstr("allow.namespaces")));
}

}  // namespace
}  // namespace netperfd::system_test
