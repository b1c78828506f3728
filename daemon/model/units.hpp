// Quantities as people write them in a scenario, and as netperfd writes them back.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace netperfd {

// "250ms", "10s", "2min", "1h"; whole or decimal number, unit required. Nothing where it is not a duration.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

// "1448", "64K", "8M", "1.5G": a count of bytes, K = 1024 as iperf3 has it.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);

// "0", "100M", "2.5G": bits per second, K = 1000 as iperf3 has it.
[[nodiscard]] std::optional<std::uint64_t> parse_bit_rate(std::string_view text);

// "10 s", "250 ms", "1.5 s".
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

}  // namespace netperfd
