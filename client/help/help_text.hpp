// SPDX-License-Identifier: GPL-2.0-or-later
// The help of netperfctl and of each verb.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "client/help/command_page.hpp"

namespace netperfctl {

// In lines of at most `width` columns, except for examples, which are meant to be copied.
[[nodiscard]] std::string help_text(const CommandPage& page, std::size_t width);

// Makes CLI11 print help_text(), as wide as the terminal.
class HelpFormatter final : public CLI::FormatterBase {
 public:
  [[nodiscard]] std::string make_help(const CLI::App* command, std::string name,
                                      CLI::AppFormatMode mode) const override;
};

}  // namespace netperfctl
