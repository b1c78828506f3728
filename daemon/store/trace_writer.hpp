// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the trace of a run, a part of its record.
#pragma once

#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Inserts all of `record` except its recording, which is a document of the run. The caller holds the
// transaction, and the run must exist.
[[nodiscard]] Status write_trace(Connection& connection, RunId run, const TraceRecord& record);

}  // namespace netperfd::store
