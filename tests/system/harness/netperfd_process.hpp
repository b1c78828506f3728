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

// The real daemon, as a service manager runs it: with a socket to notify and its log in a file.
class NetperfdProcess {
 public:
  // Returns at once. `name` tells apart the files of several daemons in one directory.
  NetperfdProcess(const ScratchDir& directory, const PrivateBus& bus, const std::string& configuration,
                  const std::string& name = "netperfd", std::vector<std::string> environment = {});

  // Until READY=1 has been said `times` times; an exception with the log where that does not come.
  void wait_until_ready(std::size_t times = 1);
  // Until `line` was said; an exception as above.
  void wait_until_told(std::string_view line, std::size_t times = 1);
  // Ends it by this signal and waits for that.
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
