// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/counters/sent_questions.hpp"

#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>

#include <cstring>

namespace netperfd::counters::test {

SentQuestions sent_questions;

}  // namespace netperfd::counters::test

// Replaces libc's in this program.
extern "C" ssize_t send(int socket, const void* data, size_t size, int flags) {
  using netperfd::counters::test::sent_questions;
  nlmsghdr head{};
  int domain = 0;
  socklen_t length = sizeof domain;
  if (size >= sizeof head && ::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 &&
      domain == AF_NETLINK) {
    std::memcpy(&head, data, sizeof head);
    const bool dump = (head.nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
    if (head.nlmsg_type == SOCK_DIAG_BY_FAMILY) ++(dump ? sent_questions.for_all : sent_questions.for_one);
  }
  return ::sendto(socket, data, size, flags, nullptr, 0);
}
