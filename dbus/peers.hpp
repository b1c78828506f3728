// SPDX-License-Identifier: GPL-2.0-or-later
// Whom a connection to the bus believes. Every connection of netperfd and of netperfctl has a Peers; a lint
// test checks that.
//
// A signal that is sent to a connection's own name arrives without any match rule, and libsystemd compares
// the sender that a rule names only if that is a unique name. So any local user can send what looks like a
// signal of the bus, of systemd or of netperfd. libsystemd tells replies by their number alone. It is the
// bus's policy that lets nobody reply who was not asked, but the numbers are in sequence, and a bus may be
// lax.
#pragma once

#include <systemd/sd-bus.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace netperfd::dbus {

class Peers {
 public:
  enum class Use {
    // It also answers calls, and its callers see the numbers of its messages: whoever handles a reply asks
    // is_answer() first.
    serving,
    // It only asks. Calls of it are dropped, so that nobody but those who are asked sees a number, and the
    // numbers begin where nobody can guess.
    asking
  };

  Peers() = default;
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  // From now on, only signals of the bus itself and of the present owners of these names reach a handler. For
  // a connection on which nothing was handled yet; it is borrowed and must outlive this object. Returns a
  // negative errno if it fails.
  [[nodiscard]] int guard(sd_bus* bus, Use use, const std::vector<std::string>& services);

  [[nodiscard]] static bool is_from_bus(sd_bus_message* message);
  // Whether the present owner of the name replied, or else the bus in its place.
  [[nodiscard]] bool is_answer(sd_bus_message* reply, const std::string& service) const;

 private:
  struct UnrefSlot {
    void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
  };
  using Slot = std::unique_ptr<sd_bus_slot, UnrefSlot>;

  struct Service {
    sd_bus* bus;
    std::string name;
    std::string owner = {};  // its unique name; empty: not known, or nobody
    Slot asked = {};
  };

  [[nodiscard]] static int hide_numbers(sd_bus* bus);
  [[nodiscard]] static int ask_for_owner(Service& service);
  void note_change(sd_bus_message* signal);

  static int on_message(sd_bus_message* message, void* peers, sd_bus_error* error);
  static int on_owner(sd_bus_message* reply, void* service, sd_bus_error* error);

  Use use_ = Use::serving;
  std::deque<Service> services_;
  Slot filter_;
};

}  // namespace netperfd::dbus
