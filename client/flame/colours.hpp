// SPDX-License-Identifier: GPL-2.0-or-later
// Colours of frames. The same name has the same colour in each picture.
#pragma once

#include <string_view>

#include "client/flame/picture.hpp"
#include "client/flame/stacks.hpp"

namespace netperfctl::flame {

// The hue tells kernel, module and user code apart; within it, the lightness follows the name.
[[nodiscard]] Colour colour_of(const Frame& frame);
inline constexpr std::string_view kColourNote =
    "Colours: orange is the kernel, [name] after a function is its module with a colour of its own, blue is "
    "[user], "
    "grey is the root of a stack.";

}  // namespace netperfctl::flame
