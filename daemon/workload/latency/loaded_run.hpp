// SPDX-License-Identifier: GPL-2.0-or-later
// iperf3 with probes beside it: they measure the idle path, then the path under iperf3's load, and then the
// idle path again.
//
//   both prepared -> workload_prepared -> release() -> the prober begins: phase idle
//     -> iperf3 is released: phase omitted, until its test has begun and what it omits is over, then load
//     -> what it counts is over: phase ending -> iperf3's processes have ended: phase after -> the prober
//     ends -> workload_stopped -> both outputs are read
//     -> workload_ended
//
// If one of them fails, the other is ended.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/workload/latency/run.hpp"

namespace netperfd::workload {

class LoadedRun final : public core::ActiveWorkload {
 public:
  // `spec` has iperf3 and latency.
  LoadedRun(EventLoop& loop, core::Workload& iperf3, core::LatencyReading& reports,
            const LatencySettings& settings, const JobSpec& spec, core::WorkloadListener& listener);

  // After an error nothing is running.
  [[nodiscard]] Status begin();
  void release() override;
  void stop() override;
  [[nodiscard]] std::vector<pid_t> pids() const override;
  [[nodiscard]] bool reports_intervals() const override { return load_->reports_intervals(); }

 private:
  // What one of the two tells of itself.
  class Part final : public core::WorkloadListener {
   public:
    explicit Part(LoadedRun& run) : run_(run) {}
    void workload_prepared() override;
    void workload_begun() override { run_.load_begun(); }
    void workload_interval(const Interval& interval) override { run_.listener_.workload_interval(interval); }
    void workload_stopped() override;
    void workload_ended(WorkloadResult result) override;

    bool prepared = false, stopped = false;
    std::optional<WorkloadResult> result;

   private:
    LoadedRun& run_;
  };

  void part_prepared();
  void part_stopped(const Part& part);
  void part_ended(const Part& part);
  void probes_begun();
  void begin_load();
  void load_begun();
  void begin_counted();
  void end_counted() { enter("ending"); }
  void end_load();
  void enter(std::string_view phase);
  void after(std::chrono::milliseconds delay, void (LoadedRun::*then)());
  void end_probes() { probes_->finish(); }
  [[nodiscard]] WorkloadResult take_result();

  EventLoop& loop_;
  core::Workload& iperf3_;
  const JobSpec& spec_;
  core::WorkloadListener& listener_;
  Part load_part_{*this}, probes_part_{*this};
  std::optional<std::chrono::steady_clock::time_point> released_;  // iperf3
  bool counting_ = false;                                          // in the phase load, or behind it
  bool finishing_ = false;                                         // the probes' end was asked for
  std::unique_ptr<core::ActiveWorkload> load_;
  std::unique_ptr<LatencyRun> probes_;
  EventSource timer_;
};

}  // namespace netperfd::workload
