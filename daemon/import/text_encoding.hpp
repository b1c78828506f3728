// SPDX-License-Identifier: GPL-2.0-or-later
// Texts that other systems write in their own encodings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace netperfd::import {

// The bytes as UTF-8 if they are UTF-16, with a byte-order mark or, for a text that begins with ASCII,
// without, or UTF-8 with such a mark. Absent if they are fine as they are. Half a character becomes U+FFFD.
[[nodiscard]] std::optional<std::string> to_utf8(std::string_view bytes);

}  // namespace netperfd::import
