// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string>

#include "tests/system/harness/process.hpp"
#include "tests/system/harness/scratch_dir.hpp"

namespace netperfd::system_test {

// A system bus of this test alone, as strict as the real one and with the policy that netperfd ships. The
// callers' group has no name, so its members are users to the bus. It starts no services, so a call to a
// missing daemon fails at once.
class PrivateBus {
 public:
  enum class Rules {
    as_shipped,
    // Everybody may send signals and replies to everybody, whether somebody waits for them or not, and root
    // may listen to all messages: what netperfd and its client must bear by themselves.
    lax,
    // Everybody may send every message to netperfd, with descriptors: a bus without its policy.
    open,
    // PropertiesChanged is lost, and RunEnded for the other member.
    lossy
  };
  explicit PrivateBus(const ScratchDir& directory, Rules rules = Rules::as_shipped);

  // From now on, for everybody who is connected.
  void change_rules(Rules rules) const;

  [[nodiscard]] const std::string& address() const { return address_; }
  // DBUS_SYSTEM_BUS_ADDRESS=..., which libsystemd and therefore all our programs use.
  [[nodiscard]] std::string environment() const { return "DBUS_SYSTEM_BUS_ADDRESS=" + address_; }

 private:
  // Returns the path of the configuration.
  std::string configure(Rules rules) const;

  const ScratchDir& directory_;
  std::string address_;
  std::unique_ptr<Process> process_;
};

}  // namespace netperfd::system_test
