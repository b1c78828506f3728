// SPDX-License-Identifier: GPL-2.0-or-later
// Control of tracefs during one run; daemon/trace implements it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/trace_record.hpp"
#include "daemon/model/trace_spec.hpp"

namespace netperfd::core {

// Code of the flag that says so if tracefs is not as it was before.
inline constexpr std::string_view kTracefsNotRestored = "tracefs-not-restored";

// Receives the events of one trace session, on the loop thread, never from inside a call of it.
class TraceListener {
 public:
  virtual ~TraceListener() = default;
  // About once per second between start() and the end.
  virtual void trace_progress(const TraceProgress& progress) = 0;
  // The last call, made exactly once, after stop(): everything is drained and tracefs is as it was before
  // prepare(). `flags` are quality flags for the run. The listener may destroy the trace inside it.
  virtual void trace_ended(TraceRecord record, std::vector<QualityFlag> flags) = 0;
};

// A claimed tracefs with all settings applied. Destroying it restores tracefs at once, in any state.
class ActiveTrace {
 public:
  virtual ~ActiveTrace() = default;
  // Turns tracing on. `workload` are the tasks for TraceSpec::workload_only. After an error the object can
  // only be destroyed.
  [[nodiscard]] virtual Status start(const std::vector<pid_t>& workload) = 0;
  // Writes a line of text into the trace. `user`: on behalf of a caller. The first mark after start() with
  // this text is time 0 of the record.
  [[nodiscard]] virtual Status mark(const std::string& text, bool user) = 0;
  // Turns tracing off at once; trace_ended follows.
  virtual void stop() = 0;
  // Instead of stop(): restores tracefs at once and returns whether that worked. The record is lost, and the
  // object can only be destroyed.
  [[nodiscard]] virtual Status abandon() = 0;
};

class Tracer {
 public:
  virtual ~Tracer() = default;
  // Checks whether this kernel can do what `spec` asks, without changing anything. Errors, one line each:
  // unsupported, invalid_argument (no such event or function, with the nearest ones) or access_denied.
  [[nodiscard]] virtual Status check(const TraceSpec& spec) = 0;
  // The names, each once and sorted, of the functions that `spec` would trace in the kernel's current state;
  // none if it traces no functions.
  [[nodiscard]] virtual Result<std::vector<std::string>> functions(const TraceSpec& spec) = 0;
  // Claims tracefs (busy if another tracer is at work, with its name if that is known), saves what it is
  // going to change, and applies the settings. An error means that everything is as before. `spec` and
  // `listener` must outlive the result.
  [[nodiscard]] virtual Result<std::unique_ptr<ActiveTrace>> prepare(const TraceSpec& spec,
                                                                     TraceListener& listener) = 0;
};

}  // namespace netperfd::core
