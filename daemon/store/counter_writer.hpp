// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the counters of a run.
#pragma once

#include "daemon/model/counters.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Runs within the transaction of the run's record. A value that the database cannot hold is replaced by the
// largest it can.
[[nodiscard]] Status write_counters(Connection& connection, RunId run, const Counters& counters);

}  // namespace netperfd::store
