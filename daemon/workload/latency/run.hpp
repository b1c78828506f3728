// SPDX-License-Identifier: GPL-2.0-or-later
// One run of netperfd-echo: a prober and, if requested, its server on this host.
//
//   begin -> [server launched, released at once, "Listening"] -> prober launched -> workload_prepared ->
//   release()
//         -> the prober greets the server and begins -> begun -> next_phase()... -> finish(), or its duration
//         is over
//         -> last answers -> it ends, the server is ended -> workload_stopped -> its output is read ->
//         workload_ended
//
// Failures take the same path, as in Iperf3Run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/latency_reading.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/workload/run_processes.hpp"

namespace netperfd::workload {

struct LatencySettings {
  std::string path = "netperfd-echo";  // or a name without a slash, searched for in kProgramPath
  ProgramSettings common;              // all but its path
};

// The prober's and the server's command lines; argv[0] is `program`.
[[nodiscard]] std::vector<std::string> prober_argv(const std::string& program, const JobSpec& spec);
[[nodiscard]] std::vector<std::string> echo_server_argv(const std::string& program, const JobSpec& spec);

class LatencyRun final : public core::ActiveWorkload {
 public:
  // `spec.latency` must be there. `begun` is called from the loop when the first request is due; it may be
  // empty.
  LatencyRun(EventLoop& loop, core::LatencyReading& reports, const LatencySettings& settings,
             const JobSpec& spec, core::WorkloadListener& listener, std::function<void()> begun);

  // Launches the first process. After an error nothing is running.
  [[nodiscard]] Status begin();
  void release() override;
  void stop() override;
  [[nodiscard]] std::vector<pid_t> pids() const override;
  [[nodiscard]] bool reports_intervals() const override { return false; }

  // Requests that are sent from now on belong to this phase.
  void next_phase(std::string_view name);
  // No further requests; the last answers are waited for.
  void finish();

 private:
  [[nodiscard]] Status launch_server();
  [[nodiscard]] Status launch_prober();
  void on_server_line(std::string_view line);
  void on_prober_line(std::string_view line);
  void on_server_ended(const ChildEnd& end);
  void on_prober_ended();
  void read_output();
  void limit_reading();
  void report_end(Result<ParsedLatency> parsed);
  [[nodiscard]] std::string causes(const std::string& parse_error) const;

  EventLoop& loop_;
  core::LatencyReading& reports_;
  LatencySettings settings_;
  const JobSpec& spec_;
  core::WorkloadListener& listener_;
  std::function<void()> begun_;

  RunProcesses processes_;
  RunProcess server_, prober_;
  LatencyOrder order_;
  std::vector<std::string>
      session_;  // for the environment of both: a server of netperfd's own serves no other prober
  bool listening_ = false;
  bool released_ = false;
  bool has_begun_ = false;
  bool stopped_ = false;  // stop() was called
  std::shared_ptr<void> reading_;
  std::string failure_;  // an error other than how the processes ended
  EventSource reading_limit_;
};

}  // namespace netperfd::workload
