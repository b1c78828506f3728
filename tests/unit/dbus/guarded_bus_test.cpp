// SPDX-License-Identifier: GPL-2.0-or-later
// The guard between two connections of libsystemd, which is bound to our recvmsg().
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "dbus/guarded_socket.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/dbus/header.hpp"
#include "tests/unit/dbus/sending.hpp"

namespace netperfd::dbus {
namespace {

struct Unref {
  void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
  void operator()(sd_event* loop) const { sd_event_unref(loop); }
};
using Bus = std::unique_ptr<sd_bus, Unref>;
using Message = std::unique_ptr<sd_bus_message, Unref>;

constexpr std::uint64_t kPatienceUs{std::chrono::microseconds{kTestPatience}.count()};

Bus connection(int socket, bool server) {
  sd_bus* raw = nullptr;
  EXPECT_GE(sd_bus_new(&raw), 0);
  EXPECT_GE(sd_bus_set_fd(raw, socket, socket), 0);
  if (server) {
    EXPECT_GE(sd_bus_set_server(raw, 1, sd_id128_t{.bytes = {1}}), 0);
  }
  EXPECT_GE(sd_bus_negotiate_fds(raw, 1), 0);
  EXPECT_GE(sd_bus_start(raw), 0);
  return Bus{raw};
}

bool is_same_file(int a, int b) {
  struct stat first{};
  struct stat second{};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// Only messages with the member "Wanted" may bring descriptors to the receiver.
class GuardedBus : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    receiver = connection(ends[0], true);
    sender = connection(ends[1], false);
    while (sd_bus_is_ready(sender.get()) <= 0 || sd_bus_is_ready(receiver.get()) <= 0) {  // they greet
      ASSERT_GE(sd_bus_process(sender.get(), nullptr), 0);
      ASSERT_GE(sd_bus_process(receiver.get(), nullptr), 0);
    }
    sending.reset(::dup(ends[1]));
    guard.emplace(ends[0], SocketGuard::Rules{.wants =
                                                  [](const MessageHead& head) {
                                                    return head.member == "Wanted" ? Wanted::yes : Wanted::no;
                                                  },
                                              .replace = {},
                                              .refused = {},
                                              .held_up = {}});
  }
  void TearDown() override { guard.reset(); }

  void pass(const char* member, bool is_call) const {
    sd_bus_message* out = nullptr;
    ASSERT_GE(is_call ? sd_bus_message_new_method_call(sender.get(), &out, nullptr, "/x", "x.Y", member)
                      : sd_bus_message_new_signal(sender.get(), &out, "/x", "x.Y", member),
              0);
    const Message owned{out};
    ASSERT_GE(sd_bus_message_append(out, "h", file.get()), 0);
    ASSERT_GE(sd_bus_send(sender.get(), out, nullptr), 0);
    ASSERT_GE(sd_bus_flush(sender.get()), 0);
  }

  // The next call, as a program without a loop waits for it.
  [[nodiscard]] Message next_call() const {
    for (int turn = 0; turn < 1000; ++turn) {
      sd_bus_message* got = nullptr;
      const int processed = sd_bus_process(receiver.get(), &got);
      EXPECT_GE(processed, 0);
      Message message{got};
      if (got != nullptr && sd_bus_message_get_member(got) != nullptr) return message;
      if (processed == 0) {
        EXPECT_GT(sd_bus_wait(receiver.get(), kPatienceUs), 0) << "a wakeup is lost";
      }
    }
    return {};
  }

