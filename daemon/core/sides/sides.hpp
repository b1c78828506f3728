// SPDX-License-Identifier: GPL-2.0-or-later
// Brings the machine to the sides of one job's design: by commands within a boot (side_switch.hpp), or by a
// reboot (boot_switch.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/command_runner.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// Of one command.
inline constexpr std::chrono::seconds kCommandTimeout{60};

// Whether any side of the job's design has a command, or sets something on the machine.
[[nodiscard]] bool has_commands(const JobSpec& spec);
// Where sides that need reboots are.
struct BootState {
  std::optional<std::uint32_t> boots;       // reboots that were asked for; absent before the first one
  std::string side;                         // name of the one that the machine is on; empty: not known
  bool held = false;                        // no reboot begins
  std::optional<WallTime> announced_since;  // of the reboot that is waited for; absent: of none
};

class Sides {
 public:
  // An error says which side, which command and how it ended.
  using Done = std::function<void(const Status& status)>;

  virtual ~Sides() = default;
  // Brings the machine to the side of `slot`. `done` is called once, never inside this call, and may destroy
  // this object. Must not be called while busy().
  virtual void bring(const Slot& slot, Done done) = 0;
  // At the end of the job: brings the machine to where it was before. As bring().
  virtual void restore(Done done) = 0;
  // At the end of a job that a person stopped. As restore(), but a machine that would have to reboot stays
  // where it is.
  virtual void leave(Done done) = 0;
  // Before the daemon ends and leaves the job to the next one. As bring().
  virtual void suspend(Done done) = 0;
  // Ends bring() early; its `done` is still called.
  virtual void give_up() = 0;
  // The last bring() was ended early.
  [[nodiscard]] virtual bool gave_up() const = 0;
  // One of the above is under way.
  [[nodiscard]] virtual bool busy() const = 0;
  // What a person should know of a wait that is under way; empty: there is none.
  [[nodiscard]] virtual std::string waiting() const { return {}; }
  // Absent: these sides need no reboots.
  [[nodiscard]] virtual std::optional<BootState> boot_state() const { return std::nullopt; }
  // While they are held, no reboot begins; one whose `switch` has begun cannot be held (not_running).
  [[nodiscard]] virtual Status hold(bool /*held*/) { return {}; }
  // Whether the machine has been booted for the letter of this run, so that no further reboot comes before
  // it.
  [[nodiscard]] virtual bool is_booted_for(const Slot& /*slot*/) const { return false; }
  // Of the last command that failed: the end of its output, in lines. The error has its last line.
  [[nodiscard]] const std::string& failed_output() const { return failed_output_; }

 protected:
  // "side new: its switch failed: exit code 1: no such module. To try it, run as root: /x/switch new".
  // `command` is the key of the scenario.
  [[nodiscard]] std::string command_failed(const Variant& side, std::string_view command,
                                           const std::vector<std::string>& argv, const CommandEnd& end);

 private:
  std::string failed_output_;
};

}  // namespace netperfd::core
