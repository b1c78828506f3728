// SPDX-License-Identifier: GPL-2.0-or-later
// What one user has of the service while others call too: calls under way, and their bytes.
#include <gmock/gmock.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/bus/access/byte_budget.hpp"
#include "daemon/bus/access/message_limits.hpp"
#include "tests/support/forgery.hpp"
#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::HasSubstr;

constexpr int kConnections = 10;
constexpr int kCallsOfConnection = 100;  // the bus lets a connection wait for 128 answers
constexpr int kCalls = kConnections * kCallsOfConnection;
// Of so many small calls, a user has room.
constexpr int kShare = static_cast<int>(ByteBudget::kOfUser / ByteBudget::kLeast);

struct Answers {
  int good = 0, busy = 0, others = 0;
  std::string other;  // the name of the last such error
  static int take(sd_bus_message* answer, void* to, sd_bus_error*) {
    auto& answers = *static_cast<Answers*>(to);
    const sd_bus_error* const error = sd_bus_message_get_error(answer);
    if (error == nullptr) {
      ++answers.good;
    } else if (std::string{error->name} == dbus::error::kBusy) {
      ++answers.busy;
    } else {
      ++answers.others;
      answers.other = error->name;
    }
    return 0;
  }
  [[nodiscard]] int all() const { return good + busy + others; }
};

forgery::Message new_call(sd_bus* bus, const char* method) {
  sd_bus_message* made = nullptr;
  forgery::require(sd_bus_message_new_method_call(bus, &made, dbus::kService, dbus::kManagerPath,
                                                  dbus::kManagerInterface, method),
                   method);
  return forgery::Message{made};
}

void send_call(sd_bus* bus, const forgery::Message& call, Answers& answers) {
  forgery::require(sd_bus_call_async(bus, nullptr, call.get(), Answers::take, &answers, UINT64_MAX), "call");
}

// In a process of his own: another user makes the calls, on several connections.
class Crowd {
 public:
  using Fill = std::function<void(const forgery::Message& call)>;
  Crowd(const User& user, const char* method, const Fill& fill, int calls_of_connection = kCallsOfConnection)
      : sent_(make_pipe().value()), told_(make_pipe().value()) {
    process_ = ::fork();
    if (process_ != 0) {
      sent_.write.reset();
      told_.write.reset();
      return;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    become(user);
    ::_exit(call_all(method, fill, calls_of_connection) ? 0 : 1);
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;
  ~Crowd() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  // Until the bus has passed all of the calls on. The loop does not run meanwhile.
  [[nodiscard]] bool wait_until_sent() const {
    char byte = 0;
    return ::read(sent_.read.get(), &byte, 1) == 1;
  }
  // Runs the loop until all are answered.
  Answers answers(EventLoop& loop) const {
    Answers found;
    bool is_told = false;
    const auto source = loop.on_readable(told_.read.get(), [&] {
      is_told = true;
      std::array<int, 3> counts{};
      if (::read(told_.read.get(), counts.data(), sizeof counts) == sizeof counts)
        found = {.good = counts[0], .busy = counts[1], .others = counts[2], .other = {}};
    });
    EXPECT_TRUE(source && run_until(loop, [&] { return is_told; }));
    return found;
  }

 private:
  [[nodiscard]] bool call_all(const char* method, const Fill& fill, int calls_of_connection) const noexcept {
    Answers answers;
    std::vector<std::unique_ptr<forgery::Stranger>> connections;
    for (int i = 0; i < kConnections; ++i) {
      connections.push_back(std::make_unique<forgery::Stranger>());
      for (int j = 0; j < calls_of_connection; ++j) {
        const auto call = new_call(connections.back()->bus(), method);
        fill(call);
        send_call(connections.back()->bus(), call, answers);
      }
    }
    for (const auto& each : connections) forgery::settle(each->bus());
    if (::write(sent_.write.get(), "s", 1) != 1) return false;
    while (answers.all() < kConnections * calls_of_connection) {
      bool has_worked = false;
      for (const auto& each : connections) has_worked |= sd_bus_process(each->bus(), nullptr) > 0;
      if (!has_worked) ::usleep(1000);
    }
    const std::array counts{answers.good, answers.busy, answers.others};
    return ::write(told_.write.get(), counts.data(), sizeof counts) == sizeof counts;
  }

  Pipe sent_, told_;
  pid_t process_ = -1;
};

class CallTurns : public BusTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
    BusTest::SetUp();
    scenarios.on_list = [this] { ++listed; };
  }
  // Until a call of root is answered, which the bus has passed on after all others.
  void wait_for_root() {
    const forgery::Stranger root;
    Answers answers;
    send_call(root.bus(), new_call(root.bus(), "ListBoots"), answers);  // without its argument: an error
    forgery::settle(root.bus());
    dbus::attach(root.bus(), loop->raw());
    EXPECT_TRUE(run_until(*loop, [&] { return answers.all() == 1; }));
    sd_bus_detach_event(root.bus());
  }

