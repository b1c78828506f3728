// SPDX-License-Identifier: GPL-2.0-or-later
// Calls that wait for their turn outside the socket.
#include "dbus/call_queue.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/dbus/guarded_socket_fixture.hpp"

namespace netperfd::dbus::guard_test {
namespace {

// The last one that came is the first one that goes.
class Stack final : public CallQueue {
 public:
  bool knows(const MessageHead& /*head*/) override { return is_known; }
  Room room_for(const MessageHead* head, std::size_t bytes) override {
    asked.emplace_back(head != nullptr ? head->member : "unreadable", bytes);
    return room;
  }
  void put(WaitingCall call) override { calls.push_back(std::move(call)); }
  bool has_next() const override { return gives && !calls.empty(); }
  WaitingCall next() override {
    WaitingCall last = std::move(calls.back());
    calls.pop_back();
    return last;
  }

  bool is_known = true, gives = true;
  Room room = Room::is_here;
  std::vector<std::pair<std::string, std::size_t>> asked;
  std::deque<WaitingCall> calls;
};

Bytes call(const std::string& member) {
  return message(MessageType::call, 0, member);
}

Bytes of_bus() {
  Bytes bytes = Header{MessageType::reply}.count(5, 7).text(7, 's', "org.freedesktop.DBus").bytes();
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes;
}

class CallQueueTest : public SocketGuardTest {
 protected:
  void SetUp() override {
    SocketGuardTest::SetUp();
    guard->set_calls(&stack);
  }
  void TearDown() override {
    guard->set_calls(nullptr);
    SocketGuardTest::TearDown();
  }
  // next() asks only as long as something is in the socket.
  [[nodiscard]] Bytes next_of_queue() const {
    Bytes all = receive(24).bytes;
    while (!all.empty()) {
      const Bytes more = receive(100'000).bytes;
      all.insert(all.end(), more.begin(), more.end());
      const auto size = size_of_message(std::span{all}.first<kFixedHead>());
      if (!size || all.size() >= size->whole) break;
    }
    return all;
  }

  Stack stack;
};

TEST_F(CallQueueTest, takes_all_calls_that_have_come_and_gives_them_in_its_order) {
  for (const char* member : {"A", "B", "C"}) send(call(member), {});
  EXPECT_EQ(next_of_queue(), call("C"));
  EXPECT_EQ(waiting_bytes(), 0);
  EXPECT_EQ(stack.calls.size(), 2U);
  EXPECT_EQ(next_of_queue(), call("B"));
  send(call("D"), {});
  EXPECT_EQ(next_of_queue(), call("D"));
  EXPECT_EQ(next_of_queue(), call("A"));
  EXPECT_TRUE(next_of_queue().empty());
}

TEST_F(CallQueueTest, keeps_what_waits_until_its_turn_comes) {
  stack.gives = false;
  send(call("A"), {});
  EXPECT_TRUE(next_of_queue().empty());
  EXPECT_EQ(waiting_bytes(), 0);
  stack.gives = true;
  EXPECT_EQ(next_of_queue(), call("A"));
}

// The answers to the daemon's own questions do not wait behind a flood.
TEST_F(CallQueueTest, does_not_hold_up_what_the_bus_says) {
  for (const char* member : {"A", "B"}) send(call(member), {});
  send(of_bus(), {});
  send(call("C"), {});
  EXPECT_EQ(next_of_queue(), of_bus());
  EXPECT_EQ(next_of_queue(), call("C"));
  EXPECT_EQ(stack.calls.size(), 2U);
}

TEST_F(CallQueueTest, has_its_turn_after_many_messages_however_many_follow) {
  send(call("Waits"), {});
  for (std::size_t i = 0; i < 2 * SocketGuard::kMostBetween; ++i) send(of_bus(), {});
  std::size_t of_bus_first = 0;
  while (next_of_queue() == of_bus()) ++of_bus_first;
  EXPECT_EQ(of_bus_first, SocketGuard::kMostBetween - 1) << "the call itself is one of them";
  EXPECT_TRUE(stack.calls.empty());
  EXPECT_GT(waiting_bytes(), 0);
}

TEST_F(CallQueueTest, takes_so_many_calls_between_two_that_it_gives) {
  constexpr std::size_t kMany = 3 * SocketGuard::kMostBetween;
  for (std::size_t i = 0; i < kMany; ++i) send(call("Flood"), {});
  EXPECT_EQ(next_of_queue(), call("Flood"));
  EXPECT_EQ(stack.asked.size(), SocketGuard::kMostBetween);
  EXPECT_EQ(next_of_queue(), call("Flood"));
  EXPECT_EQ(stack.asked.size(), 2 * SocketGuard::kMostBetween);
}

// Whose calls all wait for the bus, for example.
TEST_F(CallQueueTest, takes_so_many_calls_at_once_if_it_gives_none) {
  stack.gives = false;
  for (std::size_t i = 0; i < 3 * SocketGuard::kMostBetween; ++i) send(call("Flood"), {});
  for (std::size_t turn = 1; turn <= 3; ++turn) {
    EXPECT_TRUE(receive(24).bytes.empty());
    EXPECT_EQ(stack.asked.size(), turn * SocketGuard::kMostBetween);
  }
  EXPECT_EQ(waiting_bytes(), 0);
}

TEST_F(CallQueueTest, lets_the_loop_have_its_turn_after_many_messages_of_the_bus) {
  stack.gives = false;
  send(call("Waits"), {});
  for (std::size_t i = 0; i < SocketGuard::kMostBetween; ++i) send(of_bus(), {});
  for (std::size_t i = 1; i < SocketGuard::kMostBetween; ++i) ASSERT_EQ(next_of_queue(), of_bus()) << i;
  EXPECT_TRUE(receive(24).bytes.empty());
  EXPECT_EQ(next_of_queue(), of_bus());
  EXPECT_EQ(waiting_bytes(), 0);
}

TEST_F(CallQueueTest, without_room_answers_by_the_header_alone) {
  send(call("A"), {});
  send(call("B"), {});
  stack.room = CallQueue::Room::refused_with_answer;
  const Bytes cut = next_of_queue();
  const auto size = size_of_message(std::span{cut}.first<kFixedHead>());
  ASSERT_TRUE(size);
  EXPECT_EQ(size->whole, cut.size());
  EXPECT_LT(cut.size(), call("A").size()) << "without its body";
  stack.room = CallQueue::Room::refused;
  EXPECT_TRUE(next().bytes.empty());
  EXPECT_EQ(waiting_bytes(), 0);
  stack.room = CallQueue::Room::is_here;
  send(call("C"), {});
  EXPECT_EQ(next_of_queue(), call("C"));
  EXPECT_TRUE(stack.calls.empty());
  ASSERT_EQ(stack.asked.size(), 3U);
  EXPECT_EQ(stack.asked[0], std::pair(std::string{"A"}, call("A").size()));
}

TEST_F(CallQueueTest, does_not_take_a_call_before_it_is_known_whose_it_is) {
  stack.is_known = false;
  send(call("A"), {});
  const int before = waiting_bytes();
  for (int turn = 0; turn < 3; ++turn) EXPECT_TRUE(receive(24).bytes.empty());
  EXPECT_EQ(waiting_bytes(), before);
  EXPECT_TRUE(stack.asked.empty());
  stack.is_known = true;
  EXPECT_EQ(next_of_queue(), call("A"));
}

TEST_F(CallQueueTest, gives_descriptors_with_their_call) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  stack.gives = false;
  send(message(MessageType::call, 1), {pipe->write.get()});
  send(message(MessageType::call, 1, "Unwanted"), {pipe->write.get()});
  send(call("Last"), {});
  EXPECT_TRUE(next().bytes.empty());
  ASSERT_EQ(stack.calls.size(), 3U);
  ASSERT_EQ(kept.size(), 1U);
  stack.gives = true;
  EXPECT_EQ(next_of_queue(), call("Last"));
  const Received unwanted = receive(100'000);
  EXPECT_EQ(unwanted.bytes, message(MessageType::call, 1, "Unwanted"));
  EXPECT_EQ(unwanted.places, std::vector{-1});
  const Received first = receive(24);
  EXPECT_EQ(first.places, std::vector{1000 + kept[0]});
  const Received rest = receive(100'000);
  EXPECT_TRUE(rest.places.empty());
  EXPECT_EQ(first.bytes.size() + rest.bytes.size(), message(MessageType::call, 1).size());
}

// Some of it came in one turn, and the rest in another.
TEST_F(CallQueueTest, keeps_a_call_that_is_cut_anywhere) {
  const Bytes whole = message(MessageType::call, 0, "Cut", 300);
  for (std::size_t at = 1; at < whole.size(); ++at) {
    const auto middle = whole.begin() + static_cast<std::ptrdiff_t>(at);
    send({whole.begin(), middle}, {});
    EXPECT_TRUE(receive(24).bytes.empty());
    send({middle, whole.end()}, {});
    ASSERT_EQ(next_of_queue(), whole) << at;
    send(of_bus(), {});
    ASSERT_EQ(next_of_queue(), of_bus()) << at;
  }
}

// Others are answered while a large one comes.
TEST_F(CallQueueTest, gives_others_while_a_call_is_coming) {
  const Bytes large = message(MessageType::call, 0, "Large", 50'000);
  send(call("A"), {});
  send({large.begin(), large.begin() + 10'000}, {});
  EXPECT_EQ(next_of_queue(), call("A"));
  EXPECT_TRUE(receive(24).bytes.empty());
  send({large.begin() + 10'000, large.end()}, {});
  EXPECT_EQ(next_of_queue(), large);
}

TEST_F(CallQueueTest, keeps_calls_whose_header_cannot_be_read_too) {
  Bytes odd = Header{MessageType::call}.text(3, 's', "Ping").count(77, 1).bytes();
  odd.resize((odd.size() + 7) / 8 * 8);
  send(odd, {});
  send(call("A"), {});
  EXPECT_EQ(next_of_queue(), call("A"));
  EXPECT_EQ(next_of_queue(), odd);
  ASSERT_EQ(stack.asked.size(), 2U);
  EXPECT_EQ(stack.asked[0].first, "unreadable");
}

TEST_F(CallQueueTest, leaves_signals_alone) {
  const Bytes signal = message(MessageType::signal, 0);
  send(signal, {});
  EXPECT_EQ(next_of_queue(), signal);
  EXPECT_TRUE(stack.asked.empty());
}

}  // namespace
}  // namespace netperfd::dbus::guard_test
