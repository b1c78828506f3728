// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/job/tool_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace netperfd::workload {
namespace {

std::string_view take_place_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  return line;
}

}  // namespace

// "netperf\n10\nrequest=64\nresponse=1\n"
std::string to_place(const ToolCheck& check) {
  std::string place = fmt::format("{}\n{}\n", check.tool, check.duration.count());
  for (const auto& [key, value] : check.says) place += fmt::format("{}={}\n", key, value);
  return place;
}

ToolCheck tool_check(std::string_view place) {
  ToolCheck check{.tool = std::string(take_place_line(place)), .duration = {}, .says = {}};
  const std::string_view seconds = take_place_line(place);
  std::chrono::seconds::rep count = 0;
  std::from_chars(seconds.data(), seconds.data() + seconds.size(), count);
  check.duration = std::chrono::seconds{count};
  while (!place.empty()) {
    const std::string_view line = take_place_line(place);
    const std::size_t equals = std::min(line.find('='), line.size());
    check.says.emplace_back(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
  }
  return check;
}

}  // namespace netperfd::workload
