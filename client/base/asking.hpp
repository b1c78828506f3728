// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the person at the terminal may be asked.
#pragma once

#include <string>

namespace netperfctl {

// Whether somebody can be asked: this process has a terminal, and --no-ask-password was not given.
[[nodiscard]] bool may_ask_for_password();
void never_ask_for_password();

// Whether somebody at a terminal can answer a question.
[[nodiscard]] bool can_ask();
// Asks on stderr; anything but y or yes is a no.
[[nodiscard]] bool agrees(const std::string& question);

}  // namespace netperfctl
