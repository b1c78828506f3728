// SPDX-License-Identifier: GPL-2.0-or-later
// What ended jobs left changed on the machine, since their way back failed: tries it again.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/command_runner.hpp"
#include "daemon/core/ports/machine_parts.hpp"
#include "daemon/core/ports/side_journal.hpp"

namespace netperfd::core {

struct LeftSide {
  SideNote note;
  std::string failure;  // of the last try; empty: this daemon has not tried since the job ended
};

class LeftSides {
 public:
  // All must outlive the object. `parts` may be null: then nothing is known to be gone.
  struct Ports {
    CommandRunner& commands;
    SideJournal& journal;
    const MachineParts* parts;
    Clock& clock;
  };
  // An error has a sentence for each that could not be brought back.
  using Done = std::function<void(const Status& status)>;

  explicit LeftSides(Ports ports) : ports_(ports) {}
  LeftSides(const LeftSides&) = delete;
  LeftSides& operator=(const LeftSides&) = delete;

  // The oldest first, with that of a job under way. An error: the journal cannot be read.
  [[nodiscard]] Result<std::vector<LeftSide>> list() const;
  // Brings back what this job left, or all; one after another. `done` is called once, never inside this call.
  // Must not be called while busy(), nor while a job is on one of its sides.
  void bring_back(std::optional<JobId> job, Done done);
  [[nodiscard]] bool busy() const { return static_cast<bool>(done_); }
  // Only the one that is under way is tried: the others stay noted.
  void skip_others();

 private:
  void try_next();
  void ended(const SideNote& note, const CommandEnd& end);
  void add_error(const SideNote& note, const std::string& why);

  Ports ports_;
  std::deque<SideNote> waiting_;
  std::map<JobId, std::string> failures_;
  std::string error_;  // of this bring_back()
  Done done_;
  Timer turn_;
  std::unique_ptr<ActiveCommand> command_;
};

// "job 1 left the machine off side gso-on", with what it concerns: "(namespace left)".
[[nodiscard]] std::string words_of(const SideNote& note);
// What becomes of it, and what a person can do.
[[nodiscard]] std::string next_try(JobId job);

}  // namespace netperfd::core
