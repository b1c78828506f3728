// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <systemd/sd-bus.h>

#include <memory>

#include "dbus/guarded_socket.hpp"
#include "dbus/peers.hpp"

namespace netperfd::dbus {

// A connection to the system bus that only asks the bus itself. Nobody else can send to it, where the bus has
// netperfd's policy: that knows it by its name, kAskingService. No descriptor reaches it: it does not agree
// to any when it greets the bus, so the bus passes none on to it, whoever sends them. Large messages of
// others are not kept.
class AskingBus {
 public:
  // Waits for the bus's greeting. Returns a negative errno if it fails.
  [[nodiscard]] int open();
  // Whether it has the name, or waits for the end of another one that has it, which is as good to the policy.
  [[nodiscard]] bool has_name() const { return has_name_; }
  [[nodiscard]] sd_bus* get() const { return bus_.get(); }

 private:
  struct Close {
    void operator()(sd_bus* bus) const {
      sd_bus_detach_event(bus);
      sd_bus_flush_close_unref(bus);
    }
  };
  std::unique_ptr<sd_bus, Close> bus_;
  std::unique_ptr<SocketGuard> guard_;
  bool has_name_ = false;
  Peers peers_;  // ends first
};

}  // namespace netperfd::dbus
