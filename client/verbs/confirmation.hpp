// SPDX-License-Identifier: GPL-2.0-or-later
// A second job that measures only the functions that a first one suspects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/bus/daemon.hpp"
#include "client/rows/comparison_views.hpp"
#include "client/verbs/launch.hpp"

namespace netperfctl {

struct Suspects {
  std::vector<std::string> functions;  // without the suffixes of the compiler's clones
  bool beyond_chance = false;          // their adjusted p is 0.05 or less; false: the largest differences
};

// Functions that only one side has are never among them: no run traces them.
[[nodiscard]] Suspects suspects_of(const ComparisonDetails& details);

// "job 12 suspects a and b: their adjusted p is 0.05 or less".
[[nodiscard]] std::string suspects_words(std::uint64_t job, const Suspects& suspects);

// Makes `arguments` those of a job that confirms `job`: with its scenario unless another one is given, its
// label and its number of runs. Returns what to tell the user.
[[nodiscard]] Outcome<std::string> confirm(Daemon& daemon, std::uint64_t job, LaunchArguments& arguments);

}  // namespace netperfctl
