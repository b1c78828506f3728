// SPDX-License-Identifier: GPL-2.0-or-later
#include "dbus/guarded_socket.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "tests/unit/dbus/header.hpp"
#include "tests/unit/dbus/lingering.hpp"
#include "tests/unit/dbus/locked_pipe.hpp"
#include "tests/unit/dbus/sending.hpp"
#include "tests/unit/import/silent_file.hpp"

namespace netperfd::dbus {
namespace {

using test::Header;
using Bytes = std::vector<unsigned char>;

constexpr std::chrono::seconds kSoon{10};

bool is_same_file(int a, int b) {
  struct stat first{};
  struct stat second{};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// Whether the other end of this pipe is closed by now, or within ten seconds.
bool is_closed(const Fd& read_end) {
  pollfd watched{read_end.get(), POLLIN, 0};
  return ::poll(&watched, 1, 10'000) == 1 && (watched.revents & POLLHUP) != 0;
}

std::ptrdiff_t open_numbers() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

// Of a type, with so many descriptors by its header, and a body.
Bytes message(MessageType type, std::uint32_t descriptors, const std::string& member = "ImportRun",
              std::size_t body = 40) {
  Header header{type, false, static_cast<std::uint32_t>(body)};
  header.text(1, 'o', "/org/netperfd1").text(3, 's', member).text(2, 's', "org.netperfd1.Manager");
  if (descriptors > 0) header.count(9, descriptors);
  Bytes all = header.text(7, 's', ":1.42").bytes();
  all.resize((all.size() + 7) / 8 * 8 + body, 'b');
  return all;
}

struct Received {
  Bytes bytes;
  std::vector<int> places;
};

class SocketGuardTest : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    near.reset(ends[0]);
    far.reset(ends[1]);
    guard.emplace(
        near.get(),
        SocketGuard::Rules{.wants =
                               [this](const MessageHead& head) {
                                 if (head.type != MessageType::call || head.member != wanted)
                                   return Wanted::no;
                                 ++asked;
                                 return is_known ? Wanted::yes : Wanted::not_yet;
                               },
                           .replace = [this](int number) { return kept.emplace_back(number), 1000 + number; },
                           .refused =
                               [this](const MessageHead* head) {
                                 refused.emplace_back(head != nullptr ? head->sender : "unreadable");
                               }});
  }
  void TearDown() override {
    for (const int number : kept) ::close(number);
  }

  void send(const Bytes& bytes, const std::vector<int>& numbers) const {
    ASSERT_TRUE(test::send_with(far, bytes, numbers));
  }

  // One call of recvmsg(), as libsystemd makes it. Empty with EAGAIN.
  [[nodiscard]] Received receive(std::size_t most) const {
    Received received;
    received.bytes.resize(most);
    iovec data{received.bytes.data(), most};
    alignas(cmsghdr) std::array<unsigned char, CMSG_SPACE(sizeof(int) * 253)> control{};
    msghdr in{};
    in.msg_iov = &data;
    in.msg_iovlen = 1;
    in.msg_control = control.data();
    in.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(near.get(), &in, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    EXPECT_TRUE(got > 0 || errno == EAGAIN);
    EXPECT_EQ(in.msg_flags & MSG_CTRUNC, 0) << "libsystemd would leave the bus";
    received.bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (got <= 0) return received;
    for (cmsghdr* part = CMSG_FIRSTHDR(&in); part != nullptr; part = CMSG_NXTHDR(&in, part)) {
      received.places.resize((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
      std::memcpy(received.places.data(), CMSG_DATA(part), received.places.size() * sizeof(int));
    }
    return received;
  }

  [[nodiscard]] int waiting_bytes() const {
    int bytes = 0;
    EXPECT_EQ(::ioctl(near.get(), FIONREAD, &bytes), 0);
    return bytes;
  }

  // The next message that libsystemd would see: 24 bytes, then the rest. Empty if there is none.
  [[nodiscard]] Received next() const {
    Received whole = receive(24);
    while (whole.bytes.empty() && waiting_bytes() > 0) whole = receive(24);
    if (whole.bytes.size() < kFixedHead) return whole;
    const auto size = size_of_message(std::span{whole.bytes}.first<kFixedHead>());
    if (!size) return whole;
    while (whole.bytes.size() < size->whole) {
      const Received more = receive(size->whole - whole.bytes.size());
      if (more.bytes.empty()) break;
      whole.bytes.insert(whole.bytes.end(), more.bytes.begin(), more.bytes.end());
      whole.places.insert(whole.places.end(), more.places.begin(), more.places.end());
    }
    return whole;
  }

  // Sends the last reference to it with a signal, which nobody wants, and receives a call that follows.
  void expect_not_held_up_by(Fd descriptor) {
    send(message(MessageType::signal, 1), {descriptor.get()});
    descriptor.reset();
    expect_not_held_up();
  }
  void expect_not_held_up() {
    const Bytes call = message(MessageType::call, 0, "Ping");
    send(call, {});
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(next().bytes, call);
    EXPECT_LT(std::chrono::steady_clock::now() - before, kSoon);
  }

  std::string wanted = "ImportRun";
  bool is_known = true;  // whether it is wanted
  int asked = 0;
  std::vector<int> kept;  // that were received
  std::vector<std::string> refused;
  Fd near, far;
  std::optional<SocketGuard> guard;
};

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
  EXPECT_EQ(refused.size(), 7U);
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
    ASSERT_LE(before - waiting_bytes(), 20'000);
    ASSERT_LT(waiting_bytes(), before);
  }
}

TEST_F(SocketGuardTest, waits_for_a_header_that_comes_in_parts) {
  const Bytes call = message(MessageType::call, 0);
  send({call.begin(), call.begin() + 10}, {});
  EXPECT_TRUE(receive(24).bytes.empty());
  send({call.begin() + 10, call.begin() + 20}, {});
  Received received = receive(24);
  EXPECT_EQ(received.bytes.size(), 20U);
  send({call.begin() + 20, call.end()}, {});
  const Received rest = receive(call.size());
  received.bytes.insert(received.bytes.end(), rest.bytes.begin(), rest.bytes.end());
  EXPECT_EQ(received.bytes, call);
}

TEST_F(SocketGuardTest, gives_as_many_places_as_the_header_says) {
  const Bytes call = message(MessageType::call, 2);
  send(call, {});
  const Received received = next();
  EXPECT_EQ(received.bytes, call);
  EXPECT_EQ(received.places, (std::vector{-1, -1}));
}

TEST_F(SocketGuardTest, is_not_held_up_by_unsent_data) {
  auto lingering = netperfd::test::make_lingering();
  expect_not_held_up_by(std::move(lingering.socket));
}

TEST_F(SocketGuardTest, is_not_held_up_by_a_file_system_that_does_not_answer) {
  if (!import::test::SilentFile::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  const auto silent = import::test::SilentFile::make();
  ASSERT_TRUE(silent);
  const Fd file = silent->take();
  send(message(MessageType::signal, 1), {file.get()});  // closing it here would block this test
  expect_not_held_up();
  silent->let_go();
}

TEST_F(SocketGuardTest, is_not_held_up_by_a_pipe_whose_lock_somebody_keeps) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may lock a pipe";
  netperfd::test::LockedPipe pipe{1};
  expect_not_held_up_by(pipe.take());
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
}  // namespace netperfd::dbus
