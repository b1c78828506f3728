// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of one run, as far as a page of it needs it.
#pragma once

#include <cstdint>

#include "client/bus/daemon.hpp"
#include "client/terminal/terminal.hpp"

namespace netperfctl {

struct RunParts {
  bool intervals = false, streams = false, environment = false, counters = false, tcp = false, queues = false,
       samples = false, latency = false, figures = false;
  TraceLists trace;
  FunctionLists functions;
  bool with_page = false;

  [[nodiscard]] bool lists_anything() const {
    return intervals || streams || environment || counters || tcp || queues || samples || latency ||
           figures || trace.any() || functions.functions || functions.tree || functions.callers;
  }
};

// 0 is the newest run that has ended.
[[nodiscard]] Outcome<ShowView> fetch_run(Daemon& daemon, std::uint64_t run, const RunParts& parts,
                                          Format format);

}  // namespace netperfctl
