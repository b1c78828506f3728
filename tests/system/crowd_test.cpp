// SPDX-License-Identifier: GPL-2.0-or-later
// One user who calls far too often: others do not notice.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::HasSubstr;

class Crowd : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    set_up({});
    EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0);
  }

  // Subscribes this user as often as he may; returns the connections.
  static std::vector<BusClient> subscribe_all(const User& user) {
    std::vector<BusClient> connections;
    for (;;) {
      connections.push_back(lab().connect(user));
      const Reply reply = connections.back().manager("Subscribe", "");
      if (reply.error_name.empty()) continue;
      EXPECT_EQ(reply.error_name, dbus::error::kBusy);
      return connections;
    }
  }
};

TEST_F(Crowd, a_user_who_subscribes_all_that_he_can_keeps_nobody_else_from_it) {
  const auto connections = subscribe_all(lab().users().outsider);
  EXPECT_EQ(connections.size(), 17U);
  EXPECT_EQ(lab().connect(lab().users().member).manager("Subscribe", "").error_name, "");
  const Outcome outcome = lab().ctl({"start", "quick"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, testing::Not(HasSubstr("no live intervals")));
}

TEST_F(Crowd, a_start_that_cannot_subscribe_goes_on_without_live_intervals_and_says_so) {
  const auto connections = subscribe_all(lab().users().member);
  const Outcome outcome = lab().ctl({"start", "quick"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("no live intervals: 16 callers of uid"));
}

TEST_F(Crowd, thousands_of_refused_calls_are_one_line_of_the_log_and_others_are_answered) {
  constexpr int kCalls = 20'000;
  constexpr int kMoreThanAreExamined = 1'000;
  const BusClient outsider = lab().connect(lab().users().outsider);
  const auto send = [&outsider](int calls) {
    for (int i = 0; i < calls; ++i) {
      sd_bus_message* call = nullptr;
      ASSERT_GE(sd_bus_message_new_method_call(outsider.raw(), &call, dbus::kService, dbus::kManagerPath,
                                               dbus::kManagerInterface, "DeleteRun"),
                0);
      sd_bus_message_append(call, "t", std::uint64_t{1});
      sd_bus_message_set_expect_reply(call, 0);
      ASSERT_GE(sd_bus_send(outsider.raw(), call, nullptr), 0);
      sd_bus_message_unref(call);
    }
  };
  send(kCalls);
  ASSERT_GE(sd_bus_flush(outsider.raw()), 0);
  EXPECT_EQ(lab().connect(lab().users().member).manager("ListScenarios", "").error_name, "");
  // Two more are examined in each second that has passed.
  send(kMoreThanAreExamined);
  const Reply last = outsider.manager("DeleteRun", "t", std::uint64_t{1});
  EXPECT_EQ(last.error_name, dbus::error::kBusy) << last.error_text;
  const std::string log = lab().netperfd().log();
  const auto lines = std::ranges::count(log, '\n');
  EXPECT_LT(lines, 100) << log.substr(0, 2'000);
  EXPECT_EQ(lab().ctl({"show", "1"}).code, 0);
  // The rest of them is told at the end, if not before.
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  const std::string whole = read_text(lab().directory().path("netperfd.log"));
  // One line a minute.
  const std::regex more("([0-9]+) more calls of uid 65534 were refused");
  int told = 0;
  for (std::sregex_iterator line{whole.begin(), whole.end(), more}, end; line != end; ++line)
    told += std::stoi((*line)[1]);
  EXPECT_GE(told, kCalls);
}

// Of one user, more than his bytes: others are answered before the last of his is.
TEST_F(Crowd, the_calls_of_one_user_let_those_of_others_be_answered) {
  constexpr int kConnections = 16, kCalls = 100;
  const pid_t daemon = lab().netperfd().process().pid();
  std::vector<BusClient> flood;
  int answered = 0;
  const auto count = [](sd_bus_message*, void* to, sd_bus_error*) { return ++*static_cast<int*>(to), 0; };
  const auto ask = [&](const BusClient& client, void* to, sd_bus_message_handler_t handler) {
    return sd_bus_call_method_async(client.raw(), nullptr, dbus::kService, dbus::kManagerPath,
                                    dbus::kManagerInterface, "ListIntervals", handler, to, "tsu",
                                    std::uint64_t{1}, "", 0U);
  };
  const auto settle = [](const BusClient& client) {
    EXPECT_EQ(
        client.call_on("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId", "")
            .error_name,
        "");
  };
  // The daemon has all of them before it reads the first one, and those of others last.
  ASSERT_EQ(::kill(daemon, SIGSTOP), 0);
  for (int i = 0; i < kConnections; ++i) {
    flood.push_back(lab().connect(lab().users().outsider));
    for (int j = 0; j < kCalls; ++j) ASSERT_GE(ask(flood.back(), &answered, count), 0);
    settle(flood.back());
  }
  const std::array others{lab().connect(lab().users().member), lab().connect(lab().users().other_member)};
  std::array<int, 2> answered_others{};
  for (std::size_t i = 0; i < others.size(); ++i) {
    ASSERT_GE(ask(others.at(i), &answered_others.at(i), count), 0);
    settle(others.at(i));
  }
  ASSERT_EQ(::kill(daemon, SIGCONT), 0);
  int before_others = -1;
  for (const Deadline deadline; answered < kConnections * kCalls && !deadline.has_passed();) {
    for (const BusClient& each : others) (void)sd_bus_process(each.raw(), nullptr);
    for (const BusClient& each : flood) {
      while (sd_bus_process(each.raw(), nullptr) > 0) {
      }
    }
    // By now, all answers that came before theirs were read.
    if (before_others < 0 && answered_others == std::array{1, 1}) before_others = answered;
  }
  EXPECT_EQ(answered, kConnections * kCalls) << "all have an answer, if only that too many wait";
  EXPECT_GE(before_others, 0);
  EXPECT_LT(before_others, kConnections * kCalls);
  EXPECT_THAT(lab().netperfd().log(), HasSubstr("of calls of this user are not answered yet"));
}

}  // namespace
}  // namespace netperfd::system_test
