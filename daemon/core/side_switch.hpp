// Brings the machine to the sides of one job's design, one command at a time, and back at the end.
//
//   bring(A)     the checks of both sides tell where the machine is; `switch` of A where it is elsewhere or
//                that is not known, then `check` of A
//   bring(B)     `switch` of B, `check` of B
//   restore()    `switch` of the side that the machine was on before
//
// Where no check tells, the machine is taken to have been on side A. Before the first `switch` the way back
// is in the journal, so that a daemon that is killed does not leave the machine on the wrong side for ever.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports.hpp"

namespace netperfd::core {

// Whether any side of the job's design has a command.
[[nodiscard]] bool has_commands(const JobSpec& spec);

class SideSwitch {
 public:
  static constexpr std::chrono::seconds kCommandTimeout{60};

  // All must outlive the object.
  struct Ports {
    CommandRunner& commands;
    SideJournal& journal;
    Clock& clock;
  };
  // An error says which side, which command and how it ended.
  using Done = std::function<void(const Status& status)>;

  // `design` has variants.
  SideSwitch(Ports ports, JobId job, Design design);
  SideSwitch(const SideSwitch&) = delete;
  SideSwitch& operator=(const SideSwitch&) = delete;

  // To the side 'A' or 'B'. `done` is called once, never inside this call, and may destroy this object; not
  // to be called while it is busy.
  void bring(char variant, Done done);
  // As bring(). Nothing to be done where no other side was applied.
  void restore(Done done);
  // Ends bring() early: a check at once, a `switch` when it has ended, since half of one may not be undone.
  // Its `done` is called all the same. Without effect on restore().
  void give_up();
  // The last bring() was ended early.
  [[nodiscard]] bool gave_up() const { return given_up_; }
  // bring() or restore() is under way.
  [[nodiscard]] bool busy() const { return static_cast<bool>(done_); }

 private:
  using Next = std::function<void(const CommandEnd&)>;

  void start(Done done, std::function<void()> first);
  void find_original();
  void try_side_b();
  void found(char original, std::optional<char> applied);
  void switch_over();
  void verify();
  void go_back();
  void run(const std::vector<std::string>& argv, const Next& next);
  [[nodiscard]] Status note_original();
  void finish(const Status& status);
  [[nodiscard]] const Variant& variant(char letter) const { return letter == 'A' ? *design_.a : *design_.b; }

  Ports ports_;
  JobId job_;
  Design design_;
  std::optional<char> original_;  // absent: not looked for yet
  std::optional<char> applied_;   // absent: not known
  char target_ = 'A';
  bool switched_ = false;  // a `switch` was started
  bool noted_ = false;     // in the journal
  bool switching_ = false;
  bool given_up_ = false;
  Done done_;
  Timer turn_;
  std::unique_ptr<ActiveCommand> command_;
};

}  // namespace netperfd::core
