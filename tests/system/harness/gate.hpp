// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "daemon/base/fd.hpp"
#include "tests/system/harness/scratch_dir.hpp"

namespace netperfd::system_test {

// A gate before the real iperf3, configured as the daemon's iperf3. An open gate lets every call through. At
// a closed gate each server and each client waits until let_one_pass(). Only this way can a test find the
// daemon in states that normally last a few milliseconds.
class Gate {
 public:
  explicit Gate(const ScratchDir& directory);

  // The program that the daemon runs as iperf3.
  [[nodiscard]] const std::string& program() const { return program_; }

  void close();
  void open();
  // Waits until a server or client stands before the closed gate; returns "--server" or "--client".
  [[nodiscard]] std::string wait_for_arrival();
  void let_one_pass();
  // Until a run is under way, with its client before the closed gate: it stays so.
  void wait_for_run();

 private:
  std::string program_;
  std::string hold_path_;
  Fd arrivals_;  // both ends, so that neither the test nor an arriving process waits for the other one to
                 // open it
  Fd hold_;      // exists while the gate is closed
};

}  // namespace netperfd::system_test
