// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/received_fds.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

namespace netperfd {
namespace {

// Atomic, since any thread may call recvmsg() for a socket of its own.
std::atomic<int> g_socket = -1;
ReceivedFds* g_guardian = nullptr;  // used on the loop's thread only

// Number of the pipe that `fd` is an end of; 0 if it is none.
ino_t pipe_of(int fd) {
  struct stat about{};
  return ::fstat(fd, &about) == 0 && S_ISFIFO(about.st_mode) ? about.st_ino : 0;
}

}  // namespace

ReceivedFds::ReceivedFds(EventLoop& loop, std::function<void()> too_many)
    : loop_(loop), too_many_(std::move(too_many)) {}

ReceivedFds::~ReceivedFds() {
  g_socket = -1;
  g_guardian = nullptr;
}

void ReceivedFds::guard(int socket) {
  g_guardian = this;
  g_socket = socket;
}

Result<ForeignFd> ReceivedFds::take(int token) {
  if (token < 0) return fail(ErrorKind::busy, "too many descriptors of callers are here: try again");
  const ino_t pipe = pipe_of(token);
  const auto found = std::ranges::find(held_, pipe, &Held::pipe);
  if (pipe == 0 || found == held_.end()) {
    return fail(ErrorKind::internal, "a descriptor of the call was not received as expected");
  }
  ForeignFd received = std::move(found->received);
  held_.erase(found);
  return received;
}

// -1 where there can be none, which libsystemd takes for a descriptor that is closed already.
int ReceivedFds::token_for(Fd received) {
  ForeignFd foreign(std::move(received));
  if (closes_under_way() >= kClosingLimit) too_many_();
  if (held_.size() >= kHeldLimit) return -1;
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

void ReceivedFds::replace(msghdr& message) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      unsigned char* const place = CMSG_DATA(part) + i * sizeof(int);
      int number = -1;
      std::memcpy(&number, place, sizeof number);
      number = token_for(Fd{number});
      std::memcpy(place, &number, sizeof number);
    }
  }
}

}  // namespace netperfd

// The system call itself, not the C library's function: this is that function here.
extern "C" __attribute__((visibility("default"), used)) ssize_t recvmsg(int socket, msghdr* message,
                                                                        int flags) {
  const ssize_t got = ::syscall(SYS_recvmsg, socket, message, flags);
  if (got < 0 || socket != netperfd::g_socket) return got;
  try {
    netperfd::g_guardian->replace(*message);
  } catch (const std::exception&) {
    // Out of memory. Some descriptors of the message are lost or stand there unreplaced.
    std::terminate();
  }
  return got;
}
