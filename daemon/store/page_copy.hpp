// SPDX-License-Identifier: GPL-2.0-or-later
// The bytes of a whole database file, in order, out of an open database: for a pipe, and by a process that
// cannot write files.
//
// SQLite's online backup copies into another database. Here that is a file of this module's own, which only
// passes on what is written to it. SQLite writes its pages in order, but the first one last, as it is pinned
// while the others are copied; so the first page comes from the cache of the database that is read.
#pragma once

#include <string_view>

#include "daemon/core/ports/run_queries.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Lets copy_pages() find the first page. Call it before the program's first use of SQLite; false if that was
// before.
[[nodiscard]] bool watch_first_page();

// Copies the snapshot of the connection's transaction, or one of its own. Gives up the CPU between
// steps. The file is not in WAL mode, and its header says how long it is.
[[nodiscard]] Status copy_pages(Connection& connection, const core::RunQueries::Sink& sink);

}  // namespace netperfd::store
