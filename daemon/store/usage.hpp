// SPDX-License-Identifier: GPL-2.0-or-later
// What users have stored, counted as the growth of the database.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "daemon/core/ports/run_store.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Measures by how much a part of a transaction makes the database grow.
class Growth {
 public:
  [[nodiscard]] static Result<Growth> begin(Connection& connection);
  // Bytes since begin(), in whole pages; never negative.
  [[nodiscard]] Result<std::uint64_t> bytes() const;

 private:
  Growth(Connection& connection, std::int64_t used_pages)
      : connection_(&connection), used_pages_(used_pages) {}

  Connection* connection_;
  std::int64_t used_pages_;
};

// core::RunStore documents the call.
[[nodiscard]] Result<core::UserUsage> read_usage(Connection& connection, uid_t owner, WallTime since,
                                                 WallTime until);

}  // namespace netperfd::store
