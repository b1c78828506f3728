// What an event's print format says of its fields.
#pragma once

#include "daemon/trace/event_format.hpp"

namespace netperfd::trace {

// Sets look, names, separator, mask and marks of the fields by `format.print`. An argument that is too
// involved says nothing, and neither do names whose numbers the kernel left out.
void apply_print_format(EventFormat& format);

}  // namespace netperfd::trace
