// SPDX-License-Identifier: GPL-2.0-or-later
// What some iperf3 prints although it is not JSON, as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace netperfd::workload {

struct Repaired {
  std::string text;
  std::size_t tokens = 0;  // `nan`, `inf` and 1e400 outside of strings, which are `null` in `text`
  std::size_t bytes = 0;   // bytes that are not UTF-8, each of which is '?' in `text`
};
[[nodiscard]] Repaired repair(std::string_view bytes);

}  // namespace netperfd::workload
