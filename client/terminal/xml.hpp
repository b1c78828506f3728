// SPDX-License-Identifier: GPL-2.0-or-later
// Text within XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace netperfctl {

// `text` as the content of an element, or of an attribute between quotes: printable(), line feeds stay, and
// nothing in it is markup.
[[nodiscard]] std::string xml(std::string_view text);

}  // namespace netperfctl
