// SPDX-License-Identifier: GPL-2.0-or-later
// Switches the machine to the sides of one job's design, one command at a time, and back at the end.
//
//   bring(A)     the checks of both sides find out where the machine is; `switch` of A, then `check` of A
//   bring(B)     `switch` of B, `check` of B
//   restore()    `switch` of the side and the build that the machine was on before
//
// Each letter switches anew, even if the machine is on its side: where the kernel places a module is then
// drawn for each letter, instead of once for several. Further runs of a letter only check.
//
// If no check succeeds, the machine is assumed to have been on side A. If the sides set something on the
// machine, it may have been on neither: then restore() undoes what was set. The journal records the way back
// before the first `switch`, so that a killed daemon does not leave the machine on the wrong side forever.
//
// A `switch` that could not run, since its program, network namespace or device is absent, has changed
// nothing: nothing is brought back then. What a way back needs that is gone has nothing left to restore. What
// an earlier job left blocks the first `switch` only if both concern the same part of the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/command_runner.hpp"
#include "daemon/core/ports/machine_parts.hpp"
#include "daemon/core/ports/side_journal.hpp"
#include "daemon/core/sides/side_commands.hpp"
#include "daemon/core/sides/sides.hpp"

namespace netperfd::core {

class SideSwitch final : public Sides {
 public:
  // All must outlive the object. `parts` may be null: then nothing is known to be gone.
  struct Ports {
    CommandRunner& commands;
    SideJournal& journal;
    Clock& clock;
    const MachineParts* parts = nullptr;
  };

  SideSwitch(Ports ports, JobId job, SideCommands sides);
  SideSwitch(const SideSwitch&) = delete;
  SideSwitch& operator=(const SideSwitch&) = delete;

  // Switches to the side and the build of `slot`, unless the machine was brought to its block and letter
  // before.
  void bring(const Slot& slot, Done done) override;
  // Does nothing if no other side was applied.
  void restore(Done done) override;
  void leave(Done done) override { restore(std::move(done)); }
  // A machine that a later daemon may never take up is brought back.
  void suspend(Done done) override { restore(std::move(done)); }
  // Ends a check at once, a `switch` after it has ended, since a partial switch may be impossible to undo.
  // Has no effect on restore().
  void give_up() override;
  [[nodiscard]] bool gave_up() const override { return given_up_; }
  [[nodiscard]] bool busy() const override { return static_cast<bool>(done_); }

 private:
  using Next = std::function<void(const CommandEnd&)>;

  void start(Done done, std::function<void()> first);
  void find_original();
  void try_next();
  void found(Place original, std::optional<Place> applied);
  void switch_over();
  void verify();
  void go_back();
  void undo();
  void run(const std::vector<std::string>& argv, const Next& next);
  [[nodiscard]] Status note_original();
  [[nodiscard]] Status find_conflict() const;
  [[nodiscard]] Status clear_note();
  [[nodiscard]] bool is_gone(const std::vector<std::string>& argv) const;
  void finish(const Status& status);

  Ports ports_;
  JobId job_;
  SideCommands sides_;
  std::vector<Place> candidates_;  // places where the machine may be, the last one first
  std::optional<Place> original_;  // absent: not determined yet
  std::optional<Place> applied_;   // absent: unknown
  Slot applied_for_, target_for_;  // their traces do not matter
  Place target_;
  bool switched_ = false;  // a `switch` was run
  bool noted_ = false;     // in the journal
  bool switching_ = false;
  bool given_up_ = false;
  Done done_;
  Timer turn_;
  std::unique_ptr<ActiveCommand> command_;
};

}  // namespace netperfd::core
