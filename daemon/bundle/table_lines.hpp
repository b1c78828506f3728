// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of a table as lines of JSON, an object each.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/bundle/manifest.hpp"
#include "daemon/bundle/tar.hpp"
#include "daemon/model/stored_tables.hpp"

namespace netperfd::bundle {

// Adds the table's own entry, and behind it one for each BLOB. Returns its head for the manifest. Errors
// name the table.
[[nodiscard]] Result<TableHead> add_lines(const StoredTable& table, std::vector<Entry>& entries);

// The bytes of an entry, once: null if there is no such entry, or if it was taken before.
using TakeEntry = std::function<const std::string*(const std::string& name)>;
// Reads such an entry. invalid_argument names the entry, its line, the key and what was expected.
[[nodiscard]] Result<StoredTable> read_lines(const TableHead& head, const TakeEntry& take);

}  // namespace netperfd::bundle
