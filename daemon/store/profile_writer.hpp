// The function profile of a run, as a part of its trace.
#pragma once

#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Inserts all of `profile`; the caller holds the transaction, and the run has its row in traces. A figure
// that no INTEGER holds and an index that leads nowhere are refused (invalid_argument): nobody can mean them,
// and what stands in the database is to be what was measured.
[[nodiscard]] Status write_profile(Connection& connection, RunId run, const FunctionProfile& profile);

}  // namespace netperfd::store
