// The trace of a run, as a part of its record.
#pragma once

#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Inserts all of `record` but its recording, which is a document of the run; the caller holds the
// transaction, and the run exists.
[[nodiscard]] Status write_trace(Connection& connection, RunId run, const TraceRecord& record);

}  // namespace netperfd::store
