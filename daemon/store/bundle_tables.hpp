// SPDX-License-Identifier: GPL-2.0-or-later
// Which tables and columns a bundle has. The schema itself says so: every table whose rows belong to a job or
// a run by a reference, so a later table cannot be forgotten.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

struct BundleTable {
  enum class Of { jobs, runs, fingerprints };  // whose numbers its rows have

  std::string name;
  Of of = Of::runs;
  std::string key;                   // the column with that number
  std::vector<std::string> columns;  // without those that each store fills in itself
  std::string blob;                  // the column among them that is a zstd frame; empty: none
  std::string order;                 // its primary key, or run and position

  // jobs, runs and fingerprints: each store gives them numbers of its own.
  [[nodiscard]] bool is_numbered() const { return key == "id"; }
};

// jobs, runs and fingerprints come first. Works for any version of the schema.
[[nodiscard]] Result<std::vector<BundleTable>> bundle_tables(Connection& connection);

// The table that the rows of `column` have numbers of; null if it holds something else.
[[nodiscard]] const BundleTable* referred(std::span<const BundleTable> tables, const BundleTable& table,
                                          std::string_view column);

}  // namespace netperfd::store
