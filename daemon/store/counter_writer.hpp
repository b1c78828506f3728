// Writes what was counted while a run went on.
#pragma once

#include "daemon/model/counters.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Within the transaction of the run's record. A counter that the database cannot hold is cut to the most it
// can.
[[nodiscard]] Status write_counters(Connection& connection, RunId run, const Counters& counters);

}  // namespace netperfd::store
