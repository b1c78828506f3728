// SPDX-License-Identifier: GPL-2.0-or-later
// What a value in a column must be, where others bring rows: the rules that netperfd's own ways into the
// store enforce.
#pragma once

#include <string>
#include <string_view>

#include "daemon/model/stored_tables.hpp"

namespace netperfd::store {

// What is expected in place of a value that is not NULL, a clause; empty: the value is as it must be. Whether
// NULL is, the schema says.
using ColumnRule = std::string (*)(const StoredValue& value);

// Null for a column that nobody has decided about.
[[nodiscard]] ColumnRule rule_of(std::string_view table, std::string_view column);

}  // namespace netperfd::store
