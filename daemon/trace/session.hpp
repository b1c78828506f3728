// The hold on tracefs: claim, save, apply, start, stop, restore, in this order.
//
// All of it happens in an instance of netperfd's own (instances/netperfd-PID), so that restoring is mostly
// the removal of one directory. The top instance is used only where the kernel refuses function_graph inside
// an instance. Each change is in the journal on disk before it is made: a daemon that dies leaves enough for
// the next one, or for `netperfd --cleanup`, to put everything back.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/trace_spec.hpp"
#include "daemon/trace/tracefs.hpp"

namespace netperfd::trace {

struct SessionSettings {
  std::string journal;             // path of the journal's file
  std::string instance;            // "netperfd-4711"
  std::string proc = "/proc";      // where the holders of tracefs files are looked for
  std::string boot_id;             // /proc/sys/kernel/random/boot_id: a journal of another boot is void
  std::uint64_t buffer_bytes = 0;  // of one CPU, where the job does not say
  // What a living owner of an instance is called in /proc/PID/comm: netperfd-PID of any other process is left
  // from a dead one whose number was given away.
  std::string process = "netperfd";
};

class TraceSession {
 public:
  // Claims, saves and applies; tracing is off afterwards. An error (busy with the other tracer's name,
  // unsupported, invalid_argument with the kernel's own words from error_log) means that tracefs is as
  // before. `tracefs` must outlive the session.
  [[nodiscard]] static Result<std::unique_ptr<TraceSession>> open(Tracefs& tracefs, SessionSettings settings,
                                                                  const TraceSpec& spec);
  TraceSession(const TraceSession&) = delete;
  TraceSession& operator=(const TraceSession&) = delete;
  ~TraceSession();  // restores

  // `workload`: the tasks of TraceSpec::workload_only.
  [[nodiscard]] Status start(const std::vector<pid_t>& workload);
  [[nodiscard]] Status stop();
  // Puts everything back, last change first, and goes on where one step fails; the error has all that failed.
  // A second call does nothing.
  [[nodiscard]] Status restore();

  // Relative to tracefs: "instances/netperfd-4711", or "" for the top.
  [[nodiscard]] const std::string& directory() const;
  // Of a file below directory().
  [[nodiscard]] std::string path(const std::string& file) const;
  // What was applied: what was asked for, with netperfd's own events.
  [[nodiscard]] const TraceSpec& spec() const;
  [[nodiscard]] const std::string& clock() const;
  [[nodiscard]] std::uint64_t buffer_bytes() const;  // of one CPU, as the kernel made it
  [[nodiscard]] std::uint32_t functions() const;     // in the filter, read back
  [[nodiscard]] const std::vector<std::string>& missing_functions() const;
  // Others that use tracefs at the same time without being in the way, a clause each.
  [[nodiscard]] const std::vector<std::string>& neighbours() const;
  // Whether what was applied is still in force: empty, or what happened (the module was unloaded, somebody
  // switched tracing off).
  [[nodiscard]] std::string disturbance();

 private:
  struct State;
  explicit TraceSession(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Puts back what a dead netperfd left: by the journal, and every instance named netperfd-PID whose process is
// gone, unless somebody has its files open: it may be that of a netperfd in another PID namespace, where the
// number means another process. What was done, a line each, empty where there was nothing to do. busy beside
// a living session, unsupported where the journal has changes and tracefs cannot be seen.
[[nodiscard]] Result<std::vector<std::string>> clean_up(Tracefs& tracefs, const SessionSettings& settings);

// Who else is tracing so that a measurement would suffer: the top instance in use, another function tracer;
// with the process's name where it can be known. Empty where nobody is.
[[nodiscard]] std::vector<std::string> foreign_tracers(Tracefs& tracefs, const std::string& proc,
                                                       const std::string& own_instance);

}  // namespace netperfd::trace
