// SPDX-License-Identifier: GPL-2.0-or-later
// Words for how a command ended.
#pragma once

#include <chrono>
#include <string>

#include "daemon/command/output_tail.hpp"
#include "daemon/core/ports/command_runner.hpp"

namespace netperfd::command {

// The same for every command, independent of the daemon's own environment.
inline constexpr const char* kPathVariable =
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
inline constexpr const char* kLocaleVariable = "LC_ALL=C";

// `words`, followed by the last line of the output: "exit code 1: no such module".
[[nodiscard]] core::CommandEnd failed(const std::string& words, const OutputTail& output);

[[nodiscard]] std::string exit_words(int exit_code);
[[nodiscard]] std::string signal_words(int signal_number);
[[nodiscard]] std::string timeout_words(std::chrono::milliseconds timeout);

}  // namespace netperfd::command
