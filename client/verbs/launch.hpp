// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by `start`, `plan` and `selftest`: starts a job from a scenario or a file, and follows it to its
// end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "client/bus/daemon.hpp"
#include "client/rows/plan_views.hpp"
#include "client/verbs/follower.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {

struct LaunchArguments {
  std::string what;      // a scenario, a file, or - for stdin
  StartOptions options;  // tied: --cancel-on-interrupt
};

// A job file of the caller or stdin, not an installed scenario.
[[nodiscard]] bool is_job_file(const std::string& what);

// SCENARIO|FILE, --set, --label, --repeat and --cancel-on-interrupt.
void add_launch_options(CLI::App& command, LaunchArguments& arguments, const std::string& repeat_words);

// The command line that starts the same job: `netperfctl VERB WHAT --set ...`.
[[nodiscard]] std::string command_of(const char* verb, const LaunchArguments& arguments);

// The override of a job that measures until it is decided, of so many blocks at most.
[[nodiscard]] std::string until_decided(std::uint32_t most);

// What the daemon would accept of this job as a measurement; the scenario's own `repeat` does not matter.
// Not of stdin, which can be read only once.
[[nodiscard]] Outcome<JobSize> job_size(Daemon& daemon, const LaunchArguments& arguments);

struct LaunchedJob {
  LiveJobView job;
  bool until_stopped = false;  // it has no workload of its own and no planned length
  std::size_t before = 0;      // live jobs started earlier
};

[[nodiscard]] Outcome<LaunchedJob> launch(Daemon& daemon, const LaunchArguments& arguments);

// If the job itself failed, it decides the exit code, and an error in evaluating its runs is only printed.
[[nodiscard]] Outcome<Exit> exit_without_result(const Followed& followed, const Failure& failure);

// Launches and follows. Lines go to stdout if its output is for people, else to stderr. For a measurement,
// first prints the difference that so many runs detect, if stored runs allow the estimate.
[[nodiscard]] Outcome<Followed> launch_and_follow(Format format, const LaunchArguments& arguments);

}  // namespace netperfctl
