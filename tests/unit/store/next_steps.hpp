// SPDX-License-Identifier: GPL-2.0-or-later
// Migrations that no netperfd has, from the newest version on: what a later one may do to a store.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/store/migrations.hpp"

namespace netperfd::store {

// A new column, a table that is rebuilt although views name it and others refer to it (its indexes and its
// trigger are not made again), and other values.
inline std::vector<Migration> with_next_steps() {
  const auto known = embedded_migrations();
  const std::int64_t newest = newest_of(known);
  std::vector<Migration> steps{known.begin(), known.end()};
  steps.push_back({.version = newest + 1,
                   .name = "next_column.sql",
                   .sql = "ALTER TABLE runs ADD COLUMN weather TEXT NOT NULL DEFAULT 'unknown'"});
  steps.push_back({.version = newest + 2, .name = "next_table.sql", .sql = R"(
    PRAGMA legacy_alter_table = ON;
    CREATE TABLE new_environments (
      run          INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
      fingerprint  INTEGER NOT NULL REFERENCES fingerprints (id),
      boot_id      TEXT NOT NULL CHECK (length(boot_id) < 100)
    ) STRICT;
    INSERT INTO new_environments SELECT * FROM environments;
    DROP TABLE environments;
    ALTER TABLE new_environments RENAME TO environments;
    PRAGMA legacy_alter_table = OFF;)"});
  steps.push_back({.version = newest + 3, .name = "next_values.sql", .sql = R"(
    DELETE FROM run_digests WHERE run IN (SELECT run FROM flags);
    UPDATE flags SET message = message || ' So it was.';)"});
  return steps;
}

}  // namespace netperfd::store
