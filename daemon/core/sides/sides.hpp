// SPDX-License-Identifier: GPL-2.0-or-later
// Brings the machine to the sides of one job's design: by commands within a boot (side_switch.hpp), or by a
// reboot (boot_switch.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// Of one command.
inline constexpr std::chrono::seconds kCommandTimeout{60};

// Whether any side of the job's design has a command.
[[nodiscard]] bool has_commands(const JobSpec& spec);
// "side new: /x/switch new: exit code 1".
[[nodiscard]] std::string side_failure(const Variant& side, const std::vector<std::string>& argv,
                                       const std::string& error);

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
  // Brings the machine to the side of `arm`. `done` is called once, never inside this call, and may destroy
  // this object. Must not be called while busy().
  virtual void bring(const Arm& arm, Done done) = 0;
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
  [[nodiscard]] virtual bool is_booted_for(const Arm& /*arm*/) const { return false; }
};

}  // namespace netperfd::core
