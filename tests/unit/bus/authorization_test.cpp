// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/authorization.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "tests/support/forgery.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;

constexpr uid_t kNobody = 65534;

using core::Action;

constexpr std::array kActions{Action::measure,         Action::measure_design, Action::measure_reboots,
                              Action::trace_functions, Action::trace_events,   Action::manage_own,
                              Action::manage_others,   Action::read_raw};

Caller user_in(std::vector<gid_t> groups) {
  return {.name = ":1.7", .uid = 7, .groups = std::move(groups)};
}

// What is allowed without polkit, by name.
std::vector<std::string_view> allowed(const Caller& caller, gid_t group) {
  std::vector<std::string_view> names;
  for (const Action action : kActions) {
    if (is_allowed_without_polkit(caller, action, group)) names.push_back(to_string(action));
  }
  return names;
}

TEST(WithoutPolkit, root_may_everything) {
  EXPECT_EQ(allowed({.name = ":1.7", .uid = 0}, 100).size(), kActions.size());
}

TEST(WithoutPolkit, members_may_measure_and_manage_their_own_work_and_others_only_the_latter) {
  EXPECT_THAT(allowed(user_in({3, 100}), 100),
              ElementsAre("measure", "measure-with-design", "trace-functions", "manage-own"));
  EXPECT_THAT(allowed(user_in({3}), 100), ElementsAre("manage-own"));
  EXPECT_THAT(allowed(user_in({}), 100), ElementsAre("manage-own"));
  EXPECT_THAT(allowed({}, 100), ElementsAre("manage-own"));
}

TEST(WithoutPolkit, without_a_group_nobody_is_its_member) {
  EXPECT_THAT(allowed(user_in({static_cast<gid_t>(-1)}), static_cast<gid_t>(-1)), ElementsAre("manage-own"));
}

TEST(Managing, own_work_is_another_action_than_that_of_others) {
  EXPECT_EQ(managing(7, user_in({})), Action::manage_own);
  EXPECT_EQ(managing(8, user_in({})), Action::manage_others);
  EXPECT_EQ(managing(0, user_in({0})), Action::manage_others);
}

TEST(NameOfGroup, is_its_name_or_else_its_number) {
  EXPECT_EQ(name_of_group(0), "root");
  EXPECT_EQ(name_of_group(54321), "54321");
  EXPECT_EQ(name_of_group(static_cast<gid_t>(-1)), "");
}

std::string with_number(sdbus::IProxy& manager, const char* method, std::uint64_t number) {
  return outcome_of(
      [&] { manager.callMethod(method).onInterface(dbus::kManagerInterface).withArguments(number); });
}

// Stop of the object of job 1.
std::string stop_its_object(sdbus::IProxy& /*manager*/) {
  return outcome_of([] {
    const auto connection = sdbus::createSystemBusConnection();
    const auto job = sdbus::createProxy(*connection, dbus::ServiceName{dbus::kService},
                                        sdbus::ObjectPath{dbus::job_path(1)});
    job->callMethod("Stop").onInterface(dbus::kJobInterface);
  });
}

// The outcome of the call, followed by the bytes.
std::string read_document(sdbus::IProxy& manager) {
  std::string bytes(64, '\0');
  const std::string outcome = outcome_of([&] {
    sdbus::UnixFd file;
    manager.callMethod("OpenDocument")
        .onInterface(dbus::kManagerInterface)
        .withArguments(std::uint64_t{41}, std::string{"client.stdout"})
        .storeResultsTo(file);
    const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (::write(file.get(), "x", 1) == 1) bytes += " and can be written";
  });
  return outcome == "ok" ? outcome + " " + bytes : outcome;
}

class AuthorizationTest : public BusTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
    BusTest::SetUp();
    queries.stored = {a_run(41)};
    queries.stored.front().owner = kOwner;
    queries.documents = {{"client.stdout", "{}\n"}};
  }

  ServiceSettings settings() override {
    ServiceSettings made = BusTest::settings();
    made.trace_events = {"skb:*"};
    return made;
  }
};

TEST_F(AuthorizationTest, another_user_may_not_start_stop_or_delete) {
  ASSERT_TRUE(scheduler->submit(core::a_job(), 0));
  EXPECT_EQ(as({}, start_fake), dbus::error::kAccessDenied);
  EXPECT_EQ(as({}, [](auto& manager) { return with_number(manager, "StopJob", 1); }),
            dbus::error::kAccessDenied);
  EXPECT_EQ(as({}, [](auto& manager) { return with_number(manager, "DeleteRun", 41); }),
            dbus::error::kAccessDenied);
  clock.turn();
  EXPECT_EQ(scheduler->jobs().size(), 1U);
  EXPECT_EQ(scheduler->job(1)->state, core::JobState::running);
  EXPECT_THAT(store.removed, testing::IsEmpty());
}

