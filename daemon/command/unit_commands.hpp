// SPDX-License-Identifier: GPL-2.0-or-later
// Runs commands as transient units of systemd: outside the daemon's sandbox, each with a control group of its
// own, which ends with it.
//
//   StartTransientUnit netperfd-command-OWNER-PID-N.service   a oneshot; its output comes through a pipe
//   JobRemoved of it                                          it has ended
//   GetAll of the unit                                        how it ended; AddRef has kept it until now
//   UnrefUnit                                                 systemd forgets it (CollectMode)
//
// A netperfd with another store, perhaps in a container, may have commands under way in the same systemd.
// Only OWNER, whose lock this process has, tells them from those of a dead one: the PID is one of its own PID
// namespace.
#pragma once

#include <sys/types.h>
#include <systemd/sd-bus.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "daemon/command/commands.hpp"
#include "daemon/command/systemd_manager.hpp"

namespace netperfd::command {

// The name of a command's unit, and a pattern that matches those of one owner and no others.
[[nodiscard]] std::string unit_name(const std::string& owner, pid_t pid, std::uint64_t number);
[[nodiscard]] std::string units_of(const std::string& owner);

class UnitCommands final : public Commands {
 public:
  // `owner`: SideJournalFile::owner().
  UnitCommands(EventLoop& loop, std::string owner) : loop_(loop), owner_(std::move(owner)) {}
  UnitCommands(const UnitCommands&) = delete;
  UnitCommands& operator=(const UnitCommands&) = delete;

  [[nodiscard]] Result<std::unique_ptr<core::ActiveCommand>> start(
      const std::vector<std::string>& argv, std::chrono::milliseconds timeout,
      std::function<void(const core::CommandEnd&)> done) override;
  // Kills all units of the owner, and waits until they have ended, at most 20 s.
  [[nodiscard]] Status end_those_of_others() override;

 private:
  class Unit;

  // systemd checks the caller's rights when it reads a call, so the connection must outlive the call. All
  // commands share one connection, made for the first.
  [[nodiscard]] Status connect();

  EventLoop& loop_;
  std::string owner_;
  std::unique_ptr<ManagerBus> bus_;
  std::uint64_t last_number_ = 0;
};

}  // namespace netperfd::command
