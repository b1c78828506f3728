// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of error messages about words that users typed.
#pragma once

#include <string>
#include <string_view>

#include "dbus/rows/nearest_word.hpp"

namespace netperfd {

// `text` in quotation marks for a message: control characters are escaped, and a long text is shortened.
[[nodiscard]] std::string in_quotes(std::string_view text);

using rows::nearest;

}  // namespace netperfd
