// SPDX-License-Identifier: GPL-2.0-or-later
// A guarded socket whose other end sends what it likes.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "dbus/guarded_socket.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/dbus/header.hpp"
#include "tests/unit/dbus/sending.hpp"

namespace netperfd::dbus::guard_test {

using test::Header;
using Bytes = std::vector<unsigned char>;

inline bool is_same_file(int a, int b) {
  struct stat first{};
  struct stat second{};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// Waits until the other end of this pipe is closed.
inline bool is_closed(const Fd& read_end) {
  pollfd watched{read_end.get(), POLLIN, 0};
  return ::poll(&watched, 1, kTestPatienceMs) == 1 && (watched.revents & POLLHUP) != 0;
}

inline std::ptrdiff_t open_numbers() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

// Of a type, with so many descriptors by its header, and a body.
inline Bytes message(MessageType type, std::uint32_t descriptors, const std::string& member = "ImportRun",
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

struct TooLarge {
  std::string sender;
  std::uint32_t serial = 0;
  std::size_t bytes = 0;
  bool operator==(const TooLarge&) const = default;
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
                               },
                           .held_up = [this](bool is) { held_up.push_back(is); }});
    guard->set_sizes({.most = [this](const MessageHead&) { return most_bytes; },
                      .too_large =
                          [this](const MessageHead* head, std::size_t bytes) {
                            too_large.push_back({std::string{head != nullptr ? head->sender : "unreadable"},
                                                 head != nullptr ? head->serial : 0, bytes});
                            return is_answered;
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
    EXPECT_LT(std::chrono::steady_clock::now() - before, kTestPatience);
  }

  std::string wanted = "ImportRun";
  bool is_known = true;  // whether it is wanted
  int asked = 0;
  std::vector<int> kept;  // that were received
  std::vector<std::string> refused;
  std::vector<bool> held_up;  // each change
  std::size_t most_bytes = std::size_t{1} << 20U;
  bool is_answered = true;  // what is too large
  std::vector<TooLarge> too_large;
  Fd near, far;
  std::optional<SocketGuard> guard;
};

}  // namespace netperfd::dbus::guard_test
