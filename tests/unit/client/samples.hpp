// Views as a daemon would give them, for the golden files.
#pragma once

#include <vector>

#include "client/screen.hpp"
#include "client/views.hpp"

namespace netperfctl::samples {

inline constexpr std::uint64_t kNow = 1'795'260'600'000'000;  // 21 November 2026, 12:30 in Central Europe
inline constexpr std::uint64_t kMinute = 60'000'000;

[[nodiscard]] Screen pipe();
[[nodiscard]] Screen terminal(std::size_t width);  // without colour

[[nodiscard]] std::vector<RunView> runs();
[[nodiscard]] std::vector<LiveJobView> jobs();
[[nodiscard]] std::vector<ScenarioView> scenarios();
[[nodiscard]] ShowView tcp();
[[nodiscard]] ShowView both();
[[nodiscard]] ShowView udp();
[[nodiscard]] ShowView failed();
[[nodiscard]] ShowView unknown();  // finished, and hardly anything is known of it
[[nodiscard]] StartView started();

}  // namespace netperfctl::samples
