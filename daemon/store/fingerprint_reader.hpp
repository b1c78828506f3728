// SPDX-License-Identifier: GPL-2.0-or-later
// The queries for stored environments; core::RunQueries documents the call.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

[[nodiscard]] Result<Fingerprint> read_fingerprint(Connection& connection, RunId run);

// The facts of one set, by group, then by key.
[[nodiscard]] Result<std::vector<Fact>> read_facts(Connection& connection, std::int64_t fingerprint);

}  // namespace netperfd::store
