// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps the descriptors of others out of this process, for a connection to the bus.
//
// Everybody can send messages with descriptors, also such that no method asked for: signals, replies.
// libsystemd receives all of them and closes them on the thread of the loop. But closing somebody else's
// descriptor may take as long as he likes: a TCP socket waits for its unsent data (SO_LINGER), a file on FUSE
// for its server (FLUSH). Whoever holds the lock of a pipe, by a write from a page of such a file, also holds
// up the close of its other end. So there is no kind of descriptor that could be closed on the loop.
//
// Therefore these programs have a recvmsg() of their own, which the dynamic linker binds libsystemd to like
// to any function that the executable defines. For a guarded socket, it looks at the header of each message
// before it receives it (MSG_PEEK). Descriptors that are not wanted are never installed: another thread takes
// the first byte of the message, to which the kernel attached them, without asking for them. The kernel then
// closes them in that thread, without FLUSH. A signal ends a wait for unsent data. If too many of these
// threads do not come back, the message stays in the socket, and all later ones with it, until one does.
//
//   a message of the bus itself  its descriptors are received as they are
//   a message that is wanted     they are received, and libsystemd gets what the owner gives for each
//   another call                 libsystemd gets -1 for each, a closed descriptor, and the call is answered
//   anything else with some      libsystemd never sees the message
//
// A relay between the bus and libsystemd would need no such binding, but it would copy every message, add a
// thread between the loop and the bus, and have to close the descriptors too.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "dbus/message_head.hpp"

namespace netperfd::dbus {

enum class Wanted : std::uint8_t {
  no,
  yes,
  not_yet  // nothing more is received from the socket until this is asked again: at the next recvmsg()
};

class SocketGuard {
 public:
  // The kernel passes at most so many with one message.
  static constexpr std::size_t kMostDescriptors = 253;
  // Maximum size of a header that is read. One without a long path has less than half of that.
  static constexpr std::size_t kLongestHead = 4096;

  // All are called within recvmsg(): they must not throw, nor use the connection.
  struct Rules {
    // Whether the descriptors of this message are wanted. Empty: never.
    std::function<Wanted(const MessageHead&)> wants;
    // What libsystemd gets, and will close, in place of a descriptor that was received; -1 for none. Empty:
    // the descriptor itself.
    std::function<int(int)> replace;
    // Called for each message whose descriptors are not received; null if its header cannot be read.
    std::function<void(const MessageHead*)> refused;
    // Called with true when kMostSheds messages have descriptors that do not close, so that nothing more is
    // received; with false when that is over.
    std::function<void(bool)> held_up;
  };

  // `socket` must be at the beginning of a message, such as after the bus's greeting. It must be open for as
  // long as the guard, and only one thread at a time may receive from it.
  explicit SocketGuard(int socket, Rules rules = {});
  SocketGuard(const SocketGuard&) = delete;
  SocketGuard& operator=(const SocketGuard&) = delete;
  ~SocketGuard();

  // From now on.
  void set_rules(Rules rules) { rules_ = std::move(rules); }

  // For recvmsg().
  ssize_t receive(msghdr& message, int flags);

 private:
  // What becomes of a message that begins.
  enum class Treat : std::uint8_t { pass, wait, take, strip, skip, unclear };

  [[nodiscard]] std::optional<ssize_t> begin(msghdr& message, int flags);
  [[nodiscard]] Treat look(std::size_t got, bool has_descriptors, std::size_t room);
  [[nodiscard]] ssize_t wait();
  void hold_up(bool held_up);
  [[nodiscard]] ssize_t receive_bytes(msghdr& message, std::size_t offset, int flags);
  [[nodiscard]] ssize_t take(msghdr& message, int flags);
  [[nodiscard]] ssize_t go_on(msghdr& message, int flags);
  [[nodiscard]] ssize_t strip(msghdr& message, int flags);
  [[nodiscard]] ssize_t skip();

  int socket_;
  Rules rules_;
  std::array<unsigned char, kLongestHead> head_{};
  std::size_t descriptors_ = 0;  // of the message that begins, by its header
  std::size_t rest_ = 0;         // bytes of the current message that are still to come
  bool skips_ = false;           // the current message
  bool is_of_bus_ = false;       // the message that begins
  bool is_refused_ = false;      // the same; it may wait for a thread that takes it
  bool is_held_up_ = false;
};

}  // namespace netperfd::dbus
