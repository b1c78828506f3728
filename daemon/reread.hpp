// SPDX-License-Identifier: GPL-2.0-or-later
// `netperfd --reread`: reads the documents of stored runs again after the reader was repaired.
#pragma once

#include "daemon/base/error.hpp"
#include "daemon/settings.hpp"

namespace netperfd {

// The exit code of a --reread without --apply that found something to change.
inline constexpr int kWouldChange = 3;

// Prints each change, each run that cannot be read now, and a summary on standard output. Stores the changes
// if `apply` is set, each run's in one transaction, after the first has caused a copy of the database.
// Returns the exit code.
[[nodiscard]] Result<int> reread(const Settings& settings, bool apply);

}  // namespace netperfd
