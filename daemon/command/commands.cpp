// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/commands.hpp"

#include <systemd/sd-daemon.h>

#include <utility>

#include "daemon/command/child_commands.hpp"
#include "daemon/command/unit_commands.hpp"

namespace netperfd::command {

std::unique_ptr<Commands> make_commands(EventLoop& loop, std::string owner) {
  if (sd_booted() > 0) return std::make_unique<UnitCommands>(loop, std::move(owner));
  return std::make_unique<ChildCommands>(loop);
}

}  // namespace netperfd::command
