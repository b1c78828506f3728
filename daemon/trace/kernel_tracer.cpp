#include "daemon/trace/kernel_tracer.hpp"

#include <algorithm>
#include <utility>

#include "daemon/trace/ring_trace.hpp"
#include "daemon/trace/spec_check.hpp"

namespace netperfd::trace {

Status KernelTracer::check(const TraceSpec& spec) {
  return check_trace_spec(spec, tracefs_, catalogue_);
}

Result<std::unique_ptr<core::ActiveTrace>> KernelTracer::prepare(const TraceSpec& spec,
                                                                 core::TraceListener& listener) {
  auto session = TraceSession::open(tracefs_, settings_, spec);
  if (!session) return std::unexpected(std::move(session.error()));
  auto trace = RingTrace::open({clock_, tracefs_, listener}, std::move(*session), spec,
                               {.kallsyms = settings_.proc + "/kallsyms"});
  if (!trace) return std::unexpected(std::move(trace.error()));
  return std::move(*trace);
}

std::uint64_t default_buffer_bytes(std::uint64_t memory_bytes, std::uint32_t cpus) {
  constexpr std::uint64_t kMost = std::uint64_t{8} << 20;
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  constexpr std::uint64_t kShare = 50;
  return std::clamp(memory_bytes / kShare / std::max(cpus, 1U), kLeast, kMost);
}

}  // namespace netperfd::trace
