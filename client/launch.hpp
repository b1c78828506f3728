// What `start`, `plan` and `selftest` have in common: a job is begun by a scenario or a file, and followed to
// its end.
#pragma once

#include <cstddef>
#include <string>

#include "client/daemon.hpp"
#include "client/follower.hpp"
#include "client/verbs.hpp"

namespace netperfctl {

struct LaunchArguments {
  std::string what;  // a scenario, a file, or - for stdin
  StartOptions options;
  bool cancel_on_interrupt = false;
};

// SCENARIO|FILE, --set, --label, --repeat and --cancel-on-interrupt.
void add_launch_options(CLI::App& command, LaunchArguments& arguments, const std::string& repeat_words);

// The command that starts the same, as a person types it: `netperfctl VERB WHAT --set ...`.
[[nodiscard]] std::string command_of(const char* verb, const LaunchArguments& arguments);

struct LaunchedJob {
  LiveJobView job;
  bool until_stopped = false;  // it has no workload of its own and no planned length
  std::size_t before = 0;      // live jobs that were there first
};

[[nodiscard]] Outcome<LaunchedJob> launch(Daemon& daemon, const LaunchArguments& arguments);

// Where the job itself did not end well, that decides the exit code, and what could not be made of its runs
// is only said.
[[nodiscard]] Outcome<Exit> exit_without_result(const Followed& followed, const Failure& failure);

// Launches and follows: lines go to stdout where that is for people, else to stderr. Says at the beginning
// what so many runs find, where it is a measurement and stored runs tell.
[[nodiscard]] Outcome<Followed> launch_and_follow(Format format, const LaunchArguments& arguments);

}  // namespace netperfctl
