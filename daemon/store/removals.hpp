// SPDX-License-Identifier: GPL-2.0-or-later
// What rules about stored runs ask and change; core::RetentionStore documents the calls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/retention_store.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

[[nodiscard]] Result<std::vector<core::StoredJob>> read_stored_jobs(Connection& connection, JobId before,
                                                                    std::uint32_t limit);
[[nodiscard]] Result<std::uint64_t> mark_for_removal(Connection& connection, JobId job, core::RemovalBy by);
[[nodiscard]] Result<std::optional<core::RunOfJob>> read_next_removal(Connection& connection);

}  // namespace netperfd::store
