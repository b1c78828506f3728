// What the tests of this room share: files in memory, a loop that turns up to a fact, and a record with
// something in every member.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "daemon/base/event_loop.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/import/child_import.hpp"
#include "daemon/model/trace_record.hpp"

namespace netperfd::import::test {

inline constexpr uid_t kNobody = 65534;
inline constexpr gid_t kNogroup = 65534;

[[nodiscard]] EventLoop make_loop();
// Turns the loop until `fact` holds; false where it does not within `deadline`.
[[nodiscard]] bool turn_until(EventLoop& loop, const std::function<bool()>& fact,
                              std::chrono::milliseconds deadline = std::chrono::seconds{20});

// A file that is nowhere in a directory.
[[nodiscard]] Fd file_of(std::string_view bytes);

// As the daemon has them, with the test program as the reader; readers.cpp says what that does with a file.
[[nodiscard]] ImportSettings settings();

// No member has its default, so that one which is forgotten on the way is missed.
[[nodiscard]] TraceRecord full_record();

// What the test program does where it is started as a reader.
[[nodiscard]] ReaderFunctions reader_functions();

}  // namespace netperfd::import::test
