// SPDX-License-Identifier: GPL-2.0-or-later
// The sample profiles of runs in the database.
#pragma once

#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// The caller holds the transaction. Counts that an INTEGER cannot hold are stored as the largest one.
[[nodiscard]] Status write_samples(Connection& connection, RunId run, const SampleProfile& profile);

// core::RunQueries documents it.
[[nodiscard]] Result<SampleProfile> read_samples(Connection& connection, RunId run);

}  // namespace netperfd::store
