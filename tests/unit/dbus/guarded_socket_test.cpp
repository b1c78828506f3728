// SPDX-License-Identifier: GPL-2.0-or-later
#include "dbus/guarded_socket.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "tests/unit/dbus/guarded_socket_fixture.hpp"

namespace netperfd::dbus::guard_test {
namespace {

TEST_F(SocketGuardTest, receives_the_descriptors_of_a_message_that_is_wanted) {
  const Fd one{::memfd_create("one", MFD_CLOEXEC)};
  const Fd two{::memfd_create("two", MFD_CLOEXEC)};
  const Bytes call = message(MessageType::call, 2);
  send(call, {one.get(), two.get()});
  const Received received = next();
  EXPECT_EQ(received.bytes, call);
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_TRUE(is_same_file(kept[0], one.get()));
  EXPECT_TRUE(is_same_file(kept[1], two.get()));
  EXPECT_EQ(received.places, (std::vector{1000 + kept[0], 1000 + kept[1]}));
  EXPECT_TRUE(refused.empty());
}

TEST_F(SocketGuardTest, receives_nothing_until_it_is_known_whether_it_is_wanted) {
  const Fd file{::memfd_create("one", MFD_CLOEXEC)};
  const Bytes call = message(MessageType::call, 1);
  send(call, {file.get()});
  is_known = false;
  for (int turn = 1; turn <= 3; ++turn) {
    errno = 0;
    EXPECT_TRUE(receive(24).bytes.empty());
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_EQ(asked, turn);
    EXPECT_EQ(waiting_bytes(), static_cast<int>(call.size()));
  }
  is_known = true;
  EXPECT_EQ(next().bytes, call);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_TRUE(is_same_file(kept[0], file.get()));
}

// Such as the pidfd of GetConnectionCredentials.
TEST_F(SocketGuardTest, receives_those_of_the_bus_as_they_are) {
  const Fd file{::memfd_create("one", MFD_CLOEXEC)};
  Bytes reply =
      Header{MessageType::reply}.count(5, 7).count(9, 1).text(7, 's', "org.freedesktop.DBus").bytes();
  reply.resize((reply.size() + 7) / 8 * 8);
  send(reply, {file.get()});
  const Received received = next();
  EXPECT_EQ(received.bytes, reply);
  ASSERT_EQ(received.places.size(), 1U);
  const Fd got{received.places[0]};
  EXPECT_TRUE(is_same_file(got.get(), file.get()));
  EXPECT_TRUE(kept.empty());
}

TEST_F(SocketGuardTest, gives_closed_ones_with_a_call_whose_descriptors_are_not_wanted) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  const Bytes call = message(MessageType::call, 3, "Ping", 100'000);
  send(call, {pipe->write.get(), pipe->write.get(), pipe->write.get()});
  pipe->write.reset();
  const auto before = open_numbers();
  const Received received = next();
  EXPECT_EQ(received.bytes, call);
  EXPECT_EQ(received.places, (std::vector{-1, -1, -1}));
  EXPECT_TRUE(kept.empty());
  EXPECT_EQ(open_numbers(), before);
  EXPECT_TRUE(is_closed(pipe->read));
  EXPECT_EQ(refused, std::vector<std::string>{":1.42"});
}

TEST_F(SocketGuardTest, lets_libsystemd_see_nothing_else_that_has_descriptors) {
  Bytes of_new_type = message(MessageType::signal, 1);
  of_new_type[1] = 5;
  Header with_long_path{MessageType::call};
  with_long_path.text(1, 'o', "/" + std::string(SocketGuard::kLongestHead, 'x'))
      .text(3, 's', "ImportRun")
      .count(9, 1);
  Bytes with_unknown_field =
      Header{MessageType::call}.text(3, 's', "ImportRun").count(9, 1).count(77, 1).bytes();
  with_unknown_field.resize((with_unknown_field.size() + 7) / 8 * 8);
  Bytes long_call = with_long_path.bytes();
  long_call.resize((long_call.size() + 7) / 8 * 8);
  for (const Bytes& hostile :
       {message(MessageType::signal, 1), message(MessageType::reply, 1), message(MessageType::error, 1),
        message(MessageType::signal, 1, "ImportRun", 150'000), of_new_type, with_unknown_field, long_call}) {
    auto pipe = make_pipe();
    ASSERT_TRUE(pipe);
    // As the bus may be asked to say: what the header tells is not what comes.
    send(hostile, std::vector<int>(hostile.size() % 7 + 1, pipe->write.get()));
    pipe->write.reset();
    const auto before = open_numbers();
    EXPECT_TRUE(next().bytes.empty()) << hostile.size();
    EXPECT_EQ(open_numbers(), before);
    EXPECT_TRUE(is_closed(pipe->read));
  }
  const Bytes call = message(MessageType::call, 0);
  send(call, {});
  EXPECT_EQ(next().bytes, call) << "the next message begins where it should";
  EXPECT_EQ(refused.size(), 6U);
  EXPECT_EQ(too_large.size(), 1U) << "the header is too long to be read";
}

TEST_F(SocketGuardTest, takes_messages_for_what_they_are_next_to_others_with_descriptors) {
  const Fd file{::memfd_create("one", MFD_CLOEXEC)};
  const Bytes first = message(MessageType::call, 0, "Ping");
  const Bytes second = message(MessageType::call, 1);
  Bytes odd = Header{MessageType::reply}.count(5, 1).count(77, 1).bytes();  // which libsystemd may judge
  odd.resize((odd.size() + 7) / 8 * 8);
  send(first, {});
  send(odd, {});
  send(message(MessageType::signal, 1), {file.get()});
  send(second, {file.get()});
  send(first, {});
  EXPECT_EQ(next().bytes, first);
  EXPECT_EQ(next().bytes, odd);
  const Received received = next();
  EXPECT_EQ(received.bytes, second);
  EXPECT_EQ(received.places.size(), 1U);
  EXPECT_EQ(next().bytes, first);
  EXPECT_EQ(refused.size(), 1U);
}

// Whoever sends without end keeps the loop for no longer than a message takes.
TEST_F(SocketGuardTest, skips_no_more_than_one_message_at_a_time) {
  const Fd file{::memfd_create("one", MFD_CLOEXEC)};
  const Bytes unwanted = message(MessageType::signal, 1);
  constexpr int kMessages = 20;
  for (int i = 0; i < kMessages; ++i) send(unwanted, {file.get()});
  for (int i = 1; i <= kMessages; ++i) {
    errno = 0;
    EXPECT_TRUE(receive(24).bytes.empty());
    EXPECT_EQ(errno, EAGAIN);
    ASSERT_EQ(refused.size(), static_cast<std::size_t>(i));
    ASSERT_EQ(waiting_bytes(), static_cast<int>(unwanted.size()) * (kMessages - i));
  }
}

TEST_F(SocketGuardTest, skips_a_long_message_part_by_part) {
  const Fd file{::memfd_create("one", MFD_CLOEXEC)};
  const Bytes unwanted = message(MessageType::signal, 1, "Long", 150'000);
  send(unwanted, {file.get()});
  int before = waiting_bytes();
  for (; before > 0; before = waiting_bytes()) {
    EXPECT_TRUE(receive(24).bytes.empty());
    ASSERT_LE(before - waiting_bytes(), 1 + static_cast<int>(SocketGuard::kMostSkipped));
    ASSERT_LT(waiting_bytes(), before);
  }
}

TEST_F(SocketGuardTest, waits_for_a_header_that_comes_in_parts) {
  const Bytes call = message(MessageType::call, 0);
  send({call.begin(), call.begin() + 10}, {});
  EXPECT_TRUE(receive(24).bytes.empty());
  send({call.begin() + 10, call.begin() + 20}, {});
  EXPECT_TRUE(receive(24).bytes.empty());
  send({call.begin() + 20, call.end()}, {});
  EXPECT_EQ(next().bytes, call);
}

TEST_F(SocketGuardTest, gives_as_many_places_as_the_header_says) {
  const Bytes call = message(MessageType::call, 2);
  send(call, {});
  const Received received = next();
  EXPECT_EQ(received.bytes, call);
  EXPECT_EQ(received.places, (std::vector{-1, -1}));
}

TEST_F(SocketGuardTest, sheds_thousands_and_keeps_none) {
  const Fd file{::memfd_create("one", MFD_CLOEXEC)};
  const auto before = open_numbers();
  for (int i = 0; i < 1000; ++i) {
    send(message(i % 2 == 0 ? MessageType::signal : MessageType::call, 16, "Flood"),
         std::vector<int>(16, file.get()));
    (void)next();
  }
  EXPECT_EQ(open_numbers(), before);
  EXPECT_EQ(refused.size(), 1000U);
}

TEST_F(SocketGuardTest, leaves_other_sockets_alone) {
  const Fd file{::memfd_create("one", MFD_CLOEXEC)};
  std::swap(near, far);  // the guarded end sends now
  send(message(MessageType::signal, 1), {file.get()});
  const Received received = receive(24);
  ASSERT_EQ(received.places.size(), 1U);
  const Fd got{received.places[0]};
  EXPECT_TRUE(is_same_file(got.get(), file.get()));
  std::swap(near, far);
}

}  // namespace
}  // namespace netperfd::dbus::guard_test
