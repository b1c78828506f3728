// SPDX-License-Identifier: GPL-2.0-or-later
// The environment of a run, as `show --environment` lists it.
#pragma once

#include <string>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

// Begins with an empty line; empty if it was not requested.
[[nodiscard]] std::string environment_part(const Screen& screen, const ShowView& view);

}  // namespace netperfctl::show
