// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstring>
#include <vector>

#include "daemon/base/fd.hpp"

namespace netperfd::dbus::test {

// Sends these bytes at once, with descriptors; false if it cannot.
inline bool send_with(const Fd& to, std::vector<unsigned char> bytes, const std::vector<int>& descriptors) {
  iovec data{bytes.data(), bytes.size()};
  alignas(cmsghdr) std::array<unsigned char, CMSG_SPACE(sizeof(int) * 16)> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (const std::size_t size = descriptors.size() * sizeof(int); size > 0) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(part), descriptors.data(), size);
  }
  return ::sendmsg(to.get(), &message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

}  // namespace netperfd::dbus::test
