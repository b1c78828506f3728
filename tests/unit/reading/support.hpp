// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers shared by the tests of this module: files in memory, running the loop until a condition holds, and
// a record with a value in every member.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/event_loop.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/trace_record.hpp"
#include "daemon/reading/reader.hpp"
#include "tests/support/patience.hpp"

namespace netperfd::reading::test {

inline constexpr uid_t kNobody = 65534;
inline constexpr gid_t kNogroup = 65534;

[[nodiscard]] EventLoop make_loop();
// Runs the loop until `fact` holds; false if it does not within `deadline`. A reader gets only the CPU time
// that nobody else wants.
[[nodiscard]] bool turn_until(EventLoop& loop, const std::function<bool()>& fact,
                              std::chrono::milliseconds deadline = kTestPatience);

// A file in no directory.
[[nodiscard]] Fd file_of(std::string_view bytes);

// The test program's processes.
[[nodiscard]] std::vector<pid_t> children();

// The daemon's settings, with the test program as the reader; readers.cpp describes its behaviour.
[[nodiscard]] ReaderSettings settings();

// No member has its default value, so that a forgotten member is noticed.
[[nodiscard]] TraceRecord full_record();
[[nodiscard]] WorkloadReport full_report();

// The functions of the test program when it is started as a reader.
[[nodiscard]] ReaderFunctions reader_functions();

}  // namespace netperfd::reading::test
