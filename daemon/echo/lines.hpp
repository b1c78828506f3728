// SPDX-License-Identifier: GPL-2.0-or-later
// What the prober prints: one JSON object per line. Each ends with a newline.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "daemon/echo/options.hpp"
#include "daemon/echo/request_tracker.hpp"

namespace netperfd::echo {

struct Start {
  std::string server, client;  // numeric addresses
  bool same_clock = false;
  Ns greeting = 0;  // from the start of the program to the first request
};

[[nodiscard]] std::string start_line(const ProbeOptions& options, const Start& start);
[[nodiscard]] std::string phase_line(std::uint32_t phase, Ns at);
[[nodiscard]] std::string interval_line(std::size_t probe, const Interval& interval);
[[nodiscard]] std::string end_line(std::span<const RequestTracker> trackers, Ns at);
[[nodiscard]] std::string error_line(std::string_view message);

}  // namespace netperfd::echo
