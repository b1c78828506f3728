// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the function profile of a run, a part of its trace.
#pragma once

#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Inserts all of `profile`. The caller holds the transaction, and the run must have its row in traces. A
// figure that does not fit into an INTEGER and an index out of range are refused (invalid_argument): they
// cannot be right, and the database must hold what was measured.
[[nodiscard]] Status write_profile(Connection& connection, RunId run, const FunctionProfile& profile);

}  // namespace netperfd::store
