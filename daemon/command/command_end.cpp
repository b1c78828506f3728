// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/command_end.hpp"

#include <fmt/format.h>

#include "daemon/base/spawn.hpp"
#include "daemon/model/units.hpp"

namespace netperfd::command {

core::CommandEnd failed(const std::string& words, const OutputTail& output) {
  const std::string line = output.last_line();
  return {.error = line.empty() ? words : fmt::format("{}: {}", words, line), .output = output.lines()};
}

std::string exit_words(int exit_code) {
  return fmt::format("exit code {}", exit_code);
}

std::string signal_words(int signal_number) {
  return fmt::format("killed by {}", signal_text(signal_number));
}

std::string timeout_words(std::chrono::milliseconds timeout) {
  return fmt::format("not done within {}", format_duration(timeout));
}

}  // namespace netperfd::command
