// SPDX-License-Identifier: GPL-2.0-or-later
// What the rest of the daemon has to know of a workload. It asks these traits, never the name: a workload's
// own folder, daemon/workload/NAME, declares them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// A trait without a default: a workload that does not state it does not compile.
template <class T>
class Stated {
 public:
  constexpr Stated(T value) : value_(value) {}     // NOLINT(google-explicit-constructor): it stands for T
  constexpr operator T() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  T value_;
};

struct WorkloadTraits {
  std::string name;             // the word in jobs, in the store and on the bus
  Stated<bool> measures_path;   // on a path that the job chooses: JobSpec::test.path
  Stated<bool> makes_traffic;   // as JobSpec::test.traffic says, whose bytes its report counts
  Stated<bool> takes_probes;    // the job may have JobSpec::latency
  Stated<bool> runs_processes;  // netperfd's own; otherwise somebody else makes the traffic
  Stated<bool> ends_by_itself;  // otherwise its caller ends the run, and the job has only one
  Stated<bool> of_files;        // no job: files that somebody imported
  Stated<bool> of_root;         // it runs what the job says: only for scenarios that none but root can change

  // Its part of netperfd::check(), which refuses a job of a workload without one. The others may be null.
  Stated<std::vector<JobProblem> (*)(const JobSpec& spec)> check;
  Stated<std::optional<std::chrono::milliseconds> (*)(const JobSpec& spec)> planned_duration;
  Stated<std::vector<PortOfJob> (*)(const JobSpec& spec)> ports;
  // That a run executes, as the job names them; not those of netperfd's own settings.
  Stated<std::vector<std::string> (*)(const JobSpec& spec)> programs;
  // For the fingerprint: the version of its tool, which may be unknown, and what the job asks of it.
  Stated<std::vector<Fact> (*)(const JobSpec& spec, std::string_view version)> facts;

  friend bool operator==(const WorkloadTraits& a, const WorkloadTraits& b) { return a.name == b.name; }
};

// Of a workload that this netperfd cannot run: a newer one, or another tool, measured it.
[[nodiscard]] inline WorkloadTraits unknown_workload(std::string name) {
  return {.name = std::move(name),
          .measures_path = false,
          .makes_traffic = false,
          .takes_probes = false,
          .runs_processes = false,
          .ends_by_itself = false,
          .of_files = false,
          .of_root = true,
          .check = nullptr,
          .planned_duration = nullptr,
          .ports = nullptr,
          .programs = nullptr,
          .facts = nullptr};
}

// Of files that somebody imported. No job text can ask for it.
[[nodiscard]] inline WorkloadTraits imported_files() {
  WorkloadTraits traits = unknown_workload("import");
  traits.of_files = true;
  traits.of_root = false;
  return traits;
}

}  // namespace netperfd
