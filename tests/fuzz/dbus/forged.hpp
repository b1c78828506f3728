// SPDX-License-Identifier: GPL-2.0-or-later
// Messages that the daemon must not believe, and that nobody asked for: signals like those of the bus, of
// systemd, of polkit and of netperfd itself, and replies to calls that the sender never got.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/dbus/calls.hpp"
#include "tests/fuzz/dbus/introspection.hpp"
#include "tests/fuzz/dbus/random.hpp"
#include "tests/fuzz/dbus/values.hpp"

namespace netperfd::bus_fuzz {

// Unique names of connections to the bus.
struct Connections {
  std::vector<std::string> callers;
  std::vector<std::string> daemon;  // it has several
};

class Forger {
 public:
  // `signals`: those of netperfd.
  Forger(Random& random, Values& values, Connections connections, const std::vector<Signal>& signals);

  // Sends one, to everybody or to the daemon, with values of the right or of wrong types, and sometimes with
  // as many descriptors as the bus lets through. `last_number`: of the daemon's last message that a caller
  // has seen. Returns what it is.
  std::string send(const Caller& caller, std::uint64_t last_number);
  // Sends to the connection `to` what polkit answers to its question with this number, that the caller may,
  // or else what the bus answers if there is no polkit. The bus has dealt with it then.
  void answer_for_polkit(const Caller& caller, const std::string& to, std::uint64_t number, bool allows);
  // Sends to the daemon what the bus answers if it is asked who a caller is: root. The numbers are those that
  // its next questions have. The bus has dealt with them then.
  void answer_for_bus(const Caller& caller, std::uint64_t last_number);
  // Tells the daemon that all other callers have left the bus.
  void tell_of_departures(const Caller& caller);
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  [[nodiscard]] system_test::Message signal(const Caller& caller);
  [[nodiscard]] system_test::Message reply(const Caller& caller, std::uint64_t number);
  [[nodiscard]] std::string name();
  void append_owner_change(sd_bus_message* message, const Caller& caller);
  void append_answer(sd_bus_message* message);
  void append(sd_bus_message* message, const std::string& signature);

  Random& random_;
  Values& values_;
  Connections connections_;
  std::vector<Signal> signals_;
  std::uint64_t count_ = 0;
};

}  // namespace netperfd::bus_fuzz
