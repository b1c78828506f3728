// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/bundle_tables.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Whether the rows of the runs from `first` on fit each other where no constraint of the schema says how:
// calls name functions that are there, parents come before their children, and nothing that has a name is
// there twice. `tables` are those of this database. invalid_argument names the table, the row and the column.
[[nodiscard]] Status check_relations(Connection& connection, std::span<const BundleTable> tables,
                                     RunId first);

}  // namespace netperfd::store
