// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/received_fds.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "daemon/base/own_files.hpp"

namespace netperfd {
namespace {

// Number of the pipe that `fd` is an end of; 0 if it is none.
ino_t pipe_of(int fd) {
  struct stat about{};
  return ::fstat(fd, &about) == 0 && S_ISFIFO(about.st_mode) ? about.st_ino : 0;
}

}  // namespace

bool ReceivedFds::has_room(uid_t uid, std::size_t more) {
  std::erase_if(open_, [](const auto& each) { return each.expired(); });
  const auto of_user = std::ranges::count_if(open_, [uid](const auto& each) {
    const auto user = each.lock();
    return user != nullptr && *user == uid;
  });
  const std::size_t limit = uid == 0 ? kLimit + kOfUserLimit : kLimit;
  return open_.size() + more <= limit && static_cast<std::size_t>(of_user) + more <= kOfUserLimit;
}

int ReceivedFds::token_for(Fd received, uid_t uid) {
  const auto counted = std::make_shared<const uid_t>(uid);
  open_.push_back(counted);
  ForeignFd foreign(std::move(received), counted);
  auto pipe = make_pipe();
  if (!pipe) return -1;
  const auto held = held_.insert(
      held_.end(), {std::move(foreign), std::move(pipe->read), pipe_of(pipe->write.get()), EventSource{}});
  auto source = loop_.on_readable(held->hang_up.get(), [this, held] { held_.erase(held); });
  if (!source) {
    held_.erase(held);
    return -1;
  }
  held->source = std::move(*source);
  return pipe->write.release();
}

Result<ForeignFd> ReceivedFds::take(int token) {
  if (token < 0)
    return fail(ErrorKind::busy, "netperfd had too many files open to receive those of the call: try again");
  const ino_t pipe = pipe_of(token);
  const auto found = std::ranges::find(held_, pipe, &Held::pipe);
  if (pipe == 0 || found == held_.end()) {
    return fail(ErrorKind::internal, "a descriptor of the call was not received as expected");
  }
  ForeignFd received = std::move(found->received);
  held_.erase(found);
  if (!is_own_file(received.get().get())) return received;
  return fail(ErrorKind::invalid_argument,
              "netperfd itself has this file open: it can be neither imported nor restored. `netperfctl db "
              "backup` makes a copy of the database");
}

}  // namespace netperfd
