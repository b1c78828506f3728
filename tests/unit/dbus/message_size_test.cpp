// SPDX-License-Identifier: GPL-2.0-or-later
// Messages that are larger than their receiver reads.
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "dbus/shed_descriptors.hpp"
#include "tests/unit/dbus/guarded_socket_fixture.hpp"
#include "tests/unit/dbus/locked_pipe.hpp"

namespace netperfd::dbus::guard_test {
namespace {

constexpr std::size_t kBody = 3000;

class MessageSize : public SocketGuardTest {
 protected:
  void SetUp() override {
    SocketGuardTest::SetUp();
    most_bytes = 1000;
    wanted = "nothing";
  }
};

struct Kind {
  MessageType type = MessageType::call;
  bool is_big = false;
  std::size_t body = kBody;
  std::uint32_t serial = 7;
  std::uint32_t descriptors = 0;
  std::string member = "Ping";
};

// The header, padded. `body` is what its fields say: the number of bytes, and whether there is a signature.
Bytes header(const Kind& kind, std::size_t body) {
  Header made{kind.type, kind.is_big, static_cast<std::uint32_t>(body)};
  made.serial(kind.serial).text(1, 'o', "/org/netperfd1").text(2, 's', "a.B");
  made.text(body > 0 ? 8 : 255, 'g', "a{sv}").text(3, 's', kind.member).text(7, 's', ":1.42");
  if (kind.descriptors > 0) made.count(9, kind.descriptors);
  Bytes bytes = made.bytes();
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes;
}

Bytes whole(const Kind& kind) {
  Bytes bytes = header(kind, kind.body);
  bytes.resize(bytes.size() + kind.body, 'l');  // with which a message could begin
  return bytes;
}

// What libsystemd gets.
Bytes cut(const Kind& kind) {
  return header(kind, 0);
}

const Kind kSmall{.body = 8, .serial = 9};

TEST_F(MessageSize, of_a_large_call_leaves_its_header_alone) {
  for (const bool is_big : {false, true}) {
    const Kind call{.is_big = is_big};
    send(whole(call), {});
    EXPECT_EQ(next().bytes, cut(call)) << is_big;
  }
  send(whole(kSmall), {});
  EXPECT_EQ(next().bytes, whole(kSmall)) << "the next message begins where it should";
  EXPECT_EQ(too_large, (std::vector<TooLarge>(2, {":1.42", 7, whole({}).size()})));
  EXPECT_TRUE(refused.empty());
}

TEST_F(MessageSize, of_other_large_messages_leaves_nothing) {
  for (const bool is_big : {false, true}) {
    for (const MessageType type : {MessageType::signal, MessageType::reply, MessageType::error}) {
      send(whole({.type = type, .is_big = is_big}), {});
      EXPECT_TRUE(next().bytes.empty());
      EXPECT_EQ(waiting_bytes(), 0);
    }
  }
  is_answered = false;
  send(whole({}), {});
  EXPECT_TRUE(next().bytes.empty()) << "a call that nobody would answer";
  send(whole(kSmall), {});
  EXPECT_EQ(next().bytes, whole(kSmall));
  EXPECT_EQ(too_large.size(), 7U);
}

TEST_F(MessageSize, may_be_the_limit_but_not_a_byte_more) {
  most_bytes = whole({}).size();
  send(whole({}), {});
  EXPECT_EQ(next().bytes, whole({}));
  const Kind longer{.body = kBody + 1};
  send(whole(longer), {});
  EXPECT_EQ(next().bytes, cut(longer));
  EXPECT_EQ(too_large, (std::vector<TooLarge>{{":1.42", 7, most_bytes + 1}}));
}

TEST_F(MessageSize, is_bounded_if_nobody_says_how) {
  guard->set_sizes({});
  const Kind call{.body = SocketGuard::kMostBytes - 300};
  send(whole(call), {});
  EXPECT_EQ(next().bytes, whole(call));
  send(whole({.body = SocketGuard::kMostBytes}), {});
  EXPECT_TRUE(next().bytes.empty());
  EXPECT_EQ(waiting_bytes(), 0);
}

TEST_F(MessageSize, of_a_message_of_the_bus_does_not_matter) {
  Bytes reply =
      Header{MessageType::reply, false, 150'000}.count(5, 7).text(7, 's', "org.freedesktop.DBus").bytes();
  reply.resize((reply.size() + 7) / 8 * 8 + 150'000, 'b');
  send(reply, {});
  EXPECT_EQ(next().bytes, reply);
  EXPECT_TRUE(too_large.empty());
}

// Whatever part of it has come when somebody looks.
TEST_F(MessageSize, is_known_of_a_message_that_is_cut_anywhere) {
  constexpr std::size_t kShort = 800;
  most_bytes = 500;
  for (const MessageType type : {MessageType::call, MessageType::signal}) {
    for (const bool is_big : {false, true}) {
      const Kind kind{.type = type, .is_big = is_big, .body = kShort};
      const Bytes all = whole(kind);
      for (std::size_t at = 1; at < all.size(); ++at) {
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(at);
        send({all.begin(), middle}, {});
        Bytes got;
        const auto add = [&](std::size_t most) {
          const Bytes more = receive(most).bytes;
          got.insert(got.end(), more.begin(), more.end());
        };
        for (int turn = 0; turn < 4; ++turn) add(24 + got.size());
        send({middle, all.end()}, {});
        const Bytes expected = type == MessageType::call ? cut(kind) : Bytes{};
        for (int turn = 0; turn < 4 && got.size() < expected.size(); ++turn)
          add(expected.size() - got.size());
        ASSERT_EQ(got, expected) << at;
        send(whole(kSmall), {});
        ASSERT_EQ(next().bytes, whole(kSmall)) << at;
      }
    }
  }
}

TEST_F(MessageSize, of_one_message_does_not_touch_those_beside_it) {
  const Kind first{.serial = 1}, second{.serial = 2, .descriptors = 0}, third{.body = 150'000, .serial = 3};
  for (const Bytes& each : {whole(first), whole(second), whole(kSmall), whole({.type = MessageType::signal}),
                            whole(third), whole(kSmall)}) {
    send(each, {});
  }
  EXPECT_EQ(next().bytes, cut(first));
  EXPECT_EQ(next().bytes, cut(second));
  EXPECT_EQ(next().bytes, whole(kSmall));
  EXPECT_EQ(next().bytes, cut(third));
  EXPECT_EQ(next().bytes, whole(kSmall));
  EXPECT_EQ(waiting_bytes(), 0);
}

// Only the odd messages that are short, which libsystemd may judge, are passed on.
TEST_F(MessageSize, is_bounded_where_the_header_cannot_be_read) {
  most_bytes = std::size_t{1} << 20U;
  for (const std::size_t path : {SocketGuard::kLongestHead, std::size_t{100'000}}) {
    Bytes long_path =
        Header{MessageType::call}.text(1, 'o', "/" + std::string(path, 'x')).text(3, 's', "Ping").bytes();
    long_path.resize((long_path.size() + 7) / 8 * 8);
    send(long_path, {});
    EXPECT_TRUE(next().bytes.empty());
  }
  const auto odd = [](std::uint32_t body) {
    Bytes made = Header{MessageType::call, false, body}.text(3, 's', "Ping").count(77, 1).bytes();
    made.resize((made.size() + 7) / 8 * 8 + body);
    return made;
  };
  send(odd(SocketGuard::kLongestHead), {});
  EXPECT_TRUE(next().bytes.empty());
  send(odd(10), {});
  EXPECT_EQ(next().bytes, odd(10));
  EXPECT_EQ(waiting_bytes(), 0);
  ASSERT_EQ(too_large.size(), 3U);
  for (const TooLarge& each : too_large) EXPECT_EQ(each.sender, "unreadable");
}

// It claims 100 MiB, of which a part comes.
TEST_F(MessageSize, is_believed_before_it_has_come) {
  Bytes begun = Header{MessageType::call, false, 100U << 20U}.text(7, 's', ":1.42").bytes();
  begun.resize(50'000, 'x');
  send(begun, {});
  const Bytes got = next().bytes;
  EXPECT_LT(got.size(), 200U);
  while (waiting_bytes() > 0) EXPECT_TRUE(receive(24).bytes.empty());
  ASSERT_EQ(too_large.size(), 1U);
  EXPECT_GT(too_large[0].bytes, std::size_t{100} << 20U);
}

TEST_F(MessageSize, and_descriptors_are_refused_together) {
  wanted = "ImportRun";
  for (const bool is_call : {true, false}) {
    auto pipe = make_pipe();
    ASSERT_TRUE(pipe);
    const Kind kind{
        .type = is_call ? MessageType::call : MessageType::signal, .descriptors = 2, .member = wanted};
    send(whole(kind), {pipe->write.get(), pipe->write.get()});
    pipe->write.reset();
    const auto before = open_numbers();
    const Received received = next();
    EXPECT_EQ(received.bytes, is_call ? cut(kind) : Bytes{});
    EXPECT_EQ(received.places, is_call ? (std::vector{-1, -1}) : std::vector<int>{});
    EXPECT_TRUE(is_closed(pipe->read));
    EXPECT_EQ(open_numbers(), before);
  }
  send(whole(kSmall), {});
  EXPECT_EQ(next().bytes, whole(kSmall));
  EXPECT_TRUE(kept.empty());
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(too_large.size(), 2U);
  EXPECT_TRUE(refused.empty()) << "each is told of once";
}

// The same message is looked at again and again until a thread can take its descriptor.
TEST_F(MessageSize, is_told_of_once_while_too_many_descriptors_do_not_close) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may lock a pipe";
  netperfd::test::LockedPipe pipe{kMostSheds + 1};
  for (std::size_t i = 0; i < kMostSheds; ++i) {
    const Fd file = pipe.take();  // the copy in the socket is the last one
    send(whole({.type = MessageType::signal, .body = 8, .descriptors = 1}), {file.get()});
  }
  const Kind call{.descriptors = 1};
  {
    const Fd file = pipe.take();
    send(whole(call), {file.get()});
  }
  while (held_up.empty() && refused.size() <= kMostSheds) EXPECT_TRUE(receive(24).bytes.empty());
  for (int turn = 0; turn < 10; ++turn) EXPECT_TRUE(receive(24).bytes.empty());
  EXPECT_EQ(held_up, std::vector{true});
  EXPECT_EQ(too_large.size(), 1U);
  pipe.let_go();
  EXPECT_EQ(next().bytes, cut(call));
  EXPECT_EQ(too_large.size(), 1U);
}

TEST_F(MessageSize, leaves_the_loop_its_turns) {
  const Kind call{.body = 150'000};
  send(whole(call), {});
  EXPECT_EQ(receive(10'000).bytes, cut(call));
  for (int before = waiting_bytes(); before > 0;) {
    EXPECT_TRUE(receive(24).bytes.empty());
    ASSERT_LE(before - waiting_bytes(), static_cast<int>(SocketGuard::kMostSkipped));
    ASSERT_LT(waiting_bytes(), before);
    before = waiting_bytes();
  }
}

}  // namespace
}  // namespace netperfd::dbus::guard_test
