// SPDX-License-Identifier: GPL-2.0-or-later
// Lets polkit ask the person at this terminal for a password.
#pragma once

#include <sys/types.h>

namespace netperfctl {

// polkit's own agent for terminals, from when it is known to polkit until this object is destroyed. Without
// pkttyagent there is none; a desktop has an agent of its own.
class PasswordAgent {
 public:
  PasswordAgent();
  PasswordAgent(const PasswordAgent&) = delete;
  PasswordAgent& operator=(const PasswordAgent&) = delete;
  ~PasswordAgent();

 private:
  pid_t process_ = -1;
};

}  // namespace netperfctl
