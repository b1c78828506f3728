// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptors that callers passed, without the danger of closing them (see dbus/guarded_socket.hpp).
//
// libsystemd closes the descriptors of a message on the thread of the loop. Therefore it gets a token in
// place of each: the write end of a pipe, which everybody may duplicate and close at will. The descriptor
// itself stays here until it is taken, or until the last copy of its token is closed; then another thread
// closes it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <list>
#include <memory>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/base/foreign_fd.hpp"

namespace netperfd {

class ReceivedFds {
 public:
  // Descriptors that were received and are not closed yet, whoever holds them by now: all imports that may
  // wait, with two files each, and some more. Each takes up to three numbers of the process. Root may have
  // kOfUserLimit beyond these.
  static constexpr std::size_t kLimit = 48;
  // Of one user: four imports that wait, one that is read, and some calls.
  static constexpr std::size_t kOfUserLimit = 16;

  explicit ReceivedFds(EventLoop& loop) : loop_(loop) {}
  ReceivedFds(const ReceivedFds&) = delete;
  ReceivedFds& operator=(const ReceivedFds&) = delete;

  // Whether there may be so many more of this user.
  [[nodiscard]] bool has_room(uid_t uid, std::size_t more);

  // -1 if the process has no number left, which libsystemd takes for a descriptor that is closed already.
  [[nodiscard]] int token_for(Fd received, uid_t uid);
  // The descriptor that the token, or a duplicate of it, stands for. busy if it is -1, invalid_argument if it
  // is of an own file (see own_files.hpp): it stays open and counts for good. internal if it is no token.
  [[nodiscard]] Result<ForeignFd> take(int token);

 private:
  struct Held {
    ForeignFd received;
    Fd hang_up;  // the read end: at its end once no copy of the token is open
    ino_t pipe;  // its number, which the token shares
    EventSource source;
  };

  EventLoop& loop_;
  std::list<Held> held_;
  // Whose they are, one for each that is not closed. The threads that close them only let go of theirs.
  std::vector<std::weak_ptr<const uid_t>> open_;
};

}  // namespace netperfd
