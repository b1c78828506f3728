// SPDX-License-Identifier: GPL-2.0-or-later
// What ended jobs left changed on the machine, over the bus: the row about it, and who may try it again.
#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/unit/bus/bus_test.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kBusy = "exit code 2: busy";

class LeftOnTheMachine : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    queries.stored.push_back(a_run(41, 1));
    queries.stored.back().owner = ::geteuid();
    sides.kept = core::SideNote{.job = 1,
                                .side = "gso-on",
                                .apply = {"/x/switch", "gso-on"},
                                .parts = {"namespace left", "program /x/switch"}};
  }
  dbus::Row row() {
    const auto listed = client->call<dbus::Rows>("ListCapabilities", false);
    EXPECT_EQ(listed.error, "") << listed.text;
    for (const dbus::Row& each : std::get<0>(listed.values)) {
      if (text_at(each, "name") == "sides") return each;
    }
    ADD_FAILURE() << "no such row";
    return {};
  }
  // Asks for it, and ends the command as `error` says once it runs.
  Answered<std::string> undo(const std::string& error) {
    const auto asked = client->ask<std::string>("UndoJob", std::uint64_t{1});
    EXPECT_TRUE(run_until(*loop, [&] {
      clock.turn();
      return commands.is_running() || asked.answered->has_value();
    }));
    if (commands.is_running()) {
      EXPECT_FALSE(asked.answered->has_value()) << "it waits for the command";
      commands.end(error);
      clock.turn();
    }
    return client->answer_to(asked);
  }
};

TEST_F(LeftOnTheMachine, is_a_row_of_the_doctor_with_the_way_out) {
  EXPECT_EQ(text_at(row(), "ability"), "limited");
  EXPECT_EQ(
      text_at(row(), "detail"),
      "job 1 left the machine off side gso-on (namespace left, program /x/switch); designs that concern "
      "the same do not run");
  EXPECT_THAT(text_at(row(), "advice"), AllOf(HasSubstr("`netperfctl undo 1`"), HasSubstr("root"),
                                              HasSubstr("`/x/switch gso-on`"), HasSubstr("the next job")));
  (void)undo(kBusy);
  EXPECT_THAT(text_at(row(), "detail"), HasSubstr("the last way back failed: exit code 2: busy"));
  sides.kept.reset();
  EXPECT_EQ(text_at(row(), "ability"), "yes");
  EXPECT_FALSE(row().contains("advice"));
}

TEST_F(LeftOnTheMachine, is_not_known_if_the_journal_cannot_be_read) {
  sides.unreadable = Error{ErrorKind::io, "/d.side: input error"};
  EXPECT_EQ(text_at(row(), "ability"), "no");
  EXPECT_THAT(text_at(row(), "detail"), HasSubstr("/d.side: input error"));
}

TEST_F(LeftOnTheMachine, with_a_script_as_its_command_is_still_a_sentence) {
  sides.kept->apply = {"/bin/sh", "-c", std::string(1000, 'x')};
  EXPECT_THAT(text_at(row(), "advice"), AllOf(HasSubstr("begins with `/bin/sh`"), Not(HasSubstr("xxx"))));
}

TEST_F(LeftOnTheMachine, is_brought_back_when_somebody_asks) {
  const auto undone = undo("");
  EXPECT_EQ(undone.error, "") << undone.text;
  EXPECT_EQ(std::get<0>(undone.values), "the machine off side gso-on");
  EXPECT_EQ(commands.said, (std::vector<std::string>{"/x/switch gso-on"}));
  EXPECT_FALSE(sides.kept);
  EXPECT_EQ(undo("").error, dbus::error::kNotFound) << "there is nothing any more";
}

TEST_F(LeftOnTheMachine, stays_if_it_fails_and_the_error_says_why) {
  const auto undone = undo(kBusy);
  EXPECT_EQ(undone.error, dbus::error::kIo);
  EXPECT_THAT(undone.text, AllOf(HasSubstr("job 1 left the machine off side gso-on"), HasSubstr(kBusy)));
  EXPECT_TRUE(sides.kept);
}

TEST_F(LeftOnTheMachine, is_in_the_audit_trail_once_it_was_tried) {
  (void)undo(kBusy);
  (void)undo("");
  std::vector<std::string> entries;
  for (const core::AuditEntry& entry : audit_store.entries) {
    entries.push_back(fmt::format("{} of job {}{}", entry.action, entry.job.value_or(0),
                                  entry.outcome == core::AuditOutcome::failed ? " failed" : ""));
  }
  EXPECT_EQ(entries, (std::vector<std::string>{"undo of job 1 failed", "undo of job 1"}));
}

TEST_F(LeftOnTheMachine, waits_while_a_job_is_under_way) {
  sides.kept->job = queries.stored.back().job = 7;
  ASSERT_TRUE(scheduler->submit(core::a_job(), 0));
  clock.turn();
  commands.end(kBusy);  // tried before the job
  clock.turn();
  commands.take();
  ASSERT_EQ(scheduler->jobs().front().state, core::JobState::running);
  const auto refused = client->call<std::string>("UndoJob", std::uint64_t{7});
  EXPECT_EQ(refused.error, dbus::error::kBusy);
  EXPECT_THAT(refused.text, HasSubstr("job 1 is under way"));
  EXPECT_THAT(commands.said, IsEmpty());
}

TEST_F(LeftOnTheMachine, keeps_its_job_until_it_is_brought_back) {
  const auto refused = client->call<std::uint64_t>("DeleteJob", std::uint64_t{1});
  EXPECT_EQ(refused.error, dbus::error::kBusy);
  EXPECT_THAT(refused.text, HasSubstr("job 1 left the machine off side gso-on: `netperfctl undo 1` first"));
}

TEST_F(LeftOnTheMachine, is_for_the_owner_of_the_job_and_root) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
  queries.stored.back().owner = kOwner;
  const auto ask = [](sdbus::IProxy& manager) {
    return outcome_of([&] {
      std::string left;
      manager.callMethod("UndoJob")
          .onInterface(dbus::kManagerInterface)
          .withArguments(std::uint64_t{1})
          .storeResultsTo(left);
    });
  };
  for (const User& user : {User{}, User{.groups = {kGroup}}})
    EXPECT_EQ(as(user, ask), dbus::error::kAccessDenied);
  EXPECT_THAT(commands.said, IsEmpty());
  // What the job left is gone by now: whoever may ask learns that.
  sides.kept.reset();
  for (const User& user : {User{.uid = kOwner, .gid = kOwner}, User{.uid = 0, .gid = 0}})
    EXPECT_EQ(as(user, ask), dbus::error::kNotFound);
}

}  // namespace
}  // namespace netperfd::bus
