// SPDX-License-Identifier: GPL-2.0-or-later
// Parses points in time of the command line.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "client/base/outcome.hpp"
#include "client/terminal/times.hpp"

namespace netperfctl {

// In microseconds since 1970; absent if `text` is empty. `option` is named by the error.
[[nodiscard]] inline Outcome<std::optional<std::uint64_t>> point_in_time(const char* option,
                                                                         const std::string& text,
                                                                         std::uint64_t now_us) {
  if (text.empty()) return std::nullopt;
  const auto time = parse_time(text, now_us);
  if (time) return time;
  return fail(
      Exit::usage,
      fmt::format("{}: \"{}\" is no point in time (2026-11-21, \"2026-11-21 10:00\", today, yesterday, "
                  "now, or a time ago like 90s, 30min, 2h, 3d, 1w)",
                  option, text));
}

}  // namespace netperfctl
