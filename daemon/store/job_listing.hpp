// SPDX-License-Identifier: GPL-2.0-or-later
// The history of jobs.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/core/ports/run_queries.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// core::RunQueries::jobs(); at most 100 at a time.
[[nodiscard]] Result<core::Page<core::JobRow>> read_jobs(Connection& connection,
                                                         const core::RunFilter& filter,
                                                         const std::string& cursor, std::uint32_t limit);

}  // namespace netperfd::store
