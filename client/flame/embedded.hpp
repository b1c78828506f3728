// SPDX-License-Identifier: GPL-2.0-or-later
// The script and the style of a flame graph: client/flame/script.js and style.css, put here by the build. The
// hashes are hexadecimal digits.
#pragma once

#include <string_view>

namespace netperfctl::flame {

[[nodiscard]] std::string_view embedded_script();
[[nodiscard]] std::string_view embedded_script_sha256();
[[nodiscard]] std::string_view embedded_style();
[[nodiscard]] std::string_view embedded_style_sha256();

}  // namespace netperfctl::flame
