// SPDX-License-Identifier: GPL-2.0-or-later
// Checks whether this kernel can run a job's trace.
#pragma once

#include <cstdint>

#include "daemon/base/error.hpp"
#include "daemon/model/trace_spec.hpp"
#include "daemon/trace/catalogue/catalogue.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

// As Tracer::check(): all obstacles, one line each. The spec itself changes nothing in tracefs. But the
// doctor may try something in an instance of its own, once per boot, and filters are tried in such an
// instance if no job is being traced. invalid_argument if a name, a module, a filter, a CPU or the buffer is
// wrong, even if the kernel also lacks something, because such a job is wrong on every kernel. Otherwise
// access_denied or unsupported, with what to do about it.
[[nodiscard]] Status check_trace_spec(const TraceSpec& spec, Tracefs& tracefs, KernelCatalogue& catalogue);

// The ring buffer of each CPU if the job gives none: 32 MiB, but over all CPUs no more than a job may ask
// for, and no more than a fiftieth of the memory. A CPU on which every call is traced writes up to 200 MB/s.
// The reader's thread may then wait 150 ms for a CPU, for instance for a host that does not schedule a
// virtual one.
[[nodiscard]] std::uint64_t default_buffer_bytes(std::uint64_t memory_bytes, std::uint32_t cpus);

}  // namespace netperfd::trace
