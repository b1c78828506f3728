// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/workload/iperf3/features.hpp"
#include "daemon/workload/program_settings.hpp"

namespace netperfd::workload {

// Asks the installed iperf3 for its --version and --help, as the unprivileged user it will run as. Runs the
// loop until both have answered or a few seconds have passed, so call it while the daemon starts, not from
// callbacks. not_found: there is no such program; unsupported: it is not iperf3; io: it could not be run.
[[nodiscard]] Result<Iperf3Features> probe_iperf3(EventLoop& loop, const ProgramSettings& settings);

}  // namespace netperfd::workload
