// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/netperfd_process.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace netperfd::system_test {

NetperfdProcess::NetperfdProcess(const ScratchDir& directory, const PrivateBus& bus,
                                 const std::string& configuration, const std::string& name,
                                 std::vector<std::string> environment, std::vector<std::string> before)
    : log_path_(directory.path(name + ".log")), notify_(directory.path(name + ".notify")) {
  environment.push_back(bus.environment());
  environment.push_back(notify_.environment());
  std::vector<std::string> argv = std::move(before);
  argv.insert(argv.end(), {NETPERFD_PROGRAM, "--config", configuration});
  process_ = std::make_unique<Process>(Command{.argv = std::move(argv),
                                               .environment = std::move(environment),
                                               .user = {},
                                               .netns = {},
                                               .stderr_file = log_path_});
}

void NetperfdProcess::wait_until_ready(std::size_t times) {
  wait_until_told("READY=1", times);
}

void NetperfdProcess::wait_until_told(std::string_view line, std::size_t times) {
  if (notify_.wait_for(line, times, process_->pidfd())) return;
  throw std::runtime_error(
      fmt::format("netperfd has not said {} ({} times); its log:\n{}", line, times, log()));
}

Exit NetperfdProcess::end_by(int signal_number) {
  process_->signal(signal_number);
  return process_->wait();
}

std::string NetperfdProcess::log() const {
  return read_text(log_path_);
}

}  // namespace netperfd::system_test
