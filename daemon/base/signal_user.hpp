// SPDX-License-Identifier: GPL-2.0-or-later
// Signals to processes of another user without the capability CAP_KILL, which reaches everybody's processes.
#pragma once

#include <sys/types.h>

namespace netperfd {

// Sends the signal with the credentials of this process or, if they do not suffice, as the user `uid`: a
// process that is neither this user's nor `uid`'s is never reached. Only the calling thread changes its user,
// for the length of the call. Returns 0 or an errno, such as ESRCH if the process has ended.
[[nodiscard]] int signal_as(uid_t uid, int pidfd, int number);

}  // namespace netperfd
