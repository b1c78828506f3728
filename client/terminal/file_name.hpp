// SPDX-License-Identifier: GPL-2.0-or-later
// The name that a file of the user's has on the bus.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace netperfctl {

inline constexpr std::size_t kLongestFileName = 255;  // bytes that the daemon takes

// The path as one printable line of UTF-8: other bytes are escaped as printable() does it. If that is too
// long, its last part, and of that the end.
[[nodiscard]] std::string sent_file_name(std::string_view path);

}  // namespace netperfctl
