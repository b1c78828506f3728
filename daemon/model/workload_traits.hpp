// SPDX-License-Identifier: GPL-2.0-or-later
// What the rest of the daemon has to know of a workload. It asks these traits, never the name: a workload's
// own folder, daemon/workload/NAME, declares them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/fingerprint.hpp"

namespace netperfd {

struct JobSpec;
struct JobProblem;

// A port of a server that a run connects to, and the key that names it.
struct PortOfJob {
  std::string key;
  unsigned port = 0;

  bool operator==(const PortOfJob&) const = default;
};

// Without anything but a name, those of a workload that this netperfd does not know: a newer one stored it.
struct WorkloadTraits {
  std::string name;             // the word in jobs, in the store and on the bus
  bool measures_path = false;   // on a path that the job chooses: JobSpec::test.path
  bool makes_traffic = false;   // as JobSpec::test.traffic says, whose bytes its report counts
  bool takes_probes = false;    // the job may have JobSpec::latency
  bool runs_processes = false;  // netperfd's own; otherwise somebody else makes the traffic
  bool ends_by_itself = false;  // otherwise its caller ends the run, and the job has only one
  bool of_files = false;        // no job: files that somebody imported
  bool of_root = false;         // it runs what the job says: only for scenarios that none but root can change

  // Any of these may be null.
  std::vector<JobProblem> (*check)(const JobSpec& spec) = nullptr;  // its part of netperfd::check()
  std::optional<std::chrono::milliseconds> (*planned_duration)(const JobSpec& spec) = nullptr;
  std::vector<PortOfJob> (*ports)(const JobSpec& spec) = nullptr;
  // That a run executes, as the job names them; not those of netperfd's own settings.
  std::vector<std::string> (*programs)(const JobSpec& spec) = nullptr;
  // For the fingerprint: the version of its tool, which may be unknown, and what the job asks of it.
  std::vector<Fact> (*facts)(const JobSpec& spec, std::string_view version) = nullptr;

  friend bool operator==(const WorkloadTraits& a, const WorkloadTraits& b) { return a.name == b.name; }
};

// Of files that somebody imported. No job text can ask for it.
[[nodiscard]] inline WorkloadTraits imported_files() {
  return {.name = "import", .of_files = true};
}

}  // namespace netperfd
