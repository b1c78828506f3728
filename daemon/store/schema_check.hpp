// SPDX-License-Identifier: GPL-2.0-or-later
// Compares everything that a database executes, and how it stores texts, with what the migrations make.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/store/migrations.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// What its whole sqlite_schema has less, more or other than one of these migrations, whatever an object is
// called, and settings of the file that a store does not have. Each names its object; there are a few at
// most.
[[nodiscard]] Result<std::vector<std::string>> schema_problems(Connection& connection,
                                                               std::span<const Migration> migrations);

// Where to read what a store consists of: of one of the newest version, an empty store in its place, so that
// a damaged definition hides no table and no column.
[[nodiscard]] Result<Connection*> schema_source(Connection& connection);

}  // namespace netperfd::store
