// SPDX-License-Identifier: GPL-2.0-or-later
// What the exit codes mean, for help and manual pages.
#pragma once

#include <span>
#include <string_view>

#include "client/base/outcome.hpp"

namespace netperfctl {

struct ExitCode {
  Exit exit;
  std::string_view meaning;
};

// All of them, by number. docs/netperfctl.md has the same table.
[[nodiscard]] std::span<const ExitCode> exit_codes();

}  // namespace netperfctl
