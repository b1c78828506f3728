// SPDX-License-Identifier: GPL-2.0-or-later
// How long a test waits for an event before it gives up. It only ends what hangs: a long limit costs time
// only if the test fails, and one below ctest's own lets the test tell what it waited for.
#pragma once

#include <chrono>

namespace netperfd {

inline constexpr std::chrono::seconds kTestPatience{300};
// For poll().
inline constexpr int kTestPatienceMs{std::chrono::milliseconds{kTestPatience}.count()};

}  // namespace netperfd
