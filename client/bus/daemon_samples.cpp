// SPDX-License-Identifier: GPL-2.0-or-later
// Daemon's call about the samples of a run.
#include <cstdint>
#include <string>
#include <tuple>

#include "client/bus/daemon.hpp"
#include "client/bus/daemon_bus.hpp"

namespace netperfctl {

Outcome<SampledDetails> Daemon::samples(std::uint64_t run, bool functions, bool stacks) {
  return call([&] {
    SampledDetails details;
    std::tie(details.profile, details.builds) =
        bus_->ask<RowOf<SampleProfileView>, RowsOf<BuildView>>("GetSampleProfile", run);
    if (functions) {
      details.functions = bus_->list<SampledFunctionView>("ListSampledFunctions", run);
    }
    if (stacks) {
      details.stacks = bus_->list<SampledStackView>("ListSampledStacks", run);
    }
    return details;
  });
}

}  // namespace netperfctl
