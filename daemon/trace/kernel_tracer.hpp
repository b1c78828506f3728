// SPDX-License-Identifier: GPL-2.0-or-later
// The Tracer port, implemented with the kernel's tracefs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/tracer.hpp"
#include "daemon/trace/calibration.hpp"
#include "daemon/trace/catalogue/catalogue.hpp"
#include "daemon/trace/tracefs/session.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

class KernelTracer final : public core::Tracer {
 public:
  // All must outlive this object and the results of prepare().
  KernelTracer(core::Clock& clock, Tracefs& tracefs, KernelCatalogue& catalogue, SessionSettings settings)
      : clock_(clock),
        tracefs_(tracefs),
        catalogue_(catalogue),
        settings_(std::move(settings)),
        calibrator_(tracefs, settings_) {}

  [[nodiscard]] Status check(const TraceSpec& spec) override;
  [[nodiscard]] Result<std::vector<std::string>> functions(const TraceSpec& spec) override;
  [[nodiscard]] Result<std::unique_ptr<core::ActiveTrace>> prepare(const TraceSpec& spec,
                                                                   core::TraceListener& listener) override;

 private:
  core::Clock& clock_;
  Tracefs& tracefs_;
  KernelCatalogue& catalogue_;
  SessionSettings settings_;
  Calibrator calibrator_;
};

}  // namespace netperfd::trace
