// SPDX-License-Identifier: GPL-2.0-or-later
// Authorization by polkit: the service on its private bus with a polkit that does as a test wants.
#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "daemon/bus/access/authorization.hpp"
#include "tests/support/forgery.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/bus/bus_test.hpp"
#include "tests/unit/bus/fake_polkit.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

using Mood = FakePolkit::Mood;

// A call that needs the action `measure` alone.
std::string probe(sdbus::IProxy& manager) {
  try {
    dbus::Rows rows;
    manager.callMethod("ListCapabilities")
        .onInterface(dbus::kManagerInterface)
        .withArguments(true)
        .storeResultsTo(rows);
    return "ok";
  } catch (const sdbus::Error& e) {
    return e.getName() + ": " + e.getMessage();
  }
}

// From a caller who permits that somebody is asked for a password.
std::string start_permitting_questions(sdbus::IProxy& /*manager*/) {
  const auto connection = sdbus::createSystemBusConnection();
  sd_bus_set_allow_interactive_authorization(dbus::raw(*connection), 1);
  const auto manager = sdbus::createProxy(*connection, dbus::ServiceName{dbus::kService},
                                          sdbus::ObjectPath{dbus::kManagerPath});
  return start_fake(*manager);
}

class WithPolkit : public BusTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
    BusTest::SetUp();
    if (!IsSkipped()) polkit.emplace(loop->raw());
  }
  void TearDown() override {
    polkit.reset();
    BusTest::TearDown();
  }
  ServiceSettings settings() override {
    ServiceSettings made = BusTest::settings();
    made.timeouts.polkit = {.plain = patience(), .interactive = kTestPatience};
    return made;
  }

  // How long polkit may think.
  virtual std::chrono::milliseconds patience() { return kTestPatience; }

  static constexpr User kRoot{.uid = 0, .gid = 0};
  const User member{.groups = {kGroup}};
  const User stranger{};
  std::optional<FakePolkit> polkit;
};

TEST_F(WithPolkit, it_decides_and_the_group_does_not) {
  EXPECT_EQ(as(stranger, start_fake), "ok");
  polkit->mood = Mood::deny;
  EXPECT_EQ(as(member, start_fake), dbus::error::kAccessDenied);
  EXPECT_THAT(refused(), ElementsAre(HasSubstr("uid 65534 may not start a job: polkit's action "
                                               "org.netperfd1.measure is denied")));
}

TEST_F(WithPolkit, it_is_asked_about_the_connection_of_the_caller_and_told_what_for) {
  const std::string name = as(stranger, [](sdbus::IProxy&) -> std::string {
    const auto connection = sdbus::createSystemBusConnection();
    const auto manager = sdbus::createProxy(*connection, dbus::ServiceName{dbus::kService},
                                            sdbus::ObjectPath{dbus::kManagerPath});
    const char* own = nullptr;
    sd_bus_get_unique_name(dbus::raw(*connection), &own);
    return probe(*manager) == "ok" ? own : "refused";
  });
  ASSERT_EQ(polkit->asked.size(), 1U);
  const FakePolkit::Asked& question = polkit->asked.front();
  EXPECT_EQ(question.caller, name);
  EXPECT_EQ(question.action, "org.netperfd1.measure");
  EXPECT_THAT(question.details,
              ElementsAre(Pair("group", "54321"), Pair("what", "probe the capabilities anew")));
  EXPECT_FALSE(question.interactive);
}

TEST_F(WithPolkit, root_is_never_asked_about) {
  polkit->mood = Mood::deny;
  EXPECT_EQ(as(kRoot, start_fake), "ok");
  EXPECT_THAT(polkit->asked, IsEmpty());
}

TEST_F(WithPolkit, each_thing_that_a_job_needs_is_an_action_of_its_own) {
  scenarios.what_is_made = core::a_traced_job();
  scenarios.what_is_made.trace->function_graph = FunctionGraphSpec{};
  EXPECT_EQ(as(stranger, start_fake), "ok");
  EXPECT_THAT(polkit->actions(), ElementsAre("measure", "trace-functions", "measure"));
  polkit->moods["trace-functions"] = Mood::deny;
  EXPECT_EQ(as(stranger, start_fake), dbus::error::kAccessDenied);
  EXPECT_EQ(scheduler->jobs().size(), 1U);
}

