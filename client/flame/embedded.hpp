// SPDX-License-Identifier: GPL-2.0-or-later
// The script and the style of a flame graph: client/flame/script.js and style.css, put here by the build.
#pragma once

#include <string_view>

namespace netperfctl::flame {

[[nodiscard]] std::string_view embedded_script();
[[nodiscard]] std::string_view embedded_style();

}  // namespace netperfctl::flame
