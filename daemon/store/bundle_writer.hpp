// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/model/stored_tables.hpp"
#include "daemon/store/migrations.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

struct BundleOwner {
  uid_t uid = 0;
  WallTime now{};
  std::string flag;            // where the runs come from: each gets it as a flag. Empty: no flag
  bool keeps_numbers = false;  // of jobs, runs and fingerprints, in a database without any
};

// Adds the rows, with new numbers for jobs, runs and fingerprints; returns the jobs, the one that was
// exported last. Needs a transaction, and does not finish it. Trusts nothing: the tables and their columns
// must be those of this database, every number must be of a row in `content`, every value must obey the rule
// of its column (column_rules.hpp), positions must have no gaps, every run must have ended and every job must
// have a run. invalid_argument names the table, the row, from 1, and the column. References to other rows are
// checked by the commit.
[[nodiscard]] Result<std::vector<core::NewJob>> write_tables(Connection& connection,
                                                             const StoredTables& content,
                                                             const BundleOwner& owner);

// The same rows in the tables of the newest version: writes them to a database in memory of their version,
// which is then migrated. Opens no file. unsupported if the version is newer, or that of a development
// version; invalid_argument as above, and for a row that refers to nothing.
[[nodiscard]] Result<StoredTables> at_newest_version(
    const StoredTables& content, std::size_t most_bytes,
    std::span<const Migration> migrations = embedded_migrations());

}  // namespace netperfd::store
