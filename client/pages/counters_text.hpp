// SPDX-License-Identifier: GPL-2.0-or-later
// The counters of a run, as `show --counters`, `show --tcp` and `show --queues` list them.
#pragma once

#include <string>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

// Begins with an empty line; empty if none was requested.
[[nodiscard]] std::string counters_part(const Screen& screen, const ShowView& view);

}  // namespace netperfctl::show
