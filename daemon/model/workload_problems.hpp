// SPDX-License-Identifier: GPL-2.0-or-later
// Collects the problems of one part of a job, such as workload.iperf3, by the names of its keys.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/model/problems.hpp"
#include "daemon/model/units.hpp"

namespace netperfd {

class WorkloadProblems : public Problems {
 public:
  explicit WorkloadProblems(std::string prefix) : prefix_(std::move(prefix)) {}

  // `others` are the other keys that the rule reads; all are keys of this part.
  void add_here(std::string_view key, std::string message,
                std::initializer_list<std::string_view> others = {}) {
    std::vector<std::string> paths;
    for (const auto other : others) paths.push_back(path(other));
    add(path(key), std::move(message), std::move(paths));
  }

  template <class Number>
  void require_range(std::string_view key, Number value, Number least, Number most) {
    if (value >= least && value <= most) return;
    add_here(key, fmt::format("{} is out of range ({} to {})", value, least, most));
  }

  void require_range(std::string_view key, std::chrono::milliseconds value, std::chrono::milliseconds least,
                     std::chrono::milliseconds most) {
    if (value >= least && value <= most) return;
    add_here(key, fmt::format("{} is out of range ({} to {})", format_duration(value), format_duration(least),
                              format_duration(most)));
  }

  void require_whole_seconds(std::string_view key, std::chrono::milliseconds value) {
    if (value % std::chrono::seconds{1} == std::chrono::milliseconds{0}) return;
    add_here(key, fmt::format("{} is not a whole number of seconds, which iperf3 needs here",
                              format_duration(value)));
  }

 private:
  [[nodiscard]] std::string path(std::string_view key) const { return fmt::format("{}.{}", prefix_, key); }

  std::string prefix_;
};

}  // namespace netperfd
