// SPDX-License-Identifier: GPL-2.0-or-later
// A confined process that needs more memory than its limit.
#pragma once

namespace netperfd::confined {

// From now on `give_up` is called where memory is missing, and must end the process without allocating any.
// An exception would not do: where a destructor allocates, as that of nlohmann::json does, it ends the
// program by SIGABRT.
void when_memory_is_missing(void (*give_up)());

}  // namespace netperfd::confined
