// SPDX-License-Identifier: GPL-2.0-or-later
// A message bus of the test itself, with the policy that netperfd ships.
#pragma once

#include <sys/types.h>

#include <string>

#include "daemon/base/error.hpp"

namespace netperfd::bus {

class PrivateBus {
 public:
  enum class Rules {
    of_the_system,
    // Everybody may also reply to everybody, asked or not, and be systemd.
    lax
  };
  // Starts dbus-daemon and points DBUS_SYSTEM_BUS_ADDRESS at it. The bus disconnects any sender of a message
  // over 1 MiB.
  [[nodiscard]] static Result<PrivateBus> start(Rules rules = Rules::of_the_system);

  PrivateBus(PrivateBus&& other) noexcept;
  PrivateBus& operator=(PrivateBus&&) = delete;
  PrivateBus(const PrivateBus&) = delete;
  PrivateBus& operator=(const PrivateBus&) = delete;
  ~PrivateBus();

  void stop();  // kills it, like a crash
  void send_signal(int signal_number) const;

 private:
  PrivateBus(std::string folder, pid_t process);

  std::string folder_;
  pid_t process_ = -1;
};

}  // namespace netperfd::bus
