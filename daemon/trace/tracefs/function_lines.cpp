// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/function_lines.hpp"

#include <algorithm>
#include <sstream>

namespace netperfd::trace {

FunctionLines lines_of(const std::string& list, std::span<const std::string> wanted) {
  std::vector<std::string> sorted(wanted.begin(), wanted.end());
  std::ranges::sort(sorted);
  FunctionLines lines;
  std::istringstream text(list);
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    const std::string name = line.substr(0, line.find(' '));
    if (std::ranges::binary_search(sorted, name)) lines[name].push_back(number);
  }
  return lines;
}

}  // namespace netperfd::trace
