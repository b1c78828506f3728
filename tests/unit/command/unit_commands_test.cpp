// SPDX-License-Identifier: GPL-2.0-or-later
// Commands as units of systemd, with a fake of it: what it alone says decides, whatever others on the bus
// say.
#include "daemon/command/unit_commands.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "daemon/command/kill_units.hpp"
#include "daemon/command/systemd_manager.hpp"
#include "daemon/command/unit_programs.hpp"
#include "tests/support/forgery.hpp"
#include "tests/unit/bus/private_bus.hpp"
#include "tests/unit/command/support.hpp"

namespace netperfd::command::test {
namespace {

using forgery::require;
using testing::HasSubstr;

constexpr const char* kJob = "/org/freedesktop/systemd1/job/7";

// Answers from a loop, but for the question how a unit ended, which waits for answer().
class FakeSystemd {
 public:
  explicit FakeSystemd(EventLoop& loop) {
    require(sd_bus_request_name(connection.bus(), kService, 0), "own the name of systemd");
    require(sd_bus_add_filter(
                connection.bus(), nullptr,
                [](sd_bus_message* message, void* self, sd_bus_error*) {
                  return static_cast<FakeSystemd*>(self)->on_message(message);
                },
                this),
            "sd_bus_add_filter");
    require(sd_bus_attach_event(connection.bus(), loop.raw(), SD_EVENT_PRIORITY_NORMAL),
            "sd_bus_attach_event");
  }
  FakeSystemd(const FakeSystemd&) = delete;
  FakeSystemd& operator=(const FakeSystemd&) = delete;
  ~FakeSystemd() { sd_bus_detach_event(connection.bus()); }

  // Says, or has somebody else say, that the unit has ended.
  void end_unit(const forgery::Stranger& from, const char* result) const {
    forgery::send_signal(from.bus(), caller, kPath, kManager, "JobRemoved", "uoss", 7U, kJob, unit.c_str(),
                         result);
  }
  // Tells who asks that it exited with this code.
  void answer(int code) {
    require(sd_bus_reply_method_return(question.get(), "a{sv}", 3, "Result", "s",
                                       code > 0 ? "exit-code" : "success", "ExecMainCode", "i", CLD_EXITED,
                                       "ExecMainStatus", "i", code),
            "answer");
    question.reset();
  }

  // The unit that the question is about.
  [[nodiscard]] std::string asked_about() const {
    char* name = nullptr;
    require(
        sd_bus_path_decode(sd_bus_message_get_path(question.get()), "/org/freedesktop/systemd1/unit", &name),
        "the path of a unit");
    const std::string copy{name};
    std::free(name);
    return copy;
  }

  forgery::Stranger connection;
  std::string caller, unit;  // of the command
  forgery::Message question;

 private:
  int on_message(sd_bus_message* message) {
    if (sd_bus_message_is_method_call(message, nullptr, "StartTransientUnit") > 0 ||
        sd_bus_message_is_method_call(message, nullptr, "StopUnit") > 0) {
      const char* name = nullptr;
      require(sd_bus_message_read(message, "s", &name), "the unit's name");
      unit = name;
      caller = sd_bus_message_get_sender(message);
      return sd_bus_reply_method_return(message, "o", kJob);
    }
    if (sd_bus_message_is_method_call(message, nullptr, "GetAll") > 0) {
      question.reset(sd_bus_message_ref(message));
      return 1;
    }
    if (sd_bus_message_is_method_call(message, nullptr, "ListUnitsByPatterns") > 0) {
      return sd_bus_reply_method_return(message, "a(ssssssouso)", 1, "netperfd-command-1-1.service", "",
                                        "loaded", "active", "running", "", "/unit", 0U, "", "/");
    }
    if (sd_bus_message_is_method_call(message, nullptr, "KillUnit") > 0)
      return sd_bus_reply_method_return(message, "");
    return 0;
  }
};

class WithFakeSystemd : public testing::Test {
 protected:
  void SetUp() override {
    auto started = bus::PrivateBus::start(bus::PrivateBus::Rules::lax);
    if (!started) GTEST_SKIP() << started.error().message;
    bus.emplace(std::move(*started));
    systemd.emplace(loop);
    stranger.emplace();
  }
  void TearDown() override {
    command.reset();
    commands.reset();
    stranger.reset();
    systemd.reset();
  }

  void begin() {
    end.reset();
    systemd->unit.clear();
    if (!commands) commands.emplace(loop, "1.2");
    auto started =
        commands->start({"/bin/true"}, std::chrono::seconds{30}, [this](const core::CommandEnd& seen) {
          end = seen.error;
          ran = seen.ran;
        });
    ASSERT_TRUE(started) << started.error().message;
    command = std::move(*started);
    ASSERT_TRUE(turn_until(loop, [this] { return !systemd->unit.empty(); }));
  }
  // How the command ended, once systemd says it as the test wants: "" means success.
  std::string end_with(int code) {
    EXPECT_TRUE(turn_until(loop, [this] { return systemd->question != nullptr || end.has_value(); }));
    if (systemd->question) systemd->answer(code);
    EXPECT_TRUE(turn_until(loop, [this] { return end.has_value(); }));
    return end.value_or("did not end");
  }

