// What was counted while a run went on, as `show --counters` and `show --tcp` list it.
#pragma once

#include <string>

#include "client/screen.hpp"
#include "client/views.hpp"

namespace netperfctl::show {

// Begins with an empty line; nothing where neither was asked for.
[[nodiscard]] std::string counters_part(const Screen& screen, const ShowView& view);

}  // namespace netperfctl::show
