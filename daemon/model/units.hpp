// SPDX-License-Identifier: GPL-2.0-or-later
// Quantities in the notation of scenarios, parsed and formatted.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace netperfd {

// "250ms", "10s", "2min", "1h": a whole or decimal number with a unit. Absent if it is not a duration.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

// "1448", "64K", "8M", "1.5G": a number of bytes, K = 1024 as in iperf3.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);

// "0", "100M", "2.5G": bits per second, K = 1000 as in iperf3.
[[nodiscard]] std::optional<std::uint64_t> parse_bit_rate(std::string_view text);

// "20%", "2.5 %": the share, 0.2 or 0.025.
[[nodiscard]] std::optional<double> parse_percent(std::string_view text);

// "10 s", "250 ms", "1.5 s".
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

}  // namespace netperfd
