// SPDX-License-Identifier: GPL-2.0-or-later
// The real polkitd with the shipped actions and rules: what it allows whom, and what holds without it.
#include <csignal>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/polkitd.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// polkit looks groups up in the user database, where the user `daemon` is in the group `daemon`, and `bin` is
// not. For the kernel, both are members.
class Polkit : public SystemTest {
 protected:
  static constexpr gid_t kDaemonGroup = 1;
  static void SetUpTestSuite() { set_up({.environment = {}, .group = kDaemonGroup}); }
  void SetUp() override {
    if (!Polkitd::is_installed()) GTEST_SKIP() << "polkitd is not installed";
    SystemTest::SetUp();
  }
  static Polkitd start_polkitd(Polkitd::Knows knows = Polkitd::Knows::our_actions) {
    return Polkitd{lab().directory(), lab().bus(), knows};
  }
};

TEST_F(Polkit, members_measure_and_manage_their_own_work_by_the_shipped_rules) {
  const Polkitd polkitd = start_polkitd();
  EXPECT_EQ(lab().ctl({"doctor", "--fresh"}).code, 0);
  JobWatch watch{lab().bus().address()};
  const StartedJob job = lab().start("local", {"duration=30s"});
  EXPECT_EQ(lab().ctl({"stop", std::to_string(job.id)}).code, 0);
  EXPECT_EQ(watch.wait_for_end(job.id), "canceled");
  EXPECT_EQ(lab().ctl({"delete", std::to_string(job.runs.at(0))}).code, 0);
}

TEST_F(Polkit, everybody_else_needs_an_administrator) {
  const Polkitd polkitd = start_polkitd();
  for (const User& user : {lab().users().outsider, lab().users().other_member}) {
    const Outcome outcome = lab().ctl({"start", "quick"}, user);
    EXPECT_EQ(outcome.code, kDenied) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("administrator's password"), HasSubstr("org.netperfd1.measure"),
                                   HasSubstr("usermod -aG daemon")));
  }
  const Reply reply = lab().connect(lab().users().outsider).manager("StartScenario", "sa{sv}", "quick", 0);
  EXPECT_EQ(reply.error_name, "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired");
}

TEST_F(Polkit, the_work_of_others_needs_an_administrator_for_members_too) {
  const Polkitd polkitd = start_polkitd();
  EXPECT_EQ(lab().ctl({"start", "quick"}, User{}).code, 0);
  const auto run = lab().database().number("SELECT max(id) FROM runs");
  const Outcome outcome = lab().ctl({"delete", std::to_string(run)});
  EXPECT_EQ(outcome.code, kDenied) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("org.netperfd1.manage-others"));
  const Reply reply = lab()
                          .connect(lab().users().member)
                          .manager("OpenDocument", "ts", static_cast<std::uint64_t>(run), "client.stdout");
  EXPECT_EQ(reply.error_name, "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired");
}

TEST_F(Polkit, if_it_does_not_know_the_actions_only_root_may) {
  const Polkitd polkitd = start_polkitd(Polkitd::Knows::no_actions);
  const Outcome outcome = lab().ctl({"start", "quick"});
  EXPECT_EQ(outcome.code, kDenied) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("polkit does not work"), HasSubstr("only root may")));
  EXPECT_EQ(lab().ctl({"start", "quick"}, User{}).code, 0);
}

TEST_F(Polkit, while_it_does_not_answer_others_are_answered) {
  const Polkitd polkitd = start_polkitd();
  polkitd.signal(SIGSTOP);
  Process waiting{lab().ctl_command({"doctor", "--fresh"}, lab().users().member)};
  EXPECT_EQ(lab().connect(lab().users().member).manager("Subscribe", "").error_name, "");
  EXPECT_EQ(lab().ctl({"runs"}).code, 0);
  EXPECT_EQ(lab().ctl({"start", "quick"}, User{}).code, 0) << "root is never asked about";
  polkitd.signal(SIGCONT);
  EXPECT_EQ(waiting.wait().code, 0) << waiting.err();
}

TEST_F(Polkit, if_it_is_not_there_the_group_measures) {
  EXPECT_EQ(lab().ctl({"start", "quick"}, lab().users().other_member).code, 0);
  const Outcome outcome = lab().ctl({"start", "quick"}, lab().users().outsider);
  EXPECT_EQ(outcome.code, kDenied);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("that needs root or the group daemon"), HasSubstr("usermod -aG daemon")));
}

}  // namespace
}  // namespace netperfd::system_test
