// SPDX-License-Identifier: GPL-2.0-or-later
// Parses points in time from the command line and formats them. Local time, from TZ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace netperfctl {

// Microseconds since 1970 of "2026-11-21", "2026-11-21 10:00", "2026-11-21T10:00:30", "now", "today",
// "yesterday" (their first moment), or so long before `now_us`: "90s", "30min", "2h", "3d", "1w", each also
// with " ago". Nothing for else.
[[nodiscard]] std::optional<std::uint64_t> parse_time(std::string_view text, std::uint64_t now_us);

// "today 10:14", "yesterday 22:03", "7 Mar 10:14", and of another year "2025-03-07". If `now_us` is 0, it is
// not known when somebody reads it: "2026-11-21 10:14".
[[nodiscard]] std::string format_time(std::uint64_t time_us, std::uint64_t now_us);

}  // namespace netperfctl
