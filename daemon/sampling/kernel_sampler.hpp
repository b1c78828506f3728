// SPDX-License-Identifier: GPL-2.0-or-later
// The port core::Sampler, with perf events of this machine's kernel.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/sampler.hpp"

namespace netperfd::trace {
class TracedFunctions;
}

namespace netperfd::sampling {

class KernelSampler final : public core::Sampler {
 public:
  // `loop` must outlive this object, and this object what open() returns. Tests pass other directories as
  // `proc` and `sys`.
  explicit KernelSampler(EventLoop& loop, std::string proc = "/proc", std::string sys = "/sys");

  // Refuses rates above kernel.perf_event_max_sample_rate, which the kernel itself lowers if sampling takes
  // too long.
  [[nodiscard]] Status check(const SampleSpec& spec) override;
  [[nodiscard]] std::unique_ptr<core::ActiveSampling> open(const SampleSpec& spec,
                                                           const std::vector<pid_t>& workload) override;

 private:
  [[nodiscard]] Result<std::shared_ptr<const trace::TracedFunctions>> read_symbols() const;

  EventLoop& loop_;
  std::string proc_, sys_;
};

}  // namespace netperfd::sampling