TEST_F(AuthorizationTest, the_object_of_a_job_asks_who_stops_it_as_the_manager_does) {
  ASSERT_TRUE(scheduler->submit(core::a_job(), kOwner));
  EXPECT_EQ(as({}, stop_its_object), dbus::error::kAccessDenied);
  EXPECT_EQ(scheduler->job(1)->state, core::JobState::pending);
  EXPECT_EQ(as({.uid = kOwner, .gid = kOwner}, stop_its_object), "ok");
  clock.turn();
  EXPECT_EQ(scheduler->job(1)->state, core::JobState::canceled);
}

TEST_F(AuthorizationTest, a_denial_names_the_group_of_the_settings) {
  const auto denial = [](sdbus::IProxy& manager) -> std::string {
    try {
      dbus::Rows rows;
      manager.callMethod("ListCapabilities")
          .onInterface(dbus::kManagerInterface)
          .withArguments(true)
          .storeResultsTo(rows);
    } catch (const sdbus::Error& e) {
      return e.getMessage();
    }
    return "allowed";
  };
  const std::string denied = "uid 65534 may not probe the capabilities anew; that needs root";
  EXPECT_EQ(as({}, denial), denied + " or the group 54321");
  service->set_group(0);
  EXPECT_EQ(as({}, denial), denied + " or the group root");
  service->set_group(static_cast<gid_t>(-1));
  EXPECT_EQ(as({}, denial), denied);
}

TEST_F(AuthorizationTest, the_group_is_a_property) {
  const auto group = [](sdbus::IProxy& manager) {
    const sdbus::Variant value = manager.getProperty("AuthorizedGroup").onInterface(dbus::kManagerInterface);
    return value.get<std::string>();
  };
  EXPECT_EQ(as({}, group), "54321");
  service->set_group(0);
  EXPECT_EQ(as({}, group), "root");
}

// Everybody may list the jobs and runs.
TEST_F(AuthorizationTest, what_does_not_exist_is_not_found_for_everybody) {
  EXPECT_EQ(as({}, [](auto& manager) { return with_number(manager, "StopJob", 99); }),
            dbus::error::kNotFound);
  EXPECT_EQ(as({}, [](auto& manager) { return with_number(manager, "DeleteRun", 99); }),
            dbus::error::kNotFound);
}

TEST_F(AuthorizationTest, who_may_not_measure_does_not_learn_what_is_wrong_with_a_job) {
  scenarios.refusal = Error{ErrorKind::invalid_argument, "line 3: no such key"};
  EXPECT_EQ(as({}, start_fake), dbus::error::kAccessDenied);
  EXPECT_EQ(as({.groups = {kGroup}}, start_fake), dbus::error::kInvalidArgument);
}

TEST_F(AuthorizationTest, a_member_by_supplementary_group_may_start_and_manage_his_own) {
  const User member{.groups = {kGroup}};
  queries.stored.front().owner = kNobody;
  EXPECT_EQ(as(member, start_fake), "ok");
  ASSERT_TRUE(scheduler->job(1));
  EXPECT_EQ(scheduler->job(1)->owner, kNobody);
  EXPECT_EQ(as(member, [](auto& manager) { return with_number(manager, "StopJob", 1); }), "ok");
  EXPECT_EQ(as(member, [](auto& manager) { return with_number(manager, "DeleteRun", 41); }), "ok");
  EXPECT_THAT(store.removed, testing::ElementsAre(41));
}

TEST_F(AuthorizationTest, a_member_may_neither_stop_nor_delete_the_work_of_others_but_root_may) {
  ASSERT_TRUE(scheduler->submit(core::a_job(), kOwner));
  const auto stop = [](auto& manager) { return with_number(manager, "StopJob", 1); };
  const auto remove = [](auto& manager) { return with_number(manager, "DeleteRun", 41); };
  const User member{.groups = {kGroup}};
  EXPECT_EQ(as(member, stop), dbus::error::kAccessDenied);
  EXPECT_EQ(as(member, remove), dbus::error::kAccessDenied);
  EXPECT_EQ(queries.stored.size(), 1U);
  const User root{.uid = 0, .gid = 0};
  EXPECT_EQ(as(root, stop), "ok");
  EXPECT_EQ(as(root, remove), "ok");
}

