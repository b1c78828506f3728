// SPDX-License-Identifier: GPL-2.0-or-later
// The queries for stored counters; core::RunQueries documents the call.
#pragma once

#include "daemon/model/counters.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

[[nodiscard]] Result<Counters> read_counters(Connection& connection, RunId run);

}  // namespace netperfd::store
