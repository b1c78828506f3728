// SPDX-License-Identifier: GPL-2.0-or-later
// One run of iperf3: a client and, if requested, its one-off server on this host.
//
//   begin -> [server launched, released at once, "Server listening"] -> client launched -> workload_prepared
//         -> release() -> client runs -> both end -> descendants are ended -> workload_stopped
//         -> what the client wrote is read -> workload_ended
//
// Every failure takes the same path: the first cause is recorded, living processes are told to end, and the
// end of the last process triggers workload_ended. After one of the two has ended, the other has a limited
// time to end too.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/report_reading.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/workload/child.hpp"
#include "daemon/workload/iperf3/features.hpp"
#include "daemon/workload/iperf3/live_lines.hpp"
#include "daemon/workload/program_settings.hpp"
#include "daemon/workload/run_processes.hpp"
#include "daemon/workload/server_guard.hpp"

namespace netperfd::workload {

class Iperf3Run final : public core::ActiveWorkload {
 public:
  Iperf3Run(EventLoop& loop, core::ReportReading& reports, ProgramSettings settings, Iperf3Features features,
            TestSpec spec, core::WorkloadListener& listener);

  // Launches the first process. After an error nothing is running.
  [[nodiscard]] Status begin();
  void release() override;
  void stop() override;
  [[nodiscard]] std::vector<pid_t> pids() const override;
  [[nodiscard]] bool tells_begin() const override;
  [[nodiscard]] bool reports_intervals() const override;

 private:
  [[nodiscard]] Status launch_server();
  [[nodiscard]] Status launch_client();
  void release_server();
  void give_up(std::string_view why);  // of the guard
  void on_client_ready();
  void on_server_line(std::string_view line);
  void on_client_line(std::string_view line);
  void on_server_ended(const ChildEnd& end);
  void on_client_ended();

  void end_children_after(std::chrono::milliseconds grace);  // unless they end by themselves before
  void read_output();                                        // of the client, then reports the end
  void limit_reading();
  void report_end(Result<ParsedReport> parsed);
  void add_flags(std::vector<QualityFlag>& flags) const;
  [[nodiscard]] WorkloadResult take_result(Result<ParsedReport> parsed);
  [[nodiscard]] std::string causes(const std::string& parse_error) const;

  EventLoop& loop_;
  core::ReportReading& reports_;
  ProgramSettings settings_;
  Iperf3Features features_;
  TestSpec spec_;
  core::WorkloadListener& listener_;

  RunProcesses processes_;
  RunProcess server_, client_;
  std::unique_ptr<ServerGuard> guard_;  // of the local server; null: `unguarded_` says why
  std::string unguarded_;
  Fd client_sockets_;               // for the guard
  bool listening_ = false;          // the server has printed "Server listening"
  bool server_met_client_ = false;  // it has accepted a connection
  bool released_ = false;
  bool begun_ = false;  // its test
  LiveLines live_lines_;
  std::shared_ptr<void> reading_;  // of the client's output
  bool stopped_ = false;           // stop() was called
  std::string failure_;            // an error other than how the processes ended
  EventSource reading_limit_;
};

}  // namespace netperfd::workload
