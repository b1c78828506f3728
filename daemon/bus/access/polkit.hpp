// SPDX-License-Identifier: GPL-2.0-or-later
// Asks polkit whether a caller may do something.
#pragma once

#include <systemd/sd-bus.h>

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "daemon/bus/access/callers.hpp"
#include "daemon/bus/access/timeouts.hpp"
#include "dbus/peers.hpp"

namespace netperfd::bus {

struct PolkitAnswer {
  enum class Kind {
    allowed,
    denied,
    needs_person,   // an administrator has to give a password, and nobody did
    not_installed,  // nothing on this bus is polkit, or can be started as polkit
    failed          // it is there, but gave no valid answer
  };
  Kind kind = Kind::failed;
  std::string reason = {};  // if it failed
};

struct PolkitQuestion {
  std::string caller;                          // its unique name, the subject of the question
  std::string action;                          // "org.netperfd1.measure"
  std::map<std::string, std::string> details;  // for the rules and the text that a person is shown
  bool interactive = false;                    // polkit may ask a person for a password
};

class Polkit {
 public:
  static constexpr const char* kService = "org.freedesktop.PolicyKit1";

  // Must not throw.
  using Done = std::function<void(const PolkitAnswer& answer)>;

  // All are borrowed and must outlive this object. `peers` are those of the connection and know kService.
  Polkit(sd_bus* bus, const dbus::Peers& peers, Callers& callers, PolkitTimeouts timeouts)
      : bus_(bus), peers_(peers), callers_(callers), timeouts_(timeouts) {}
  Polkit(const Polkit&) = delete;
  Polkit& operator=(const Polkit&) = delete;
  ~Polkit() = default;

  // Calls `done` once, from the loop. If the caller of an interactive question leaves, the question is
  // withdrawn. Destroying this object drops pending answers.
  void ask(const PolkitQuestion& question, Done done);

 private:
  struct UnrefSlot {
    void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
  };
  struct Pending {
    Polkit* owner = nullptr;
    std::list<Pending>::iterator self;
    Done done;
    std::string caller;
    std::string cancellation;            // empty: not interactive
    std::optional<std::uint64_t> watch;  // of the caller's departure
    std::unique_ptr<sd_bus_slot, UnrefSlot> slot;
  };

  [[nodiscard]] int send(const PolkitQuestion& question, Pending& pending);
  void cancel(const std::string& cancellation);
  void finish(Pending& pending, const PolkitAnswer& answer);
  static int on_answer(sd_bus_message* message, void* pending, sd_bus_error* error);

  sd_bus* bus_;
  const dbus::Peers& peers_;
  Callers& callers_;
  PolkitTimeouts timeouts_;
  std::uint64_t last_cancellation_ = 0;
  std::list<Pending> pending_;
};

}  // namespace netperfd::bus
