// SPDX-License-Identifier: GPL-2.0-or-later
// Remembers the machine's state before the commands of a design, for a daemon that is killed between a switch
// and its undoing.
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
};

// "the machine off side list", or "settings of the machine changed".
[[nodiscard]] inline std::string left_by(const SideNote& note) {
  return note.side.empty() ? "settings of the machine changed" : "the machine off side " + note.side;
}

class SideJournal {
 public:
  virtual ~SideJournal() = default;
  // On disk when it returns. Refused (busy) if an older note of this boot was not cleared: it is still the
  // only way back.
  [[nodiscard]] virtual Status write(const SideNote& note) = 0;
  // Called when the machine is on that side again.
  [[nodiscard]] virtual Status clear() = 0;
};

}  // namespace netperfd::core
