// Whether this kernel can do what a job asks of its trace.
#pragma once

#include <cstdint>

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

// The ring buffer of each CPU where a job names none: 32 MiB, but all of them together no more than a job may
// ask for, nor than a fiftieth of the memory. A CPU on which every call is traced writes up to 200 MB/s: the
// reader's thread then may wait 150 ms for a CPU, for instance for a host that does not run a virtual one.
[[nodiscard]] std::uint64_t default_buffer_bytes(std::uint64_t memory_bytes, std::uint32_t cpus);

}  // namespace netperfd::trace
