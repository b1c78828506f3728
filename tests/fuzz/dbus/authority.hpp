// SPDX-License-Identifier: GPL-2.0-or-later
// polkit, as the daemon asks it: it lets members do everything and an outsider nothing, and sometimes answers
// nonsense. Before it answers, an outsider may answer in its place.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "tests/fuzz/dbus/calls.hpp"
#include "tests/fuzz/dbus/forged.hpp"
#include "tests/fuzz/dbus/random.hpp"

namespace netperfd::bus_fuzz {

class Authority : public Beside {
 public:
  // `outsider` forges; `members`: unique names of those who may do everything. What it draws is its own: how
  // often it is asked also depends on the time.
  Authority(system_test::BusClient client, std::uint64_t seed, Forger& forger, const Caller& outsider,
            std::set<std::string> members);

  // Becomes polkit on the bus, or is nobody any more: without polkit, the daemon decides by itself.
  void appear();
  void leave();

  [[nodiscard]] sd_bus* bus() const override { return client_.raw(); }
  [[nodiscard]] bool serve() override;
  [[nodiscard]] std::uint64_t asked() const { return asked_; }

 private:
  static int on_message(sd_bus_message* message, void* self, sd_bus_error* error);
  void answer(sd_bus_message* question);

  system_test::BusClient client_;
  Random random_;
  Forger& forger_;
  const Caller& outsider_;
  std::set<std::string> members_;
  std::uint64_t asked_ = 0;
};

}  // namespace netperfd::bus_fuzz
