// SPDX-License-Identifier: GPL-2.0-or-later
// Takes out of a bundle what names people, hosts and networks. docs/bundles.md lists it.
#pragma once

#include <string>

#include "daemon/base/error.hpp"
#include "daemon/model/stored_tables.hpp"

namespace netperfd::bundle {

// Replaces, in every text of the tables, users' and hosts' names, addresses, labels, notes and paths by
// placeholders. What a text means is decided by its column; of a column that this function does not know,
// every text is replaced. Documents that are no JSON become empty. `host` is this host's name.
[[nodiscard]] Result<StoredTables> redacted(const StoredTables& content, const std::string& host);

}  // namespace netperfd::bundle
