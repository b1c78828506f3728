// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptors that arrive over one socket, the bus's, without the danger of closing them.
//
// libsystemd closes the descriptors of every message on the thread of the loop, also those of a message that
// no method asked for. Closing somebody else's descriptor may take as long as he likes: the last reference to
// a TCP socket waits for its unsent data (SO_LINGER), a file on FUSE for its server (FLUSH).
//
// Therefore this program has a recvmsg() of its own, which the dynamic linker binds libsystemd to like to any
// function that the executable defines. For the guarded socket, it hands out a token in place of each
// received descriptor: the write end of a pipe, which everybody may duplicate and close at will. The
// descriptor itself stays here until it is taken, or until the last copy of its token is closed; then another
// thread closes it. A relay between the bus and libsystemd would need no such binding, but it would copy
// every message and add a thread between the loop and the bus. If the binding ever fails, take() knows no
// token and refuses: then nothing can be imported, and the tests say so.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <list>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/base/foreign_fd.hpp"

namespace netperfd {

class ReceivedFds {
 public:
  // Descriptors that are here, at most; what arrives beyond that is closed at once. Each takes three numbers
  // of the process.
  static constexpr std::size_t kHeldLimit = 64;
  // Descriptors that wait to be closed, at most. With more the process would soon have no number left for a
  // descriptor, and then the kernel itself would close what arrives, on the loop.
  static constexpr std::size_t kClosingLimit = 512;

  // There may be one such object at a time. `too_many` is called, inside recvmsg(), at each descriptor that
  // arrives while that many wait to be closed; it must not throw.
  ReceivedFds(EventLoop& loop, std::function<void()> too_many);
  ReceivedFds(const ReceivedFds&) = delete;
  ReceivedFds& operator=(const ReceivedFds&) = delete;
  ~ReceivedFds();

  // From now on until destruction. Messages are received from it only on the loop's thread.
  void guard(int socket);

  // The descriptor that the token, or a duplicate of it, stands for. busy if too many were here for it,
  // internal if it is no token.
  [[nodiscard]] Result<ForeignFd> take(int token);

  // Replaces the descriptors in a message that was received; for recvmsg().
  void replace(msghdr& message);

 private:
  struct Held {
    ForeignFd received;
    Fd hang_up;  // the read end: at its end once no copy of the token is open
    ino_t pipe;  // its number, which the token shares
    EventSource source;
  };

  [[nodiscard]] int token_for(Fd received);

  EventLoop& loop_;
  std::function<void()> too_many_;
  std::list<Held> held_;
};

}  // namespace netperfd
