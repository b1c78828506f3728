// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/stored_tables.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// The runs, their jobs and all that the database has of them, ordered by the tables' keys. busy if a run has
// not ended, not_found if there is none; `most_bytes` limits the whole (invalid_argument).
[[nodiscard]] Result<StoredTables> read_tables(Connection& connection, const std::vector<RunId>& runs,
                                               std::size_t most_bytes);

}  // namespace netperfd::store
