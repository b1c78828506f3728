// SPDX-License-Identifier: GPL-2.0-or-later
// Collects the problems found by a check.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd {

// The highest number of a CPU that a job may name.
inline constexpr std::uint32_t kMaxCpu = 1023;

class Problems {
 public:
  // `others` are the other keys that the rule reads; all are full paths.
  void add(std::string key, std::string message, std::vector<std::string> others = {}) {
    found_.push_back({std::move(key), std::move(message), std::move(others)});
  }
  void add_all(std::vector<JobProblem> problems) { std::ranges::move(problems, std::back_inserter(found_)); }
  std::vector<JobProblem> take() { return std::move(found_); }

 private:
  std::vector<JobProblem> found_;
};

}  // namespace netperfd
