// SPDX-License-Identifier: GPL-2.0-or-later
// Reaches files of another user without the capability CAP_DAC_OVERRIDE, which reaches everybody's.
#pragma once

#include <sys/types.h>

namespace netperfd {

// While it lives, this thread opens, creates and removes files as that user and group. A process that is not
// root stays itself.
class AsUser {
 public:
  AsUser(uid_t uid, gid_t gid);
  AsUser(const AsUser&) = delete;
  AsUser& operator=(const AsUser&) = delete;
  ~AsUser();

 private:
  uid_t uid_;
  gid_t gid_;
};

}  // namespace netperfd