  EventLoop loop = make_loop();
  std::optional<bus::PrivateBus> bus;
  std::optional<FakeSystemd> systemd;
  std::optional<forgery::Stranger> stranger;
  std::optional<UnitCommands> commands;
  std::unique_ptr<core::ActiveCommand> command;
  std::optional<std::string> end;
  bool ran = false;  // of the one that ended
};

TEST_F(WithFakeSystemd, a_command_has_run_unless_its_program_could_not_be_executed) {
  for (const int code : {0, 3}) {
    begin();
    systemd->end_unit(systemd->connection, code == 0 ? "done" : "failed");
    (void)end_with(code);
    EXPECT_TRUE(ran) << code;
  }
  begin();
  systemd->end_unit(systemd->connection, "failed");
  EXPECT_THAT(end_with(203), HasSubstr("it could not be run"));
  EXPECT_FALSE(ran);
}

TEST_F(WithFakeSystemd, a_command_ends_as_systemd_says) {
  begin();
  systemd->end_unit(systemd->connection, "done");
  EXPECT_EQ(end_with(0), "");
  begin();
  systemd->end_unit(systemd->connection, "failed");
  EXPECT_THAT(end_with(3), HasSubstr("exit code 3"));
}

TEST_F(WithFakeSystemd, a_command_goes_on_when_somebody_else_says_that_it_has_ended) {
  begin();
  systemd->end_unit(*stranger, "done");
  forgery::settle(stranger->bus());
  // The signals of one connection come in their order.
  const auto first = std::move(command);
  begin();
  systemd->end_unit(systemd->connection, "done");
  ASSERT_TRUE(turn_until(loop, [this] { return systemd->question != nullptr; }));
  EXPECT_EQ(systemd->asked_about(), systemd->unit) << "the first one still runs";
}

TEST_F(WithFakeSystemd, nobody_else_tells_how_a_command_ended) {
  begin();
  systemd->end_unit(systemd->connection, "done");
  ASSERT_TRUE(turn_until(loop, [this] { return systemd->question != nullptr; }));
  stranger->reply_to_all(systemd->caller, "a{sv}", 3, "Result", "s", "success", "ExecMainCode", "i",
                         CLD_EXITED, "ExecMainStatus", "i", 0);
  forgery::settle(stranger->bus());
  EXPECT_THAT(end_with(3), HasSubstr("exit code 3"));
}

TEST_F(WithFakeSystemd, a_program_is_ended_by_a_new_bus_if_its_own_is_gone) {
  UnitPrograms programs{loop, "1.2"};
  core::UnitOrder order;
  order.argv = order.cleanup = {"/bin/true"};
  const auto unit = programs.start(order, Fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)});
  ASSERT_TRUE(unit) << unit.error().message;
  ASSERT_TRUE(turn_until(loop, [this] { return !systemd->unit.empty(); }));
  const std::string name = systemd->unit;
  systemd.reset();
  bus->stop();
  auto restarted = bus::PrivateBus::start(bus::PrivateBus::Rules::lax);
  ASSERT_TRUE(restarted) << restarted.error().message;
  systemd.emplace(loop);
  (void)turn_until(loop, [] { return false; }, std::chrono::seconds{1});  // it notices
  (*unit)->kill();
  EXPECT_TRUE(turn_until(loop, [&] { return systemd->unit == name; })) << "it is not stopped";
  std::optional<core::UnitEnd> told;
  (*unit)->ask_end([&](const core::UnitEnd& seen) { told = seen; });
  ASSERT_TRUE(turn_until(loop, [&] { return told.has_value(); }));
  EXPECT_THAT(told->failure, HasSubstr("was lost"));
  EXPECT_THAT(told->cleanup_failure, HasSubstr("was lost"));
}

// systemd says nothing, so this must wait for as long as it is told to.
TEST_F(WithFakeSystemd, a_unit_that_is_killed_has_not_ended_because_somebody_else_says_so) {
  std::optional<Status> killed;
  auto wake = make_pipe();
  ASSERT_TRUE(wake);
  std::jthread killing{[&] {
    killed = kill_units("netperfd-command-*.service", std::chrono::seconds{1});
    wake->write.reset();
  }};
  ASSERT_TRUE(turn_until(loop, [this] { return !systemd->unit.empty(); }));
  systemd->end_unit(*stranger, "done");
  forgery::settle(stranger->bus());
  bool done = false;
  const auto source = loop.on_readable(wake->read.get(), [&] { done = true; });
  ASSERT_TRUE(turn_until(loop, [&] { return done; }));
  killing.join();
  ASSERT_FALSE(*killed) << "it was taken for ended";
  EXPECT_THAT(killed->error().message, HasSubstr("has not ended, although it was killed"));
}

}  // namespace
}  // namespace netperfd::command::test
