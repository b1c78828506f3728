// SPDX-License-Identifier: GPL-2.0-or-later
#include "dbus/asking_bus.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "dbus/names.hpp"
#include "tests/support/forgery.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/bus/private_bus.hpp"

namespace netperfd::bus {
namespace {

// The bus closes what it does not pass on. Nobody reads from the connection meanwhile.
TEST(AskingBusTest, is_passed_no_descriptor_of_anybody) {
  auto bus = PrivateBus::start(PrivateBus::Rules::lax);
  if (!bus) GTEST_SKIP() << bus.error().message;
  dbus::AskingBus asking;
  ASSERT_GE(asking.open(), 0);
  const std::string name = forgery::unique_name(asking.get());
  const forgery::Stranger stranger;
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  forgery::send_signal(stranger.bus(), name, "/", "a.test", "Word", "h", pipe->write.get());
  pipe->write.reset();
  forgery::settle(stranger.bus());
  pollfd watched{pipe->read.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, kTestPatienceMs), 1);
  EXPECT_NE(watched.revents & POLLHUP, 0);
  forgery::settle(asking.get());  // it goes on
}

std::vector<std::string> members_seen(const dbus::AskingBus& asking, const forgery::Stranger& stranger) {
  std::vector<std::string> seen;
  const auto note = [](sd_bus_message* message, void* to, sd_bus_error*) {
    const char* member = sd_bus_message_get_member(message);
    if (member != nullptr) static_cast<std::vector<std::string>*>(to)->emplace_back(member);
    return 0;
  };
  sd_bus_slot* slot = nullptr;
  EXPECT_GE(sd_bus_add_filter(asking.get(), &slot, note, &seen), 0);
  const std::string name = forgery::unique_name(asking.get());
  forgery::send_signal(stranger.bus(), name, "/", "a.test", "ByName", "s", "x");
  forgery::send_signal(stranger.bus(), dbus::kAskingService, "/", "a.test", "ByService", "s", "x");
  forgery::settle(stranger.bus());
  forgery::settle(asking.get());
  while (sd_bus_process(asking.get(), nullptr) > 0) {
  }
  sd_bus_slot_unref(slot);
  return seen;
}

// By the policy, which knows the connection by a name that it has. Elsewhere, others delay its questions.
TEST(AskingBusTest, is_passed_nothing_of_others) {
  for (const auto rules : {PrivateBus::Rules::of_the_system, PrivateBus::Rules::lax}) {
    auto bus = PrivateBus::start(rules);
    if (!bus) GTEST_SKIP() << bus.error().message;
    dbus::AskingBus asking;
    ASSERT_GE(asking.open(), 0);
    EXPECT_TRUE(asking.has_name());
    dbus::AskingBus second;  // as of a netperfd that is about to follow
    ASSERT_GE(second.open(), 0);
    EXPECT_TRUE(second.has_name());
    const forgery::Stranger stranger;
    const bool is_passed = rules == PrivateBus::Rules::lax;
    const auto has = [](const std::vector<std::string>& seen, const char* member) {
      return std::ranges::count(seen, member) > 0;
    };
    const auto seen_by_second = members_seen(second, stranger);
    EXPECT_EQ(has(seen_by_second, "ByName"), is_passed);
    EXPECT_FALSE(has(seen_by_second, "ByService"));
    const auto seen = members_seen(asking, stranger);
    EXPECT_EQ(has(seen, "ByName"), is_passed);
    EXPECT_EQ(has(seen, "ByService"), is_passed);
  }
}

TEST(AskingBusTest, keeps_no_large_message_of_anybody) {
  auto bus = PrivateBus::start(PrivateBus::Rules::lax);
  if (!bus) GTEST_SKIP() << bus.error().message;
  dbus::AskingBus asking;
  ASSERT_GE(asking.open(), 0);
  std::vector<std::string> seen;
  const auto note = [](sd_bus_message* message, void* to, sd_bus_error*) {
    const char* member = sd_bus_message_get_member(message);
    if (member != nullptr) static_cast<std::vector<std::string>*>(to)->emplace_back(member);
    return 0;
  };
  ASSERT_GE(sd_bus_add_filter(asking.get(), nullptr, note, &seen), 0);
  const std::string name = forgery::unique_name(asking.get());
  const forgery::Stranger stranger;
  const std::string text(500'000, 'x');
  forgery::send_signal(stranger.bus(), name, "/", "a.test", "Large", "s", text.c_str());
  forgery::send_signal(stranger.bus(), name, "/", "a.test", "Small", "s", "x");
  while (seen.empty() || seen.back() != "Small") {
    forgery::settle(asking.get());
    ASSERT_GE(sd_bus_process(stranger.bus(), nullptr), 0);  // which may still have to send
    ASSERT_GE(sd_bus_process(asking.get(), nullptr), 0);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "Large"), 0);
}

}  // namespace
}  // namespace netperfd::bus
