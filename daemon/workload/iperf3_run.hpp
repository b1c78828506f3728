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
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/report_reading.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/workload/child.hpp"
#include "daemon/workload/iperf3_features.hpp"
#include "daemon/workload/iperf3_settings.hpp"
#include "daemon/workload/live_lines.hpp"
#include "daemon/workload/run_group.hpp"

namespace netperfd::workload {

class Iperf3Run final : public core::ActiveWorkload {
 public:
  Iperf3Run(EventLoop& loop, core::ReportReading& reports, Iperf3Settings settings, Iperf3Features features,
            Iperf3Spec spec, core::WorkloadListener& listener);

  // Launches the first process. After an error nothing is running.
  [[nodiscard]] Status begin();
  void release() override;
  void stop() override;
  [[nodiscard]] std::vector<pid_t> pids() const override;
  [[nodiscard]] bool reports_intervals() const override;

 private:
  // A process of the run; kept after its end for its output.
  struct Side {
    std::unique_ptr<Child> child;
    ChildEnd end;
    bool alive = false;
    bool told_to_end = false;  // by our SIGTERM
    bool forced = false;       // by our SIGKILL
  };

  [[nodiscard]] Status launch_server();
  [[nodiscard]] Status launch_client();
  [[nodiscard]] Status launch(Side& side, std::string name, LaunchOrder order, ChildEvents events);
  void on_server_line(std::string_view line);
  void on_client_line(std::string_view line);
  void on_server_ended(const ChildEnd& end);
  void on_client_ended(const ChildEnd& end);

  void end_children();  // SIGTERM now, SIGKILL a while later
  void force_children();
  void end_children_after(std::chrono::milliseconds grace);  // unless they end by themselves before
  void finish_if_ended();
  // Ends what the two left behind, then goes on with read_output().
  void end_descendants();
  [[nodiscard]] std::size_t descendants() const;
  void read_output();  // of the client, then reports the end
  void limit_reading();
  void report_end(Result<ParsedReport> parsed);
  [[nodiscard]] WorkloadResult take_result(Result<ParsedReport> parsed);
  // False if another signal came before ours.
  [[nodiscard]] static bool was_ended_by_us(const Side& side);
  [[nodiscard]] std::string causes(const std::string& parse_error) const;

  EventLoop& loop_;
  core::ReportReading& reports_;
  Iperf3Settings settings_;
  Iperf3Features features_;
  Iperf3Spec spec_;
  core::WorkloadListener& listener_;

  std::optional<RunGroup> group_;  // absent: no cgroup can be made here
  std::size_t left_behind_ = 0;    // processes that had to be ended after both had ended
  int ending_turns_ = 0;
  Side server_, client_;
  bool listening_ = false;          // the server has printed "Server listening"
  bool server_met_client_ = false;  // it has accepted a connection
  bool released_ = false;
  LiveLines live_lines_;
  std::shared_ptr<void> reading_;  // of the client's output
  bool ending_ = false;            // end_children() was called
  bool stopped_ = false;           // stop() was called
  std::string failure_;            // an error other than how the processes ended
  EventSource timer_;  // for end_children(), end_children_after(), end_descendants() or limit_reading()
};

}  // namespace netperfd::workload
