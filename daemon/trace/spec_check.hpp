// Whether this kernel can do what a job asks of its trace.
#pragma once

#include "daemon/base/error.hpp"
#include "daemon/model/trace_spec.hpp"
#include "daemon/trace/catalogue.hpp"
#include "daemon/trace/tracefs.hpp"

namespace netperfd::trace {

// As Tracer::check(): everything that stands in the way, a line each, and nothing that the spec asks for is
// changed in tracefs (the doctor may have to try something in an instance of its own, once a boot; filters
// are tried in such a one where no job is being traced). invalid_argument where a name, a module, a filter, a
// CPU or the buffer is wrong, also where the kernel cannot do the rest: such a
// job is wrong on every kernel. Otherwise access_denied or unsupported, with what to do about it.
[[nodiscard]] Status check_trace_spec(const TraceSpec& spec, Tracefs& tracefs, KernelCatalogue& catalogue);

}  // namespace netperfd::trace
