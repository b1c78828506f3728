#pragma once

#include <string>

#include "daemon/base/fd.hpp"
#include "tests/system/harness/scratch_dir.hpp"

namespace netperfd::system_test {

// A door before the real iperf3: configured as the daemon's iperf3, it lets every call through, unless it is
// closed: then each server and each client stands before it until let_one_pass(). Only so does a test find
// the daemon in states that otherwise last some milliseconds.
class Gate {
 public:
  explicit Gate(const ScratchDir& directory);

  // What the daemon is to run as iperf3.
  [[nodiscard]] const std::string& program() const { return program_; }

  void close();
  void open();
  // Until a server or client stands before the closed gate: "--server" or "--client".
  [[nodiscard]] std::string wait_for_arrival();
  void let_one_pass();

 private:
  std::string program_;
  std::string hold_path_;
  Fd arrivals_;  // both ends, so that neither this test nor who arrives waits for the other to open it
  Fd hold_;      // exists while it is closed
};

}  // namespace netperfd::system_test
