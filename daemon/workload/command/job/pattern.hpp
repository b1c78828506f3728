// SPDX-License-Identifier: GPL-2.0-or-later
// Regular expressions of figures: RE2, whose time is linear in the text.
#pragma once

#include <memory>
#include <string>

#include "daemon/base/error.hpp"

namespace re2 {
class RE2;
}

namespace netperfd::workload {

// ^ and $ mean the ends of a line. invalid_argument, with a clause, if it is none, has not exactly one group
// or makes too large a program.
[[nodiscard]] Result<std::shared_ptr<const re2::RE2>> compile_pattern(const std::string& pattern);

}  // namespace netperfd::workload
