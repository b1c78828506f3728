// SPDX-License-Identifier: GPL-2.0-or-later
// core::RunQueries::check_store().
#pragma once

#include <cstdint>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// `newest_version` is the one that this program knows.
[[nodiscard]] Result<core::StoreCheck> check_store(Connection& connection, std::int64_t newest_version);

}  // namespace netperfd::store
