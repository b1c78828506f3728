// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

// The noise of the host during the run, with a number for each figure that is known. Empty if none is.
[[nodiscard]] std::string noise_part(const Screen& screen, const ShowView& view);

}  // namespace netperfctl::show
