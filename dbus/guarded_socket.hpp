// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps descriptors and large messages of others out of this process, for a connection to the bus.
//
// Everybody can send messages of 32 MiB, also such that no method asked for. libsystemd takes memory for all
// of a message as soon as it has read its size, and whoever decodes it takes many times as much. Everybody
// can send messages with descriptors, also such that no method asked for: signals, replies. libsystemd
// receives all of them and closes them on the thread of the loop. But closing somebody else's descriptor may
// take as long as he likes: a TCP socket waits for its unsent data (SO_LINGER), a file on FUSE for its server
// (FLUSH). Whoever holds the lock of a pipe, by a write from a page of such a file, also holds up the close
// of its other end. So there is no kind of descriptor that could be closed on the loop.
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
// A message that has more bytes than its owner reads is taken off the socket without being kept. If it is a
// call that the owner answers, libsystemd gets its header, changed to that of a call without arguments.
//
// With a CallQueue, calls are taken off the socket into it, faster than they are answered, and libsystemd
// gets them in the queue's order. What the bus itself says goes before them, or it would wait behind a flood.
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
#include <span>
#include <utility>

#include "dbus/call_queue.hpp"
#include "dbus/message_head.hpp"

namespace netperfd::dbus {

enum class Wanted : std::uint8_t {
  no,
  refused,  // nor is the call, which the owner answers: libsystemd gets it without its arguments
  yes,
  not_yet  // nothing more is received from the socket until this is asked again: at the next recvmsg()
};

class SocketGuard {
 public:
  // The kernel passes at most so many with one message.
  static constexpr std::size_t kMostDescriptors = 253;
  // Maximum size of a header that is read. One without a long path has less than half of that. A longer
  // message whose header is not read is skipped.
  static constexpr std::size_t kLongestHead = 4096;
  // Maximum size of a message where the owner says nothing else.
  static constexpr std::size_t kMostBytes = std::size_t{64} * 1024;
  // One turn of the loop skips at most so many bytes.
  static constexpr std::size_t kMostSkipped = std::size_t{64} * 1024;
  // So many messages at most are taken off the socket between two calls of the queue, or between two turns of
  // the loop if none of its calls may go.
  static constexpr std::size_t kMostBetween = 64;

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

  // The same, for the sizes of messages. Those of the bus itself may have any size.
  struct Sizes {
    // Maximum number of bytes of this message, all of it. Empty: kMostBytes.
    std::function<std::size_t(const MessageHead&)> most;
    // Called once for each message that has more bytes than that; null if its header cannot be read. True if
    // this is a call that the owner answers: then libsystemd gets it without its arguments. Empty: false.
    std::function<bool(const MessageHead*, std::size_t bytes)> too_large;
  };

  // `socket` must be at the beginning of a message, such as after the bus's greeting. It must be open for as
  // long as the guard, and only one thread at a time may receive from it.
  explicit SocketGuard(int socket, Rules rules = {});
  SocketGuard(const SocketGuard&) = delete;
  SocketGuard& operator=(const SocketGuard&) = delete;
  ~SocketGuard();

  // From now on.
  void set_rules(Rules rules) { rules_ = std::move(rules); }
  void set_sizes(Sizes sizes) { sizes_ = std::move(sizes); }
  // Null: libsystemd gets calls in the order of their arrival. Borrowed until the next one is set. A call
  // that had come in part by then is lost.
  void set_calls(CallQueue* calls) { calls_ = calls; }

  // For recvmsg().
  ssize_t receive(msghdr& message, int flags);

 private:
  // What becomes of a message that begins.
  enum class Treat : std::uint8_t { pass, wait, take, strip, cut, skip, unclear };

  [[nodiscard]] ssize_t receive_in_turn(msghdr& message, int flags);
  [[nodiscard]] ssize_t receive_next(msghdr& message, int flags);
  [[nodiscard]] std::optional<ssize_t> begin(msghdr& message, int flags);
  [[nodiscard]] ssize_t first_part(Treat treat, msghdr& message, int flags);
  [[nodiscard]] Treat look(std::size_t got, bool has_descriptors, std::size_t room);
  [[nodiscard]] Treat look_at_descriptors(const MessageHead& head, bool fits);
  [[nodiscard]] Treat look_at_unreadable(bool has_descriptors);
  [[nodiscard]] std::optional<Treat> look_for_room(const MessageHead* head);
  [[nodiscard]] bool is_too_large(const MessageHead& head) const;
  [[nodiscard]] Treat refuse_size(const MessageHead* head);
  [[nodiscard]] Treat refuse_descriptors(const MessageHead& head, Treat as);
  [[nodiscard]] ssize_t wait();
  void hold_up(bool held_up);
  [[nodiscard]] ssize_t receive_bytes(msghdr& message, std::size_t offset, int flags);
  [[nodiscard]] ssize_t take(msghdr& message, int flags);
  [[nodiscard]] ssize_t go_on(msghdr& message, int flags);
  [[nodiscard]] ssize_t strip(msghdr& message, int flags);
  static void put_places(msghdr& message, std::span<const int> places);
  void put_closed(msghdr& message, std::size_t room) const;
  void cut();
  [[nodiscard]] ssize_t give_cut(msghdr& message);
  [[nodiscard]] ssize_t skip();
  [[nodiscard]] ssize_t keep_first(Treat treat, int flags);
  [[nodiscard]] ssize_t keep_more(int flags);
  [[nodiscard]] ssize_t kept(ssize_t got);
  [[nodiscard]] ssize_t give(msghdr& message);

  int socket_;
  Rules rules_;
  Sizes sizes_;
  std::array<unsigned char, kLongestHead + 8> head_{};  // and what pads it
  std::span<const unsigned char> cut_;                  // of head_, which libsystemd gets next
  std::size_t descriptors_ = 0;                         // of the message that begins, by its header
  std::size_t head_bytes_ = 0;                          // the same
  std::size_t signature_at_ = 0;                        // the same, as in MessageHead
  std::size_t rest_ = 0;                                // bytes of the current message that are still to come
  bool skips_ = false;                                  // the current message
  bool is_of_bus_ = false;                              // the message that begins
  bool has_some_ = false;                               // the same: descriptors, perhaps
  std::optional<Treat> refused_;                        // the same; it may wait for a thread that takes it
  bool is_held_up_ = false;
  CallQueue* calls_ = nullptr;
  std::size_t between_ = 0;  // messages since the last call of the queue, or turn of the loop
  bool keeps_ = false;       // the current message is a call for the queue
  bool has_kept_ = false;    // some of one, by the last receive_next()
  WaitingCall keeping_;      // what has come of it
  WaitingCall giving_;       // of the queue, which libsystemd gets next
  std::size_t given_ = 0;    // bytes of that which libsystemd has
};

// For a connection that asks one service, whose answers and signals have at most so many bytes. Anybody may
// send some of that size.
[[nodiscard]] SocketGuard::Sizes sizes_of_service(std::size_t answer, std::size_t signal);

}  // namespace netperfd::dbus
