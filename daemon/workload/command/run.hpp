// SPDX-License-Identifier: GPL-2.0-or-later
// One run of a scenario's commands: a client and, if there is one, a server.
//
//   begin -> [server launched, released at once, ready] -> client launched -> workload_prepared -> release()
//         -> client ends -> workload_stopped -> server gets SIGTERM -> descendants are ended
//         -> the figures are read from what both wrote -> workload_ended
//
// Every failure takes the same path, as in iperf3/run.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/figure_reading.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/workload/child.hpp"
#include "daemon/workload/command/work_directory.hpp"
#include "daemon/workload/program_settings.hpp"
#include "daemon/workload/run_processes.hpp"

namespace netperfd::workload {

class CommandRun final : public core::ActiveWorkload {
 public:
  CommandRun(EventLoop& loop, core::FigureReading& figures, ProgramSettings settings, Path path,
             CommandSpec spec, core::WorkloadListener& listener);

  // Launches the first process. After an error nothing is running.
  [[nodiscard]] Status begin();
  void release() override;
  void stop() override;
  [[nodiscard]] std::vector<pid_t> pids() const override;
  [[nodiscard]] bool reports_intervals() const override { return false; }

 private:
  [[nodiscard]] Status launch_server();
  [[nodiscard]] Status launch_client();
  [[nodiscard]] LaunchOrder order_for(const CommandProgram& program, const std::string& netns) const;
  [[nodiscard]] ChildSettings settings_for(std::string name) const;

  void on_server_ready_to_run();
  void on_server_line(std::string_view line);
  void look_at_server();  // again after a while
  void server_is_ready();
  void on_server_ended(const ChildEnd& end);
  void on_client_ended();
  void give_up(std::string why);

  void read_output();  // of both, then reports the end
  void limit_reading();
  [[nodiscard]] Status add_document(const std::string& name);
  void report_end(core::FigureReading::Values values);
  void report_failure();
  void finish(WorkloadResult result);
  [[nodiscard]] bool has_failed() const;
  [[nodiscard]] std::string causes() const;

  EventLoop& loop_;
  core::FigureReading& figures_;
  ProgramSettings settings_;
  Path path_;
  CommandSpec spec_;
  core::WorkloadListener& listener_;

  WorkDirectory directory_;  // before the processes, which work in it
  RunProcesses processes_;
  RunProcess server_, client_;
  std::vector<Document> documents_;
  std::uint64_t file_bytes_ = 0;  // of the documents that are files
  bool server_ready_ = false;
  bool port_is_unknown_ = false;  // at the last look at the server
  bool released_ = false;
  bool stopped_ = false;  // stop() was called
  std::string failure_;   // an error other than how the processes ended
  EventSource look_, patience_, reading_limit_;
  std::shared_ptr<void> reading_;
};

}  // namespace netperfd::workload
