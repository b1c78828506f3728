// SPDX-License-Identifier: GPL-2.0-or-later
// Daemon's call about the samples of a run.
#include <cstdint>
#include <string>

#include "client/bus/daemon.hpp"
#include "client/bus/daemon_bus.hpp"

namespace netperfctl {

Outcome<SampledDetails> Daemon::samples(std::uint64_t run, bool functions, bool stacks) {
  return call([&] {
    const auto [profile, builds] = bus_->GetSampleProfile(run);
    SampledDetails details;
    details.profile = from_row<SampleProfileView>(profile);
    details.builds = from_rows<BuildView>(builds);
    if (functions) {
      details.functions = all_pages<SampledFunctionView>(
          [&](const std::string& cursor) { return bus_->ListSampledFunctions(run, cursor, 0); });
    }
    if (stacks) {
      details.stacks = all_pages<SampledStackView>(
          [&](const std::string& cursor) { return bus_->ListSampledStacks(run, cursor, 0); });
    }
    return details;
  });
}

}  // namespace netperfctl
