// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/waiting_calls.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "daemon/bus/access/refusals.hpp"
#include "tests/support/forgery.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

constexpr std::uint64_t kPatienceOfBus{std::chrono::microseconds{kTestPatience}.count()};

// Without a socket: the test puts the calls.
class WaitingCallsTest : public BusTest {
 protected:
  void SetUp() override {
    BusTest::SetUp();
    if (IsSkipped()) return;
    service.reset();
    connection = dbus::connect(dbus::Peers::Use::serving, {});
    sd_bus* const raw = dbus::raw(*connection->bus);
    questions.emplace();
    caller.emplace();
    refusals.emplace(*loop, [](const Refused&) {});
    senders.emplace(questions->bus(), *refusals);
    sizes.emplace(*connection->guard, raw, *senders);
    calls.emplace(*loop, *connection->guard, raw, *senders, *sizes, under_way,
                  KnownRights{.may_measure = [](const Senders::Sender&) { return true; },
                              .has_jobs = [](uid_t) { return false; }});
    name = forgery::unique_name(caller->bus());
    head.sender = name;
  }
  void TearDown() override {
    calls.reset();
    sizes.reset();
    senders.reset();
    refusals.reset();
    caller.reset();
    questions.reset();
    connection.reset();
    BusTest::TearDown();
  }

  // Of the caller, with one byte that tells it from others.
  void put(unsigned char byte) {
    while (!calls->knows(head)) {
    }
    ASSERT_EQ(calls->room_for(&head, 1), dbus::CallQueue::Room::is_here);
    dbus::WaitingCall call;
    call.bytes = {byte};
    calls->put(std::move(call));
  }

  std::optional<dbus::Connection> connection;
  std::optional<forgery::Stranger> questions, caller;
  std::optional<Refusals> refusals;
  std::optional<Senders> senders;
  std::optional<MessageSizes> sizes;
  UnderWay under_way;
  std::optional<WaitingCalls> calls;
  std::string name;
  dbus::MessageHead head;
};

TEST_F(WaitingCallsTest, of_one_sender_keep_their_order_if_the_bus_names_him_late) {
  bus->send_signal(SIGSTOP);
  put(1);
  EXPECT_FALSE(senders->of(name).uid);
  bus->send_signal(SIGCONT);
  // The loop would give the call to libsystemd.
  while (!senders->of(name).uid) {
    const int processed = sd_bus_process(questions->bus(), nullptr);
    ASSERT_GE(processed, 0);
    if (processed == 0) {
      ASSERT_GT(sd_bus_wait(questions->bus(), kPatienceOfBus), 0);
    }
  }
  put(2);
  for (const int expected : {1, 2}) {
    ASSERT_TRUE(calls->has_next());
    EXPECT_EQ(calls->next().bytes.at(0), expected);
  }
  EXPECT_FALSE(calls->has_next());
}

// Such as one of Introspect, or with too many entries.
TEST_F(WaitingCallsTest, make_room_of_a_call_that_nobody_has_claimed) {
  const auto bytes = std::make_shared<int>();
  under_way.begin(
      std::make_shared<const UnderWay::OfCall>(UnderWay::OfCall{.user = ::geteuid(), .bytes = bytes}));
  EXPECT_EQ(bytes.use_count(), 2);
  put(1);
  EXPECT_EQ(bytes.use_count(), 1);
}

}  // namespace
}  // namespace netperfd::bus
