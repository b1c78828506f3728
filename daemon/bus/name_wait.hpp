// SPDX-License-Identifier: GPL-2.0-or-later
// The bus keeps the name of a netperfd that was killed until the last copy of its connection is closed. A
// process that it was spawning has one until it executes its program.
#pragma once

#include <chrono>

namespace netperfd::bus {

// Waits until nobody has the name, if the process that has it has died; for so long at most. Returns at once
// otherwise: to ask for the name tells what is wrong then.
void wait_for_name_of_dead(const char* name, std::chrono::milliseconds patience = std::chrono::seconds{10});

}  // namespace netperfd::bus
