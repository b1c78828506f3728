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

// Sets the filter's times to those of --since and --until.
template <class Filter>
[[nodiscard]] Outcome<void> set_times(Filter& filter, const std::string& since, const std::string& until,
                                      std::uint64_t now_us) {
  const auto from = point_in_time("--since", since, now_us);
  if (!from) return std::unexpected(from.error());
  const auto to = point_in_time("--until", until, now_us);
  if (!to) return std::unexpected(to.error());
  filter.since_us = *from;
  filter.until_us = *to;
  return {};
}

}  // namespace netperfctl
