// SPDX-License-Identifier: GPL-2.0-or-later
// Learns about fields from the event's print format.
#pragma once

#include "daemon/trace/ring/event_format.hpp"

namespace netperfd::trace {

// Sets look, names, separator, mask and marks of the fields from `format.print`. An argument that is too
// complex is ignored, and so are names whose numbers the kernel left out.
void apply_print_format(EventFormat& format);

}  // namespace netperfd::trace
