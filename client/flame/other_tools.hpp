// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks in the formats of other tools.
#pragma once

#include <string>
#include <string_view>

#include "client/flame/stacks.hpp"

namespace netperfctl::flame {

// A line per stack that has a weight: its frames, outermost first, with `;` between them, a space and the
// weight. flamegraph.pl, speedscope and others read it. The module follows its function, "hsr_xmit_[hsr]". In
// names, spaces and `;` are escaped as \x20 and \x3b.
[[nodiscard]] std::string folded(const Stacks& stacks);

// A file for speedscope (https://www.speedscope.app/file-format-schema.json), with one profile `name`.
[[nodiscard]] std::string speedscope(const Stacks& stacks, std::string_view name);

}  // namespace netperfctl::flame
