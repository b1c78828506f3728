#include "daemon/bus/authorization.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <csignal>

#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

constexpr uid_t kNobody = 65534;

TEST(MayMeasure, root_and_members_of_the_group_and_nobody_else) {
  EXPECT_TRUE(may_measure({.uid = 0, .groups = {}}, 100));
  EXPECT_TRUE(may_measure({.uid = 7, .groups = {3, 100}}, 100));
  EXPECT_FALSE(may_measure({.uid = 7, .groups = {3}}, 100));
  EXPECT_FALSE(may_measure({.uid = 7, .groups = {}}, 100));
  EXPECT_FALSE(may_measure({}, 100));
}

TEST(MayMeasure, without_a_group_nobody_is_its_member) {
  EXPECT_FALSE(may_measure({.uid = 7, .groups = {static_cast<gid_t>(-1)}}, static_cast<gid_t>(-1)));
}

TEST(MayActAs, root_and_the_owner) {
  EXPECT_TRUE(may_act_as({.uid = 0, .groups = {}}, 7));
  EXPECT_TRUE(may_act_as({.uid = 7, .groups = {}}, 7));
  EXPECT_FALSE(may_act_as({.uid = 8, .groups = {0, 100}}, 7));
}

TEST(DescribeGroup, by_its_name_or_else_its_number) {
  EXPECT_EQ(describe_group(0), "the group root");
  EXPECT_EQ(describe_group(54321), "the group 54321");
  EXPECT_EQ(describe_group(static_cast<gid_t>(-1)), "");
}

std::string start(sdbus::IProxy& manager) {
  return outcome_of([&] {
    sdbus::ObjectPath job;
    manager.callMethod("StartScenario")
        .onInterface(dbus::kManagerInterface)
        .withArguments(std::string{"fake"}, dbus::Row{})
        .storeResultsTo(job);
  });
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
};

TEST_F(AuthorizationTest, another_user_may_not_start_stop_or_delete) {
  ASSERT_TRUE(scheduler->submit(core::a_job(), 0));
  EXPECT_EQ(as({}, start), dbus::error::kAccessDenied);
  EXPECT_EQ(as({}, [](auto& manager) { return with_number(manager, "StopJob", 1); }),
            dbus::error::kAccessDenied);
  EXPECT_EQ(as({}, [](auto& manager) { return with_number(manager, "DeleteRun", 41); }),
            dbus::error::kAccessDenied);
  clock.turn();
  EXPECT_EQ(scheduler->jobs().size(), 1U);
  EXPECT_EQ(scheduler->job(1)->state, core::JobState::running);
  EXPECT_EQ(queries.stored.size(), 1U);
}

TEST_F(AuthorizationTest, the_object_of_a_job_asks_who_stops_it_as_the_manager_does) {
  ASSERT_TRUE(scheduler->submit(core::a_job(), 0));
  EXPECT_EQ(as({}, stop_its_object), dbus::error::kAccessDenied);
  EXPECT_EQ(scheduler->job(1)->state, core::JobState::pending);
  EXPECT_EQ(as({.groups = {kGroup}}, stop_its_object), "ok");
  clock.turn();
  EXPECT_EQ(scheduler->job(1)->state, core::JobState::canceled);
}

TEST_F(AuthorizationTest, a_denial_names_the_group_of_the_settings) {
  const auto denial = [](sdbus::IProxy& manager) -> std::string {
    try {
      manager.callMethod("StopJob").onInterface(dbus::kManagerInterface).withArguments(std::uint64_t{1});
    } catch (const sdbus::Error& e) {
      return e.getMessage();
    }
    return "allowed";
  };
  EXPECT_EQ(as({}, denial), "uid 65534 may not stop job 1; that needs root or the group 54321");
  service->set_group(0);
  EXPECT_EQ(as({}, denial), "uid 65534 may not stop job 1; that needs root or the group root");
  service->set_group(static_cast<gid_t>(-1));
  EXPECT_EQ(as({}, denial), "uid 65534 may not stop job 1; that needs root");
}

