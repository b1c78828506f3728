// SPDX-License-Identifier: GPL-2.0-or-later
// Throughput, events, marks and functions on the same time axis, to show coincidences.
#pragma once

#include <string>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

// Charts below one another; those of functions only if the caller requested counts over time. Empty if there
// is no data over time.
[[nodiscard]] std::string over_time(const Screen& screen, const ShowView& view);

}  // namespace netperfctl::show