TEST_F(AuthorizationTest, a_design_and_functions_are_for_members_and_other_events_for_root) {
  scenarios.what_is_made = core::a_traced_job();
  const User member{.groups = {kGroup}};
  const auto start_text = [](sdbus::IProxy& manager) {
    return outcome_of([&] {
      manager.callMethod("StartJob")
          .onInterface(dbus::kManagerInterface)
          .withArguments(std::string{"name: x"}, std::string{"x"}, dbus::Row{});
    });
  };
  EXPECT_EQ(as(member, start_text), "ok");
  scenarios.what_is_made.trace->events = {{.name = "printk:console", .filter = {}}};
  EXPECT_EQ(as(member, start_fake), "ok") << "a scenario of root may record any event";
  EXPECT_EQ(as(member, start_text), dbus::error::kAccessDenied);
  EXPECT_EQ(as({.uid = 0, .gid = 0}, start_text), "ok");
}

TEST_F(AuthorizationTest, a_member_by_primary_group_may_start) {
  EXPECT_EQ(as({.gid = kGroup}, start_fake), "ok");
}

TEST_F(AuthorizationTest, everybody_may_read) {
  const std::string seen = as({}, [](sdbus::IProxy& manager) {
    dbus::Row run;
    dbus::Rows sums;
    dbus::Rows flags;
    manager.callMethod("GetRun")
        .onInterface(dbus::kManagerInterface)
        .withArguments(std::uint64_t{41})
        .storeResultsTo(run, sums, flags);
    manager.callMethod("Subscribe").onInterface(dbus::kManagerInterface);
    return run.at("state").get<std::string>();
  });
  EXPECT_EQ(seen, "finished");
}

TEST_F(AuthorizationTest, documents_are_for_their_owner_and_root_and_cannot_be_written) {
  EXPECT_EQ(as({.uid = kOwner, .gid = kOwner}, read_document), "ok {}\n");
  EXPECT_EQ(as({.uid = 0, .gid = 0}, read_document), "ok {}\n");
  EXPECT_EQ(as({}, read_document), dbus::error::kAccessDenied);
  EXPECT_EQ(as({.groups = {kGroup}}, read_document), dbus::error::kAccessDenied);
}

TEST_F(AuthorizationTest, the_bus_passes_only_the_listed_interfaces) {
  const std::string outcome = as({}, [](sdbus::IProxy& manager) {
    return outcome_of([&] { manager.callMethod("SetLogLevel").onInterface("org.freedesktop.LogControl1"); });
  });
  EXPECT_EQ(outcome, "org.freedesktop.DBus.Error.AccessDenied");
  // A listed interface answers root: so it is the policy that refuses above, not the object.
  EXPECT_EQ(
      as({.uid = 0, .gid = 0},
         [](sdbus::IProxy& manager) {
           return outcome_of([&] { manager.callMethod("Ping").onInterface("org.freedesktop.DBus.Peer"); });
         }),
      "ok");
}

TEST_F(AuthorizationTest, only_root_may_own_the_name) {
  service.reset();
  const auto own = [](sdbus::IProxy&) {
    return outcome_of([&] {
      const auto connection = sdbus::createSystemBusConnection();
      connection->requestName(dbus::ServiceName{dbus::kService});
    });
  };
  EXPECT_EQ(as({}, own), "org.freedesktop.DBus.Error.AccessDenied");
  EXPECT_EQ(as({.groups = {kGroup}}, own), "org.freedesktop.DBus.Error.AccessDenied");
  EXPECT_EQ(as({.uid = 0, .gid = 0}, own), "ok");
}

// Uses a connection of its own, since the service does not expose its connection.
class Question : public BusTest {
 protected:
  Result<Caller> ask(const std::string& name) {
    std::optional<Result<Caller>> answer;
    authorization->identify({.name = name}, [&](const Result<Caller>& caller) { answer = caller; });
    EXPECT_TRUE(run_until(*loop, [&] { return answer.has_value(); }));
    return answer.value_or(fail(ErrorKind::internal, "no answer"));
  }
  void SetUp() override {
    BusTest::SetUp();
    if (IsSkipped()) return;
    connection.emplace(dbus::connect(dbus::Peers::Use::serving, {Polkit::kService}));
    dbus::attach(*connection->bus, loop->raw());
    callers.emplace(dbus::raw(*connection->bus), [](JobId) {});
    refusals.emplace(*loop, [this](const Refused& each) { refused.push_back(each); });
    authorization.emplace(*connection, *callers, *refusals, AuthorizationTimeouts{.credentials = patience()});
  }
  // How long the bus may think.
  virtual std::chrono::milliseconds patience() { return kTestPatience; }
  void TearDown() override {
    authorization.reset();
    refusals.reset();
    callers.reset();
    if (connection) dbus::detach(*connection->bus);
    connection.reset();
    BusTest::TearDown();
  }

