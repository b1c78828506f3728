#pragma once

#include <string>

#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// A whole copy of the open database as the file `target` (mode 0640), on the disk when this returns. It takes
// that name only once complete; an older file of the name is replaced.
[[nodiscard]] Status copy_database(Connection& from, const std::string& target);

}  // namespace netperfd::store
