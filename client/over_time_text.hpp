// Throughput, events, marks and functions over the same time, so that what happened together stands together.
#pragma once

#include <string>

#include "client/screen.hpp"
#include "client/views.hpp"

namespace netperfctl::show {

// Pictures below one another; those of functions where the caller asked for counts over time. Empty where
// nothing is known over time.
[[nodiscard]] std::string over_time(const Screen& screen, const ShowView& view);

}  // namespace netperfctl::show
