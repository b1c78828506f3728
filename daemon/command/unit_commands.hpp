// Commands as transient units of systemd: outside of the daemon's sandbox, each with a control group of its
// own, which ends with it.
//
//   StartTransientUnit netperfd-command-PID-N.service    a oneshot; its output comes through a pipe of ours
//   JobRemoved of it                                     it has ended
//   GetAll of the unit                                   how; AddRef has kept it until now
//   UnrefUnit                                            systemd forgets it (CollectMode)
#pragma once

#include <systemd/sd-bus.h>

#include <cstdint>
#include <memory>

#include "daemon/command/commands.hpp"

namespace netperfd::command {

class UnitCommands final : public Commands {
 public:
  explicit UnitCommands(EventLoop& loop) : loop_(loop) {}
  UnitCommands(const UnitCommands&) = delete;
  UnitCommands& operator=(const UnitCommands&) = delete;

  [[nodiscard]] Result<std::unique_ptr<core::ActiveCommand>> start(
      const std::vector<std::string>& argv, std::chrono::milliseconds timeout,
      std::function<void(const core::CommandEnd&)> done) override;
  // Kills all units of that name, whoever started them.
  [[nodiscard]] Status end_those_of_others() override;

 private:
  class Unit;
  struct Close {
    void operator()(sd_bus* bus) const;
  };

  // systemd looks after a caller's rights when it reads a call, so the connection has to outlive what is said
  // on it: one for all commands, made with the first.
  [[nodiscard]] Status connect();

  EventLoop& loop_;
  std::unique_ptr<sd_bus, Close> bus_;
  std::uint64_t last_number_ = 0;
};

}  // namespace netperfd::command
