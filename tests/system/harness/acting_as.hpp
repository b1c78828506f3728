// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <grp.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "tests/system/harness/process.hpp"

namespace netperfd::system_test {

// While it lives, this process acts as `user`: at connect() the kernel records the credentials of the peer.
class ActingAs {
 public:
  explicit ActingAs(const User& user) {
    if (::setgroups(user.groups.size(), user.groups.data()) != 0 || ::setegid(user.gid) != 0 ||
        ::seteuid(user.uid) != 0) {
      throw std::system_error(errno, std::generic_category(), "act as another user");
    }
  }
  ActingAs(const ActingAs&) = delete;
  ActingAs& operator=(const ActingAs&) = delete;
  ~ActingAs() {
    // Back to root: this cannot fail while the real user is root.
    (void)!::seteuid(0);
    (void)!::setegid(0);
    (void)!::setgroups(0, nullptr);
  }
};

}  // namespace netperfd::system_test
