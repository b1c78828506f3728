// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/kernel_tracer.hpp"

#include <algorithm>
#include <utility>

#include "daemon/trace/catalogue/spec_check.hpp"
#include "daemon/trace/pid_namespace.hpp"
#include "daemon/trace/ring_trace.hpp"

namespace netperfd::trace {

namespace {

// set_event_pid and set_ftrace_pid take pids of the initial PID namespace: with pids of another one they
// would select somebody else's tasks.
Status check_pid_namespace(const TraceSpec& spec, const std::string& proc) {
  if (!spec.workload_only) return {};
  if (!is_initial_pid_namespace(proc)) {
    return fail(
        ErrorKind::unsupported,
        "trace.pid: netperfd runs in a PID namespace of its own, whose numbers the kernel's tracing takes "
        "for other tasks; leave `pid` out, or run netperfd outside of it");
  }
  return {};
}

}  // namespace

Status KernelTracer::check(const TraceSpec& spec) {
  if (auto known = check_pid_namespace(spec, settings_.proc); !known) return known;
  return check_trace_spec(spec, tracefs_, catalogue_);
}

Result<std::vector<std::string>> KernelTracer::functions(const TraceSpec& spec) {
  if (!spec.function_graph) return std::vector<std::string>{};
  catalogue_.forget_functions();
  const auto list = catalogue_.function_list();
  if (!list) return std::unexpected(list.error());
  return (*list)->traced_by(*spec.function_graph);
}

Result<std::unique_ptr<core::ActiveTrace>> KernelTracer::prepare(const TraceSpec& spec,
                                                                 core::TraceListener& listener) {
  if (auto known = check_pid_namespace(spec, settings_.proc); !known) return std::unexpected(known.error());
  RingTraceSettings settings;
  settings.proc = settings_.proc;
  // Calibrating first uses the tracer with few functions: a kernel that crashes under it does so before the
  // workload depends on it.
  if (spec.function_graph) {
    settings.calibration = calibrator_.calibration();
    settings.neighbours = calibrator_.take_neighbours();
  }
  auto session = TraceSession::open(tracefs_, settings_, spec);
  if (!session) return std::unexpected(std::move(session.error()));
  auto trace = RingTrace::open({clock_, tracefs_, listener}, std::move(*session), spec, std::move(settings));
  if (!trace) return std::unexpected(std::move(trace.error()));
  return std::move(*trace);
}

}  // namespace netperfd::trace
