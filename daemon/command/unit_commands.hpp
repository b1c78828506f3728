// SPDX-License-Identifier: GPL-2.0-or-later
// Runs commands as transient units of systemd: outside the daemon's sandbox, each with a control group of its
// own, which ends with it.
//
//   StartTransientUnit netperfd-command-OWNER-PID-N.service   a oneshot; its output comes through a pipe
//   JobRemoved of it                                          it has ended
//   GetAll of the unit                                        how it ended; AddRef has kept it until now
//   UnrefUnit                                                 systemd forgets it (CollectMode)
//
// OWNER as in unit_names.hpp.
#pragma once

#include <systemd/sd-bus.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "daemon/command/commands.hpp"
#include "daemon/command/systemd_manager.hpp"

namespace netperfd::command {

class UnitCommands final : public Commands {
 public:
  // `owner`: SideJournalFile::owner().
  UnitCommands(EventLoop& loop, std::string owner)
      : loop_(loop), connection_(loop), owner_(std::move(owner)) {}
  UnitCommands(const UnitCommands&) = delete;
  UnitCommands& operator=(const UnitCommands&) = delete;

  [[nodiscard]] Result<std::unique_ptr<core::ActiveCommand>> start(
      const std::vector<std::string>& argv, std::chrono::milliseconds timeout,
      std::function<void(const core::CommandEnd&)> done) override;
  // Kills all units of the owner, and waits until they have ended, at most 20 s.
  [[nodiscard]] Status end_those_of_others() override;

 private:
  class Unit;

  EventLoop& loop_;
  ManagerConnection connection_;
  std::string owner_;
  std::uint64_t last_number_ = 0;
};

}  // namespace netperfd::command
