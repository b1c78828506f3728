// SPDX-License-Identifier: GPL-2.0-or-later
// The latency of runs in the database.
#pragma once

#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// The caller holds the transaction.
[[nodiscard]] Status write_latency(Connection& connection, RunId run, const LatencyReport& report);

// core::RunQueries documents it.
[[nodiscard]] Result<LatencyReport> read_latency(Connection& connection, RunId run);

}  // namespace netperfd::store
