// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/none/workload.hpp"

namespace netperfd::workload {
namespace {

class NoneRun final : public core::ActiveWorkload {
 public:
  NoneRun(core::Clock& clock, core::WorkloadListener& listener)
      : clock_(clock),
        listener_(listener),
        turn_(clock.after(std::chrono::milliseconds{0}, [this] { listener_.workload_prepared(); })) {}

  void release() override {}
  // Replaces a pending call: a workload that is stopped must not be reported as prepared any more.
  void stop() override {
    turn_ = clock_.after(std::chrono::milliseconds{0}, [this] { listener_.workload_ended({}); });
  }
  [[nodiscard]] std::vector<pid_t> pids() const override { return {}; }
  [[nodiscard]] bool reports_intervals() const override { return false; }

 private:
  core::Clock& clock_;
  core::WorkloadListener& listener_;
  core::Timer turn_;
};

}  // namespace

Result<std::unique_ptr<core::ActiveWorkload>> NoneWorkload::prepare(const JobSpec&,
                                                                    core::WorkloadListener& listener) {
  return std::make_unique<NoneRun>(clock_, listener);
}

std::unique_ptr<core::Workload> make_none(const WorkloadSite& site) {
  return std::make_unique<NoneWorkload>(site.clock);
}

}  // namespace netperfd::workload
