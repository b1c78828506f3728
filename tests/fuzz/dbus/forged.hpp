// SPDX-License-Identifier: GPL-2.0-or-later
// Messages that the daemon must not believe, and that nobody asked for: signals like those of the bus, of
// systemd, of polkit and of netperfd itself, and replies to calls that the sender never got.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/dbus/calls.hpp"
#include "tests/fuzz/dbus/values.hpp"

namespace netperfd::bus_fuzz {

class Forger {
 public:
  // `names`: unique names of connections to the bus.
  Forger(Values& values, std::vector<std::string> names) : values_(values), names_(std::move(names)) {}

  // Sends one to the daemon, with values of the right or of wrong types, and sometimes with as many
  // descriptors as the bus lets through.
  void send(const Caller& caller);
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  [[nodiscard]] system_test::Message signal(const Caller& caller);
  [[nodiscard]] system_test::Message reply(const Caller& caller);
  void append(sd_bus_message* message, const std::string& signature);

  Values& values_;
  std::vector<std::string> names_;
  std::uint64_t count_ = 0;
};

}  // namespace netperfd::bus_fuzz
