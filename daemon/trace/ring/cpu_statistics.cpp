// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/cpu_statistics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace netperfd::trace {
namespace {

// 0 if it does not begin with a number.
std::uint64_t number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

void read_statistics(std::string_view text, TraceCpu& cpu) {
  const std::array<std::pair<std::string_view, std::uint64_t*>, 3> wanted{
      {{"overrun:", &cpu.overrun},
       {"commit overrun:", &cpu.commit_overrun},
       {"dropped events:", &cpu.dropped_events}}};
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    for (const auto& [key, figure] : wanted) {
      if (line.starts_with(key)) *figure = number_in(line.substr(key.size()));
    }
  }
}

}  // namespace netperfd::trace