TEST_F(AuthorizationTest, a_denial_does_not_tell_what_exists) {
  EXPECT_EQ(as({}, [](auto& manager) { return with_number(manager, "StopJob", 99); }),
            dbus::error::kAccessDenied);
  EXPECT_EQ(as({}, [](auto& manager) { return with_number(manager, "DeleteRun", 99); }),
            dbus::error::kAccessDenied);
}

TEST_F(AuthorizationTest, a_member_by_supplementary_group_may_start_stop_and_delete) {
  const User member{.groups = {kGroup}};
  EXPECT_EQ(as(member, start), "ok");
  ASSERT_TRUE(scheduler->job(1));
  EXPECT_EQ(scheduler->job(1)->owner, kNobody);
  EXPECT_EQ(as(member, [](auto& manager) { return with_number(manager, "StopJob", 1); }), "ok");
  EXPECT_EQ(as(member, [](auto& manager) { return with_number(manager, "DeleteRun", 41); }), "ok");
  EXPECT_TRUE(queries.stored.empty());
}

TEST_F(AuthorizationTest, a_member_by_primary_group_may_start) {
  EXPECT_EQ(as({.gid = kGroup}, start), "ok");
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
  Result<Credentials> ask(Authorization& authorization, const std::string& name) {
    std::optional<Result<Credentials>> answer;
    authorization.ask(name, [&](const Result<Credentials>& caller) { answer = caller; });
    EXPECT_TRUE(run_until(*loop, [&] { return answer.has_value(); }));
    return answer.value_or(fail(ErrorKind::internal, "no answer"));
  }
  void SetUp() override {
    BusTest::SetUp();
    if (IsSkipped()) return;
    connection = sdbus::createSystemBusConnection();
    dbus::attach(*connection, loop->raw());
  }
  void TearDown() override {
    if (connection) dbus::detach(*connection);
    connection.reset();
    BusTest::TearDown();
  }

  std::unique_ptr<sdbus::IConnection> connection;
};

TEST_F(Question, tells_who_a_connection_belongs_to) {
  Authorization authorization{*connection};
  Client client{*loop};
  const auto caller = ask(authorization, client.name());
  ASSERT_TRUE(caller) << caller.error().message;
  EXPECT_EQ(caller->uid, ::geteuid());
  EXPECT_FALSE(caller->groups.empty());
}

TEST_F(Question, about_a_caller_that_has_left_is_a_denial) {
  Authorization authorization{*connection};
  const auto caller = ask(authorization, ":1.4711");
  ASSERT_FALSE(caller);
  EXPECT_EQ(caller.error().kind, ErrorKind::access_denied);
}

TEST_F(Question, without_an_answer_in_time_is_a_denial) {
  Authorization authorization{*connection, std::chrono::milliseconds{20}};
  const std::string name = Client{*loop}.name();
  bus->send_signal(SIGSTOP);
  const auto caller = ask(authorization, name);
  bus->send_signal(SIGCONT);
  ASSERT_FALSE(caller);
  EXPECT_EQ(caller.error().kind, ErrorKind::access_denied);
}

TEST_F(Question, beyond_the_limit_is_busy) {
  Authorization authorization{*connection};
  std::size_t answered = 0;
  std::optional<ErrorKind> refusal;
  const auto count = [&](const Result<Credentials>& caller) {
    ++answered;
    if (!caller) refusal = caller.error().kind;
  };
  for (std::size_t i = 0; i < Authorization::kWaitingLimit; ++i) authorization.ask("org.netperfd1", count);
  EXPECT_EQ(answered, 0U);
  authorization.ask("org.netperfd1", count);
  EXPECT_EQ(refusal, ErrorKind::busy);
  ASSERT_TRUE(run_until(*loop, [&] { return answered == Authorization::kWaitingLimit + 1; }));
  refusal.reset();
  EXPECT_TRUE(ask(authorization, "org.netperfd1"));
}

}  // namespace
}  // namespace netperfd::bus
