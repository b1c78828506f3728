// The core's ports to the kernel's tracing: the tracer of a run, and the catalogue of what the kernel offers.
// An extension of ports.hpp; each has one real implementation, in daemon/trace.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// ---- Tracer: control of tracefs during one run ------------------------------------------------------------

// Events since the previous progress report.
struct TraceProgress {
  double seconds = 0;                                         // seconds that it covers
  std::vector<std::pair<std::string, std::uint64_t>> events;  // decoded, by name, only those that occurred
  std::uint64_t lost = 0;                                     // events, over all CPUs
  // A few functions with the most calls that ended in this time, by hits.
  std::vector<std::pair<std::string, std::uint64_t>> functions;
};

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

// The text of netperfd's own mark at time 0, written right before the client is released.
inline constexpr const char* kReleaseMark = "release";

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

// ---- Catalogue: the kernel's tracing features -------------------------------------------------------------

enum class Ability { yes, no, limited };
[[nodiscard]] std::string_view to_string(Ability ability);

struct Capability {
  std::string name;  // "function_graph", "tracepoints", in words with underscores; stable
  Ability ability = Ability::no;
  std::string detail;  // a whole clause: what is available, or why not
  std::string advice;  // what to do about it; empty if nothing needs doing
};

struct ModuleRow {
  std::string name;
  bool loaded = false;
  bool built_in = false;
  std::optional<std::uint64_t> functions;  // traceable ones; absent if the kernel does not report them
  std::string hint;                        // such as "modprobe hsr"; empty if nothing needs doing
};

struct FunctionRow {
  std::string name;
  std::string module;  // empty: the kernel itself
};

struct EventRow {
  std::string name;  // "skb:kfree_skb"
};

struct EventFieldRow {
  std::string name;
  std::string type;  // the C type: "enum skb_drop_reason"
  std::uint32_t offset = 0;
  std::uint32_t size = 0;  // bytes; 0: dynamic
  bool is_signed = false;
  std::vector<std::string> values;  // for an enum or flags: "2=NOT_SPECIFIED"
};

struct EventDetails {
  std::string name;
  std::uint32_t id = 0;
  std::vector<EventFieldRow> fields;
  std::string print;  // the kernel's own print format
};

struct TracerRow {
  std::string name;  // "function_graph"
  bool current = false;
};

struct FunctionFilter {
  std::optional<std::string> module;  // exact match; "": the kernel's own functions
  std::string pattern;                // a glob; empty: all
};

class Catalogue {
 public:
  virtual ~Catalogue() = default;
  // One entry for each capability, always all of them, in a fixed order. Properties that cannot change before
  // the next boot are probed once per boot unless `fresh`.
  [[nodiscard]] virtual std::vector<Capability> capabilities(bool fresh) = 0;
  [[nodiscard]] virtual Result<std::vector<ModuleRow>> modules(const std::string& pattern) = 0;
  // `offset` and `limit` select a part of the sorted list of matches; `total` is its whole length.
  struct Functions {
    std::vector<FunctionRow> rows;
    std::uint64_t total = 0;
    std::vector<std::string> nearest;  // if nothing matches a pattern without wildcards
  };
  [[nodiscard]] virtual Result<Functions> functions(const FunctionFilter& filter, std::uint64_t offset,
                                                    std::uint32_t limit) = 0;
  [[nodiscard]] virtual Result<std::vector<EventRow>> events(const std::string& pattern) = 0;
  [[nodiscard]] virtual Result<EventDetails> event(const std::string& name) = 0;
  [[nodiscard]] virtual Result<std::vector<TracerRow>> tracers() = 0;
};

}  // namespace netperfd::core
