// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Copies the whole open database to the file `target` (mode 0640), which is on disk when this returns. The
// file gets that name only once it is complete; an older file of the name is replaced.
[[nodiscard]] Status copy_database(Connection& from, const std::string& target);
// Puts the names of the directory of `path` on the disk.
[[nodiscard]] Status sync_folder_of(const std::string& path);

}  // namespace netperfd::store
