// SPDX-License-Identifier: GPL-2.0-or-later
// Which lines of a running iperf3 the daemon parses itself. The whole output is read by a process without
// privileges, but only after the end; until then, a caller sees the lines that pass here.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "daemon/model/job_spec.hpp"

namespace netperfd::workload {

class LiveLines {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit LiveLines(const TestSpec& asked);

  // False for a line that is longer than an interval of so many streams, or that comes when the test cannot
  // have ended so many intervals yet. `now` never goes back.
  [[nodiscard]] bool may_parse(std::string_view line, Time now);

 private:
  std::chrono::milliseconds interval_;
  std::size_t longest_;
  std::optional<Time> first_;
  std::uint64_t parsed_ = 0;
};

}  // namespace netperfd::workload
