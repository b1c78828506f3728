// SPDX-License-Identifier: GPL-2.0-or-later
// The samples of a run, as `show --profile` and `show --stacks` list them.
#pragma once

#include <string>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

// Begins with an empty line; empty if neither was requested, or the run was not sampled and nobody asked for
// the profile.
[[nodiscard]] std::string samples_part(const Screen& screen, const ShowView& view);

}  // namespace netperfctl::show
