// SPDX-License-Identifier: GPL-2.0-or-later
// Kills a process of this program before each of its system calls that change a file, one call later each
// time.
#pragma once

#include <functional>

namespace netperfd::store {

// Runs `work` in a process that is killed (SIGKILL) before its `step`th such call, from 1 on, since it has
// called `begin`. Returns whether it was; false: it ended by itself before.
using Begin = std::function<void()>;
[[nodiscard]] bool killed_at(int step, const std::function<void(const Begin& begin)>& work);

}  // namespace netperfd::store
