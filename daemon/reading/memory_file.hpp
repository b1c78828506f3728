// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes that a confined process reads as a file.
#pragma once

#include <initializer_list>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"

namespace netperfd::reading {

// A file in memory with these bytes in a row, which ends with its last descriptor. `name` shows up in /proc.
[[nodiscard]] Result<Fd> in_memory(const char* name, std::initializer_list<std::string_view> bytes);

}  // namespace netperfd::reading
