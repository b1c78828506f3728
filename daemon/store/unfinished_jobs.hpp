// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// The jobs that have pending runs, by number.
[[nodiscard]] Result<std::vector<core::UnfinishedJob>> read_unfinished_jobs(Connection& connection);

}  // namespace netperfd::store