TEST_F(WithPolkit, own_work_and_that_of_others_are_two_actions) {
  queries.stored = {a_run(41), a_run(42)};
  queries.stored.front().owner = stranger.uid;
  polkit->moods["manage-others"] = Mood::deny;
  const auto remove = [](std::uint64_t run) {
    return [run](sdbus::IProxy& manager) {
      return outcome_of(
          [&] { manager.callMethod("DeleteRun").onInterface(dbus::kManagerInterface).withArguments(run); });
    };
  };
  EXPECT_EQ(as(stranger, remove(41)), "ok");
  EXPECT_EQ(as(stranger, remove(42)), dbus::error::kAccessDenied);
  EXPECT_THAT(polkit->actions(), ElementsAre("manage-own", "manage-others"));
}

TEST_F(WithPolkit, a_needed_password_is_an_error_of_its_own_unless_the_caller_permits_to_ask) {
  polkit->mood = Mood::challenge;
  const std::string outcome = as(stranger, probe);
  EXPECT_THAT(outcome, testing::StartsWith(dbus::error::kNeedsPerson));
  EXPECT_THAT(outcome, HasSubstr("the group 54321"));
  EXPECT_FALSE(polkit->asked.back().interactive);
}

TEST_F(WithPolkit, a_caller_who_permits_to_ask_is_asked_once_he_has_sent_a_valid_job) {
  polkit->mood = Mood::challenge;
  scenarios.refusal = Error{ErrorKind::invalid_argument, "line 3: no such key"};
  EXPECT_EQ(as(stranger, start_permitting_questions), dbus::error::kInvalidArgument);
  ASSERT_EQ(polkit->asked.size(), 1U);
  EXPECT_FALSE(polkit->asked.back().interactive);
  scenarios.refusal.reset();
  polkit->mood = Mood::allow;
  EXPECT_EQ(as(stranger, start_permitting_questions), "ok");
  EXPECT_TRUE(polkit->asked.back().interactive);
  EXPECT_NE(polkit->asked.back().cancellation, "");
}

class WithSilentPolkit : public WithPolkit {
  std::chrono::milliseconds patience() override { return std::chrono::milliseconds{100}; }
};

TEST_F(WithSilentPolkit, only_root_may) {
  polkit->mood = Mood::hang;
  EXPECT_THAT(as(member, probe), HasSubstr("polkit does not work"));
  EXPECT_EQ(as(kRoot, probe), "ok");
}

TEST_F(WithPolkit, if_it_answers_nonsense_only_root_may) {
  polkit->mood = Mood::nonsense;
  EXPECT_THAT(as(member, probe), HasSubstr("not of the type that polkit documents"));
  EXPECT_EQ(as(kRoot, probe), "ok");
}

TEST_F(WithPolkit, if_it_fails_only_root_may_and_the_error_says_why) {
  polkit->mood = Mood::fail;
  const std::string outcome = as(member, probe);
  EXPECT_THAT(outcome, testing::StartsWith(dbus::error::kAccessDenied));
  EXPECT_THAT(outcome, HasSubstr("polkit does not work (Action is not registered), and until it does, only "
                                 "root may"));
  EXPECT_EQ(as(kRoot, probe), "ok");
}

TEST_F(WithPolkit, once_it_is_not_installed_the_group_decides) {
  polkit.reset();
  EXPECT_EQ(as(member, probe), "ok");
  EXPECT_THAT(as(stranger, probe), HasSubstr("that needs root or the group 54321"));
}