  static void no_arguments(const forgery::Message& /*call*/) {}

  int listed = 0;
};

const User kFlooding{.uid = 65534, .gid = 65534};

TEST_F(CallTurns, of_others_come_before_the_last_of_a_user_who_has_sent_hundreds) {
  const Crowd crowd{kFlooding, "ListScenarios", no_arguments};
  ASSERT_TRUE(crowd.wait_until_sent());
  wait_for_root();
  const int before = listed;
  EXPECT_LT(before, kShare / 2) << "of more that came before";
  const Answers answers = crowd.answers(*loop);
  EXPECT_EQ(answers.all(), kCalls);
  EXPECT_EQ(answers.good, listed);
  EXPECT_EQ(answers.others, 0);
}

TEST_F(CallTurns, of_a_user_are_bounded_by_his_bytes_and_further_ones_are_busy) {
  const Crowd crowd{kFlooding, "ListScenarios", no_arguments};
  ASSERT_TRUE(crowd.wait_until_sent());
  const Answers answers = crowd.answers(*loop);
  EXPECT_EQ(answers.good + answers.busy, kCalls);
  EXPECT_GE(answers.good, kShare);
  EXPECT_GT(answers.busy, kCalls / 10);
  ASSERT_FALSE(refused().empty());
  EXPECT_THAT(refused().front(), HasSubstr("uid 65534"));
  EXPECT_THAT(refused().front(), HasSubstr("of calls of this user are not answered yet"));
}

// Those that must know who calls do their work when the bus has said so, also not all at once.
TEST_F(CallTurns, of_others_come_before_those_that_wait_for_the_bus_to_say_who_calls) {
  const auto fill = [](const forgery::Message& call) {
    sd_bus_message_append(call.get(), "a{sv}su", 0, "", 0U);
  };
  const Crowd crowd{kFlooding, "ListAuditLog", fill, 40};
  ASSERT_TRUE(crowd.wait_until_sent());
  wait_for_root();
  EXPECT_LT(audit_store.pages, 40 * kConnections / 2);
  EXPECT_EQ(crowd.answers(*loop).good, 40 * kConnections);
  EXPECT_EQ(audit_store.pages, 40 * kConnections);
}

TEST_F(CallTurns, are_not_used_up_by_calls_that_are_answered) {
  const Crowd crowd{kFlooding, "ListScenarios", no_arguments, 10};
  ASSERT_TRUE(crowd.wait_until_sent());
  EXPECT_EQ(crowd.answers(*loop).good, 10 * kConnections);
  const Crowd again{kFlooding, "ListScenarios", no_arguments, 40};
  ASSERT_TRUE(again.wait_until_sent());
  EXPECT_EQ(again.answers(*loop).good, 40 * kConnections) << "all fit into the budget";
}

class LargeCalls : public BusTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
    BusTest::SetUp();
    queries.stored = {a_run(41)};
    queries.stored.front().owner = kOwner;
  }
  // Of OpenBundle with a page of so many bytes.
  std::string open_bundle(const User& user, std::size_t bytes) {
    return as(user, [bytes](sdbus::IProxy& manager) -> std::string {
      try {
        sdbus::UnixFd file;
        manager.callMethod("OpenBundle")
            .onInterface(dbus::kManagerInterface)
            .withArguments(std::uint64_t{1}, dbus::Row{{"report", sdbus::Variant{std::string(bytes, 'x')}}})
            .storeResultsTo(file);
      } catch (const sdbus::Error& e) {
        return e.getName() + " " + e.getMessage();
      }
      return "ok";
    });
  }
};

TEST_F(LargeCalls, are_for_those_whose_right_is_known) {
  const std::size_t large = kMostUntrustedBytes;
  const auto is_refused = testing::AllOf(
      HasSubstr(dbus::error::kInvalidArgument),
      HasSubstr("at most 262144 are read of a user who is no member of the group and owns no run"));
  EXPECT_THAT(open_bundle({}, large), is_refused);
  EXPECT_THAT(open_bundle({.uid = kOwner, .gid = kOwner}, large), testing::Not(is_refused));
  EXPECT_THAT(open_bundle({.groups = {kGroup}}, large), testing::Not(is_refused));
  EXPECT_THAT(open_bundle({.uid = 0, .gid = 0}, large), testing::Not(is_refused));
  EXPECT_THAT(open_bundle({}, 1000),
              testing::AllOf(testing::Not(is_refused), HasSubstr(dbus::error::kAccessDenied)));
}

}  // namespace
}  // namespace netperfd::bus
