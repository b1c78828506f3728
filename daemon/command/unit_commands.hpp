// SPDX-License-Identifier: GPL-2.0-or-later
// Runs commands as transient units of systemd: outside the daemon's sandbox, each with a control group of its
// own, which ends with it.
//
//   StartTransientUnit netperfd-command-PID-N.service    a oneshot; its output comes through our own pipe
//   JobRemoved of it                                     it has ended
//   GetAll of the unit                                   how it ended; AddRef has kept it until now
//   UnrefUnit                                            systemd forgets it (CollectMode)
#pragma once

#include <systemd/sd-bus.h>

#include <cstdint>
#include <memory>

#include "daemon/command/commands.hpp"
#include "daemon/command/systemd_manager.hpp"

namespace netperfd::command {

class UnitCommands final : public Commands {
 public:
  explicit UnitCommands(EventLoop& loop) : loop_(loop) {}
  UnitCommands(const UnitCommands&) = delete;
  UnitCommands& operator=(const UnitCommands&) = delete;

  [[nodiscard]] Result<std::unique_ptr<core::ActiveCommand>> start(
      const std::vector<std::string>& argv, std::chrono::milliseconds timeout,
      std::function<void(const core::CommandEnd&)> done) override;
  // Kills all units that match the name, whoever started them, and waits until they have ended, at most 20 s.
  [[nodiscard]] Status end_those_of_others() override;

 private:
  class Unit;

  // systemd checks the caller's rights when it reads a call, so the connection must outlive the call. All
  // commands share one connection, made for the first.
  [[nodiscard]] Status connect();

  EventLoop& loop_;
  std::unique_ptr<ManagerBus> bus_;
  std::uint64_t last_number_ = 0;
};

}  // namespace netperfd::command