  Bus receiver, sender;
  Fd sending;  // the sender's socket
  std::optional<SocketGuard> guard;
  const Fd file{::memfd_create("file", MFD_CLOEXEC)};
};

TEST_F(GuardedBus, receives_by_our_function) {
  pass("Unwanted", false);
  pass("Unwanted", true);
  pass("Wanted", true);
  for (const bool is_wanted : {false, true}) {
    const Message got = next_call();
    ASSERT_NE(got, nullptr);
    EXPECT_STREQ(sd_bus_message_get_member(got.get()), is_wanted ? "Wanted" : "Unwanted");
    EXPECT_EQ(sd_bus_message_is_signal(got.get(), nullptr, nullptr), 0);
    int number = -2;
    ASSERT_GE(sd_bus_message_read(got.get(), "h", &number), 0);
    if (is_wanted) {
      EXPECT_TRUE(is_same_file(number, file.get()));
    } else {
      EXPECT_EQ(number, -1) << "libsystemd has received the descriptor itself";
    }
  }
}

TEST_F(GuardedBus, goes_on_after_messages_that_are_skipped) {
  for (int i = 0; i < 100; ++i) pass("Unwanted", false);
  pass("Wanted", true);
  const Message got = next_call();
  ASSERT_NE(got, nullptr);
  EXPECT_STREQ(sd_bus_message_get_member(got.get()), "Wanted");
}

// As in the daemon: other sources of the loop have their turn between two of them.
TEST_F(GuardedBus, leaves_the_loop_to_others_between_messages_that_are_skipped) {
  sd_event* raw = nullptr;
  ASSERT_GE(sd_event_new(&raw), 0);
  const std::unique_ptr<sd_event, Unref> loop{raw};
  ASSERT_GE(sd_bus_attach_event(receiver.get(), raw, 10), 0);
  struct Seen {
    int turns = 0;
    bool has_call = false;
  } seen;
  const auto on_turn = [](sd_event_source*, void* to) { return ++static_cast<Seen*>(to)->turns, 0; };
  const auto on_message = [](sd_bus_message* message, void* to, sd_bus_error*) {
    static_cast<Seen*>(to)->has_call |= sd_bus_message_is_method_call(message, nullptr, "Wanted") > 0;
    return 0;
  };
  ASSERT_GE(sd_bus_add_filter(receiver.get(), nullptr, on_message, &seen), 0);
  sd_event_source* other = nullptr;
  ASSERT_GE(sd_event_add_post(raw, &other, on_turn, &seen), 0);
  constexpr int kMessages = 100;
  for (int i = 0; i < kMessages; ++i) pass("Unwanted", false);
  pass("Wanted", true);
  while (!seen.has_call) ASSERT_GT(sd_event_run(raw, kPatienceUs), 0) << "a wakeup is lost";
  EXPECT_GE(seen.turns, kMessages);
  sd_event_source_unref(other);
  ASSERT_GE(sd_bus_detach_event(receiver.get()), 0);
}

// In both byte orders, as a peer writes them who is no libsystemd.
TEST_F(GuardedBus, understands_a_large_call_without_its_arguments) {
  guard->set_sizes({.most = [](const MessageHead&) { return std::size_t{1000}; },
                    .too_large = [](const MessageHead*, std::size_t) { return true; }});
  constexpr std::uint32_t kBody = 200'000;
  for (const bool is_big : {false, true}) {
    auto bytes = test::Header{MessageType::call, is_big, kBody}
                     .serial(99)
                     .text(1, 'o', "/x")
                     .text(8, 'g', "ay")
                     .text(2, 's', "x.Y")
                     .text(3, 's', "Large")
                     .count(9, 1)
                     .bytes();
    bytes.resize((bytes.size() + 7) / 8 * 8 + kBody, 'x');
    ASSERT_TRUE(test::send_with(sending, bytes, {file.get()}));
    const Message got = next_call();
    ASSERT_NE(got, nullptr);
    EXPECT_GT(sd_bus_message_is_method_call(got.get(), "x.Y", "Large"), 0);
    EXPECT_STREQ(sd_bus_message_get_path(got.get()), "/x");
    EXPECT_GT(sd_bus_message_is_empty(got.get()), 0);
    std::uint64_t serial = 0;
    EXPECT_GE(sd_bus_message_get_cookie(got.get(), &serial), 0);
    EXPECT_EQ(serial, 99U);
    pass("Wanted", true);
    const Message small = next_call();
    ASSERT_NE(small, nullptr);
    EXPECT_STREQ(sd_bus_message_get_member(small.get()), "Wanted");
  }
}

}  // namespace
}  // namespace netperfd::dbus