  std::optional<dbus::Connection> connection;
  std::optional<Callers> callers;
  std::optional<Refusals> refusals;
  std::optional<Authorization> authorization;
  std::vector<Refused> refused;
};

TEST_F(Question, tells_who_a_connection_belongs_to) {
  Client client{*loop};
  const auto caller = ask(client.name());
  ASSERT_TRUE(caller) << caller.error().message;
  EXPECT_EQ(caller->uid, ::geteuid());
  EXPECT_FALSE(caller->groups.empty());
}

TEST_F(Question, about_a_caller_that_has_left_is_a_denial) {
  const auto caller = ask(":1.4711");
  ASSERT_FALSE(caller);
  EXPECT_EQ(caller.error().kind, ErrorKind::access_denied);
}

class QuestionToASilentBus : public Question {
  std::chrono::milliseconds patience() override { return std::chrono::milliseconds{100}; }
};

TEST_F(QuestionToASilentBus, is_busy_since_it_says_nothing_about_the_caller) {
  const std::string name = Client{*loop}.name();
  bus->send_signal(SIGSTOP);
  const auto caller = ask(name);
  bus->send_signal(SIGCONT);
  ASSERT_FALSE(caller);
  EXPECT_EQ(caller.error().kind, ErrorKind::busy);
  EXPECT_EQ(caller.error().message, "the bus has not said in time who " + name + " is: try again");
}

class QuestionOnALaxBus : public Question {
  PrivateBus::Rules rules() override { return PrivateBus::Rules::lax; }
};

// The bus is stopped while it gets the replies, so that they come before its own.
TEST_F(QuestionOnALaxBus, is_answered_by_the_bus_alone) {
  Client client{*loop};
  const forgery::Stranger stranger;
  bus->send_signal(SIGSTOP);
  stranger.reply_to_all(forgery::unique_name(dbus::raw(*connection->bus)), "a{sv}", 1, "UnixUserID", "u",
                        4711U);
  std::optional<Result<Caller>> answer;
  authorization->identify({.name = client.name()}, [&](const Result<Caller>& caller) { answer = caller; });
  bus->send_signal(SIGCONT);
  ASSERT_TRUE(run_until(*loop, [&] { return answer.has_value(); }));
  ASSERT_TRUE(*answer) << answer->error().message;
  EXPECT_EQ((*answer)->uid, ::geteuid());
}

TEST_F(Question, beyond_the_limit_of_a_connection_is_busy_for_that_connection_alone) {
  std::size_t answered = 0;
  std::optional<ErrorKind> refusal;
  const auto count = [&](const Result<Caller>& caller) {
    ++answered;
    if (!caller) refusal = caller.error().kind;
  };
  constexpr std::size_t kLimit = Authorization::kQuestionsOfConnectionLimit;
  for (std::size_t i = 0; i < kLimit; ++i) authorization->identify({.name = "org.netperfd1"}, count);
  EXPECT_EQ(answered, 0U);
  authorization->identify({.name = "org.netperfd1"}, count);
  EXPECT_EQ(refusal, ErrorKind::busy);
  refusal.reset();
  authorization->identify({.name = "org.freedesktop.DBus"}, count);
  EXPECT_EQ(refusal, std::nullopt);
  ASSERT_TRUE(run_until(*loop, [&] { return answered == kLimit + 2; }));
  refusal.reset();
  EXPECT_TRUE(ask("org.netperfd1"));
}

TEST_F(Question, of_a_user_who_is_refused_all_the_time_is_not_even_asked) {
  const std::string name = Client{*loop}.name();
  Caller caller{.name = name, .uid = 7};
  for (int i = 0; i < 200; ++i) authorization->note_refusal(caller, "uid 7 may not stop job 1");
  ASSERT_EQ(refused.size(), 1U) << "one line at once, the number later";
  EXPECT_EQ(refused.front().what, "denied (" + name + "): uid 7 may not stop job 1");
  std::optional<ErrorKind> refusal;
  authorization->identify({.name = name}, [&](const Result<Caller>& known) {
    refusal = known ? std::nullopt : std::optional{known.error().kind};
  });
  EXPECT_EQ(refusal, ErrorKind::busy) << "without a turn of the loop";
  EXPECT_TRUE(ask("org.netperfd1")) << "of another user";
}

}  // namespace
}  // namespace netperfd::bus
