// SPDX-License-Identifier: GPL-2.0-or-later
// Remembers the machine's state before the commands of a design, until it is brought back: after a way back
// that failed, or by the next daemon if this one is killed.
#pragma once

#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

struct SideNote {
  JobId job = 0;
  std::string side;  // the name of the variant that the machine was on; empty: `apply` undoes what was set
  std::vector<std::string> apply;  // the command that switches back to it
  // What the design may have changed, as touched_parts.hpp names it. Empty: not known, so perhaps anything.
  std::vector<std::string> parts = {};
};

// "the machine off side list", or "settings of the machine changed".
[[nodiscard]] inline std::string left_by(const SideNote& note) {
  return note.side.empty() ? "settings of the machine changed" : "the machine off side " + note.side;
}

class SideJournal {
 public:
  virtual ~SideJournal() = default;
  // The notes of this boot that were not cleared, the oldest first.
  [[nodiscard]] virtual Result<std::vector<SideNote>> left() const = 0;
  // Adds a note, on disk when it returns. Refused (busy) if the job has one that was not cleared: it is still
  // the only way back.
  [[nodiscard]] virtual Status write(const SideNote& note) = 0;
  // Called when the machine is as it was before the job, or nothing is left to be brought back.
  [[nodiscard]] virtual Status clear(JobId job) = 0;
};

}  // namespace netperfd::core
