// The ports of the core to the kernel's tracing: what a run needs of it, and what one can ask about it.
// Beside ports.hpp; both have one real implementation, in daemon/trace.
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

// ---- Tracer: the hold on tracefs during one run
// ---------------------------------------------------------------

// What happened since the progress before it.
struct TraceProgress {
  double seconds = 0;                                         // that it covers
  std::vector<std::pair<std::string, std::uint64_t>> events;  // decoded by name, those that occurred
  std::uint64_t lost = 0;                                     // events, over all CPUs
  // The functions with the most calls that ended meanwhile, a few of them, by hits.
  std::vector<std::pair<std::string, std::uint64_t>> functions;
};

// Told of one trace session, on the loop thread, never from inside a call of it.
class TraceListener {
 public:
  virtual ~TraceListener() = default;
  // About once a second between start() and the end.
  virtual void trace_progress(const TraceProgress& progress) = 0;
  // The last call, exactly once, after stop(): everything is drained and tracefs is as it was before
  // prepare(). `flags` is what a reader of the run must know of. The listener may destroy the trace inside
  // it.
  virtual void trace_ended(TraceRecord record, std::vector<QualityFlag> flags) = 0;
};

// A claimed tracefs with everything applied; destroying it restores tracefs at once, whatever its state.
class ActiveTrace {
 public:
  virtual ~ActiveTrace() = default;
  // Tracing on. `workload` are the tasks that TraceSpec::workload_only means. After an error only its
  // destruction is left.
  [[nodiscard]] virtual Status start(const std::vector<pid_t>& workload) = 0;
  // Puts a line of text beside the kernel's events. `user`: on behalf of a caller. The first mark after
  // start() with this text is time 0 of the record.
  [[nodiscard]] virtual Status mark(const std::string& text, bool user) = 0;
  // Tracing off at once; trace_ended follows.
  virtual void stop() = 0;
  // Instead of stop(): puts tracefs back at once and says whether that worked; the record is lost and only
  // the destruction is left.
  [[nodiscard]] virtual Status abandon() = 0;
};

// The text of netperfd's own mark that is time 0: written right before the client is let go.
inline constexpr const char* kReleaseMark = "release";

class Tracer {
 public:
  virtual ~Tracer() = default;
  // Whether this kernel can do what `spec` asks, without changing anything: unsupported, invalid_argument
  // (no such event, no such function, with the nearest ones) or access_denied, a line each.
  [[nodiscard]] virtual Status check(const TraceSpec& spec) = 0;
  // The names, each once and in order, of the functions that `spec` would trace as the kernel is at this
  // moment; none where it traces none.
  [[nodiscard]] virtual Result<std::vector<std::string>> functions(const TraceSpec& spec) = 0;
  // Claims tracefs (busy where another tracer is at work, with its name where it can be known), saves what it
  // is going to change, and applies. An error means that everything is as before. `spec` and `listener` must
  // outlive the result.
  [[nodiscard]] virtual Result<std::unique_ptr<ActiveTrace>> prepare(const TraceSpec& spec,
                                                                     TraceListener& listener) = 0;
};

// ---- Catalogue: what this kernel offers
// -----------------------------------------------------------------------

enum class Ability { yes, no, limited };
[[nodiscard]] std::string_view to_string(Ability ability);

// One probed capability.
struct Capability {
  std::string name;  // "function_graph", "tracepoints", in words with underscores; stable
  Ability ability = Ability::no;
  std::string detail;  // a whole clause: what there is of it, or why not
  std::string advice;  // what to do about it; empty where nothing needs doing
};

struct ModuleRow {
  std::string name;
  bool loaded = false;
  bool built_in = false;
  std::optional<std::uint64_t> functions;  // traceable ones; absent where the kernel does not tell
  std::string hint;                        // such as "modprobe hsr"; empty where nothing needs doing
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
  std::string type;  // as C has it: "enum skb_drop_reason"
  std::uint32_t offset = 0;
  std::uint32_t size = 0;  // bytes; 0: dynamic
  bool is_signed = false;
  std::vector<std::string> values;  // of an enum or of flags: "2=NOT_SPECIFIED"
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
  std::optional<std::string> module;  // exactly; "" are the kernel's own functions
  std::string pattern;                // a glob; empty: all
};

class Catalogue {
 public:
  virtual ~Catalogue() = default;
  // One a capability, always all of them, in a fixed order. What cannot change before the next boot is probed
  // once a boot unless `fresh`.
  [[nodiscard]] virtual std::vector<Capability> capabilities(bool fresh) = 0;
  [[nodiscard]] virtual Result<std::vector<ModuleRow>> modules(const std::string& pattern) = 0;
  // `offset` and `limit` cut the sorted list of what fits; `total` is its whole length.
  struct Functions {
    std::vector<FunctionRow> rows;
    std::uint64_t total = 0;
    std::vector<std::string> nearest;  // where nothing fits a pattern without wildcards
  };
  [[nodiscard]] virtual Result<Functions> functions(const FunctionFilter& filter, std::uint64_t offset,
                                                    std::uint32_t limit) = 0;
  [[nodiscard]] virtual Result<std::vector<EventRow>> events(const std::string& pattern) = 0;
  [[nodiscard]] virtual Result<EventDetails> event(const std::string& name) = 0;
  [[nodiscard]] virtual Result<std::vector<TracerRow>> tracers() = 0;
};

}  // namespace netperfd::core
