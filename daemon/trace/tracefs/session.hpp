// SPDX-License-Identifier: GPL-2.0-or-later
// One run's use of tracefs: claim, save, apply, start, stop, restore, in this order.
//
// All of it happens in netperfd's own instance (instances/netperfd-PID-RANDOM), so that restoring mostly
// means removing one directory. The top instance is used only if the kernel refuses function_graph inside an
// instance. Each change is in the journal on disk before it is made: if the daemon dies, the next one, or
// `netperfd --cleanup`, can restore everything.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/trace_spec.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

struct SessionSettings {
  std::string journal;             // path of the journal's file
  std::string instance;            // name_of_own_instance()
  std::string proc = "/proc";      // to look up the processes that hold files of tracefs
  std::string boot_id;             // /proc/sys/kernel/random/boot_id: a journal of another boot is void
  std::uint64_t buffer_bytes = 0;  // for one CPU, if the job gives none
  // The name in /proc/PID/comm of a living owner of an instance. An instance of any other
  // process was left by a dead one whose pid was reused.
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

  // `workload`: the tasks for TraceSpec::workload_only.
  [[nodiscard]] Status start(const std::vector<pid_t>& workload);
  [[nodiscard]] Status stop();
  // Restores everything, last change first, and continues if a step fails; the error lists all failures. A
  // second call does nothing.
  [[nodiscard]] Status restore();

  // Relative to tracefs: "instances/netperfd-4711", or "" for the top.
  [[nodiscard]] const std::string& directory() const;
  // The path of a file below directory().
  [[nodiscard]] std::string path(const std::string& file) const;
  // The applied spec: the job's, with netperfd's own events added.
  [[nodiscard]] const TraceSpec& spec() const;
  [[nodiscard]] const std::string& clock() const;
  [[nodiscard]] std::uint64_t buffer_bytes() const;  // for one CPU, as set by the kernel
  [[nodiscard]] std::uint32_t functions() const;     // number of them in the filter, read back
  [[nodiscard]] const std::vector<std::string>& missing_functions() const;
  // Other users of tracefs at the same time that do not interfere, a clause each.
  [[nodiscard]] const std::vector<std::string>& neighbours() const;
  // Whether the settings are still in force: empty, or a clause on what happened (the module was unloaded,
  // somebody switched tracing off).
  [[nodiscard]] std::string disturbance();

 private:
  struct State;
  explicit TraceSession(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Undoes what a dead netperfd left: the changes in the journal, and every instance of a netperfd
// whose process is gone. An instance of which a file is open stays: it may belong to a netperfd in another
// PID namespace, where the pid means another process, and each netperfd keeps one open. Returns what was
// done, one line each, empty if there was nothing to do. busy if a session is alive; unsupported if the
// journal has changes and tracefs is not visible.
[[nodiscard]] Result<std::vector<std::string>> clean_up(Tracefs& tracefs, const SessionSettings& settings);

// Other tracers that would disturb a measurement: the top instance in use, another function tracer; with the
// process's name if it is known. Empty if there is none.
[[nodiscard]] std::vector<std::string> foreign_tracers(Tracefs& tracefs, const std::string& proc,
                                                       const std::string& own_instance);

}  // namespace netperfd::trace
