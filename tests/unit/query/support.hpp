// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers shared by the tests of this module.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/event_loop.hpp"
#include "daemon/query/query_process.hpp"

namespace netperfd::query::test {

inline constexpr uid_t kNobody = 65534;
inline constexpr gid_t kNogroup = 65534;

// Runs the loop until `fact` holds; false if it does not within some time.
[[nodiscard]] bool turn_until(EventLoop& loop, const std::function<bool()>& fact);

// Child processes of this one that are not reaped.
[[nodiscard]] std::vector<pid_t> children();
// The state of a process, such as 'S'; 0 if there is none.
[[nodiscard]] char state_of(pid_t pid);

// The functions of the test program when it is started as a query's process: the request selects what it
// does (answers.cpp).
[[nodiscard]] QueryFunctions query_functions();

// The same as the process that checks a candidate; the answer has the version of the file and what is wrong.
[[nodiscard]] QueryFunctions candidate_functions();

inline constexpr std::string_view kPoolFlag = "--pool";
// Has a query that never ends, until it is killed.
[[noreturn]] void run_pool(const std::string& database);

}  // namespace netperfd::query::test
