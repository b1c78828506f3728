// SPDX-License-Identifier: GPL-2.0-or-later
// Two sides as a command line names them, and their comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/bus/daemon.hpp"
#include "client/verbs/job_comparison.hpp"

namespace CLI {
class App;
}

namespace netperfctl {

struct ComparisonArguments {
  CompareRequest request;  // as the caller wrote it
  std::string threshold;
};

// `alone` says what A without B is.
void add_sides(CLI::App& command, ComparisonArguments& arguments, std::string_view alone);
// --figure, --changed, --despite, --threshold and --point.
void add_comparison_options(CLI::App& command, ComparisonArguments& arguments);

// Of "job:12", whose design has sides.
[[nodiscard]] std::optional<std::uint64_t> job_of(std::string_view text);

// As the daemon takes it, beside what the caller wrote.
[[nodiscard]] Outcome<CompareRequest> comparison_request(const ComparisonArguments& arguments,
                                                         std::uint64_t now_us);
[[nodiscard]] Outcome<ComparedSides> compare_asked(Daemon& daemon, const CompareRequest& request,
                                                   const ComparisonArguments& arguments);

}  // namespace netperfctl
