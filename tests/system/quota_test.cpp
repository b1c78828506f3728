// SPDX-License-Identifier: GPL-2.0-or-later
// What one user may have, and what refuses him the rest.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Quota : public SystemTest {
 protected:
  static constexpr std::uint32_t kQueue = 3;
  static void SetUpTestSuite() {
    set_up({.gated = true,
            .queue_limit = kQueue,
            .environment = {},
            .limits = "  user: {queue: 2, stored: 60K, time: 2min}\n"});
  }
  void TearDown() override {
    lab().gate().open();
    SystemTest::TearDown();
    delete_all(lab().database().rows("SELECT id FROM runs"));
  }

  static Outcome start(const User& user, const std::string& duration, const std::string& repeat = "1") {
    return lab().ctl(
        {"start", "local", "--detach", "--set", "workload.iperf3.duration=" + duration, "--repeat", repeat},
        user);
  }
  static void delete_all(const std::vector<Database::Row>& runs) {
    std::vector<std::string> words{"delete"};
    for (const auto& row : runs) words.push_back(row.front());
    EXPECT_EQ(lab().ctl(words, User{}).code, 0);
  }
  static std::int64_t jobs() { return lab().database().number("SELECT count(*) FROM jobs"); }
};

TEST_F(Quota, a_member_fills_his_part_of_the_queue_and_others_and_root_still_start) {
  lab().gate().close();
  const User& member = lab().users().member;
  EXPECT_EQ(start(member, "1s").code, 0);
  EXPECT_EQ(start(member, "1s").code, 0);
  const std::int64_t before = jobs();
  for (int i = 0; i < 20; ++i) {
    const Outcome refused = start(member, "1s");
    EXPECT_EQ(refused.code, kQuota) << refused.err;
    EXPECT_THAT(refused.err, AllOf(HasSubstr(fmt::format("uid {} has 2 jobs", member.uid)),
                                   HasSubstr("limits.user.queue allows 2")));
  }
  EXPECT_EQ(jobs(), before) << "a refused job leaves nothing behind";
  const Reply reply = lab().connect(member).manager("StartScenario", "sa{sv}", "local", 0);
  EXPECT_EQ(reply.error_name, "org.netperfd1.Error.QuotaExceeded");

  EXPECT_EQ(start(lab().users().other_member, "1s").code, 0);
  const Outcome full = start(lab().users().other_member, "1s");
  EXPECT_EQ(full.code, kOther);
  EXPECT_THAT(full.err, HasSubstr("the queue is full"));
  EXPECT_EQ(start(User{}, "1s").code, 0) << "root";
}

TEST_F(Quota, a_member_who_has_stored_too_much_starts_again_once_he_has_deleted_some) {
  lab().gate().close();
  const StartedJob first = lab().start("local", {"duration=1s"});  // keeps the others waiting
  int accepted = 0;
  std::string error;
  // Each stores two hundred runs that never happen.
  while (accepted < 100 && error.empty()) {
    const Outcome started = lab().ctl(
        {"start", "quick", "--detach", "--repeat", "200", "--set", "limits.timeout=100ms", "-o", "json"});
    if (started.code != 0) {
      EXPECT_EQ(started.code, kQuota) << started.err;
      error = started.err;
      continue;
    }
    ++accepted;
    lab().stop(nlohmann::json::parse(started.out).at("job").at("job").get<std::uint64_t>());
  }
  EXPECT_GE(accepted, 2);
  EXPECT_LT(accepted, 20);
  EXPECT_THAT(error, HasSubstr("limits.user.stored"));
  EXPECT_EQ(start(lab().users().other_member, "1s").code, 0) << "another user";
  delete_all(lab().database().rows("SELECT id FROM runs WHERE state = 'canceled'"));
  lab().stop(first.id);
  EXPECT_EQ(start(lab().users().member, "1s").code, 0);
}

TEST_F(Quota, a_member_may_not_ask_for_more_time_than_a_day_has_for_him) {
  const User& member = lab().users().member;
  const Outcome refused = start(member, "30s", "5");
  EXPECT_EQ(refused.code, kQuota) << refused.err;
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("this job may take 3 min"), HasSubstr("limits.user.time allows 2 min")));
  EXPECT_EQ(start(User{}, "30s", "5").code, 0) << "root";
  EXPECT_EQ(start(member, "30s", "3").code, 0);
  EXPECT_EQ(start(member, "30s", "2").code, kQuota) << "with the live job it would be too much";
}

}  // namespace
}  // namespace netperfd::system_test