// In this process, so that the loop goes on while the question waits.
class WaitingForPolkit : public WithPolkit {
 protected:
  void SetUp() override {
    WithPolkit::SetUp();
    if (IsSkipped()) return;
    polkit->mood = Mood::hang;
  }
  // A call of another user, from a process of its own, which is killed with this object.
  class Asking {
   public:
    Asking(const User& user, bool interactive, int calls) : pid_(::fork()) {
      if (pid_ != 0) return;
      become(user);
      sd_bus* own = nullptr;
      if (sd_bus_open_system(&own) < 0) ::_exit(1);
      sd_bus_set_allow_interactive_authorization(own, interactive ? 1 : 0);
      for (int i = 0; i < calls; ++i) {
        sd_bus_call_method_async(own, nullptr, dbus::kService, dbus::kManagerPath, dbus::kManagerInterface,
                                 "DeleteRun", nullptr, nullptr, "t", std::uint64_t{41});
      }
      sd_bus_flush(own);
      while (true) ::pause();
    }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;
    ~Asking() {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }

   private:
    pid_t pid_;
  };
};

TEST_F(WaitingForPolkit, other_calls_are_answered_meanwhile) {
  queries.stored = {a_run(41)};
  const Asking asking{stranger, true, 1};
  ASSERT_TRUE(run_until(*loop, [&] { return !polkit->asked.empty(); }));
  Client other{*loop};
  EXPECT_EQ(other.call<dbus::Rows>("ListScenarios").error, "");
}

TEST_F(WaitingForPolkit, a_question_ends_when_its_caller_leaves) {
  queries.stored = {a_run(41)};
  {
    const Asking asking{stranger, true, 1};
    ASSERT_TRUE(run_until(*loop, [&] { return !polkit->asked.empty(); }));
  }
  ASSERT_TRUE(run_until(*loop, [&] { return !polkit->canceled.empty(); }));
  EXPECT_EQ(polkit->canceled.front(), polkit->asked.front().cancellation);
}

TEST_F(WaitingForPolkit, a_run_that_is_gone_when_the_answer_comes_is_not_found) {
  queries.stored = {a_run(41)};
  store.on_remove = [this] { queries.stored.clear(); };
  const Asking asking{stranger, true, 2};
  ASSERT_TRUE(run_until(*loop, [&] { return polkit->asked.size() == 2; }));
  Client listener{*loop};
  listener.listen();
  polkit->release(true);
  ASSERT_TRUE(run_until(*loop, [&] { return queries.stored.empty(); }));
  ASSERT_EQ(listener.call<dbus::Rows>("ListScenarios").error, "");
  ASSERT_EQ(listener.call<dbus::Rows>("ListScenarios").error, "");
  EXPECT_EQ(listener.count_heard("RunDeleted"), 1);
}

TEST_F(WaitingForPolkit, a_user_waits_for_so_many_answers_and_others_are_not_kept_from_theirs) {
  queries.stored = {a_run(41)};
  constexpr auto kLimit = Authorization::kDecisionsOfUserLimit;
  const Asking one{stranger, true, kLimit};
  const Asking two{stranger, true, kLimit};
  ASSERT_TRUE(run_until(*loop, [&] { return polkit->asked.size() == kLimit; }));
  const Asking other{{.uid = kOwner, .gid = kOwner}, true, 1};
  ASSERT_TRUE(run_until(*loop, [&] { return polkit->asked.size() == kLimit + 1; }));
}

class WaitingForPolkitOnALaxBus : public WaitingForPolkit {
  PrivateBus::Rules rules() override { return PrivateBus::Rules::lax; }
};

TEST_F(WaitingForPolkitOnALaxBus, nobody_else_allows_anything_in_its_place) {
  queries.stored = {a_run(41)};
  store.on_remove = [this] { queries.stored.clear(); };
  const Asking asking{stranger, false, 1};
  ASSERT_TRUE(run_until(*loop, [&] { return !polkit->asked.empty(); }));
  const forgery::Stranger other;
  other.reply_to_all(other.owner_of(dbus::kService), "(bba{ss})", 1, 0, 0);
  ASSERT_TRUE(run_until(*loop, [&] { return !refused().empty() || queries.stored.empty(); }));
  EXPECT_EQ(queries.stored.size(), 1U) << "it was deleted";
  EXPECT_THAT(refused(),
              ElementsAre(HasSubstr("polkit does not work (another program answered in its place)")));
}

}  // namespace
}  // namespace netperfd::bus
