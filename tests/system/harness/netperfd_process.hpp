// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/system/harness/notify_socket.hpp"
#include "tests/system/harness/private_bus.hpp"
#include "tests/system/harness/process.hpp"
#include "tests/system/harness/scratch_dir.hpp"

namespace netperfd::system_test {

// The real daemon, run as by a service manager: with a notification socket, and its log in a file.
class NetperfdProcess {
 public:
  // Returns at once. `name` distinguishes the files of several daemons in one directory. `before`: the words
  // of a program that executes the daemon.
  NetperfdProcess(const ScratchDir& directory, const PrivateBus& bus, const std::string& configuration,
                  const std::string& name = "netperfd", std::vector<std::string> environment = {},
                  std::vector<std::string> before = {});

  // Waits until READY=1 has been sent `times` times; otherwise throws with the log.
  void wait_until_ready(std::size_t times = 1);
  // Waits until `line` has been sent; otherwise throws as above.
  void wait_until_told(std::string_view line, std::size_t times = 1);
  // Sends this signal and waits for the end.
  Exit end_by(int signal_number);

  [[nodiscard]] Process& process() { return *process_; }
  [[nodiscard]] NotifySocket& notified() { return notify_; }
  [[nodiscard]] std::string log() const;

 private:
  std::string log_path_;
  NotifySocket notify_;
  std::unique_ptr<Process> process_;
};

}  // namespace netperfd::system_test
