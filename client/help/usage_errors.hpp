// SPDX-License-Identifier: GPL-2.0-or-later
// Errors of the command line, in netperfctl's words instead of CLI11's.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace netperfctl {

// What is wrong with the command line that `app` refused with `error`, and which help to read.
[[nodiscard]] std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

// "`shwo` is no verb; did you mean `show`?"
[[nodiscard]] std::string no_such_verb(const CLI::App& app, const std::string& word);

}  // namespace netperfctl
