// SPDX-License-Identifier: GPL-2.0-or-later
// Whether the person at the terminal may be asked for a password.
#pragma once

namespace netperfctl {

// Whether somebody can be asked: this process has a terminal, and --no-ask-password was not given.
[[nodiscard]] bool may_ask_for_password();
void never_ask_for_password();

}  // namespace netperfctl
