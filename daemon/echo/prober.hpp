// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "daemon/base/fd.hpp"
#include "daemon/echo/options.hpp"

namespace netperfd::echo {

// Probes until `stop` becomes readable or the duration is over, and prints lines to stdout. Each signal of
// `phases` begins a phase. `begin`: when the program started.
[[nodiscard]] Status probe(const ProbeOptions& options, const Fd& stop, const Fd& phases, Ns begin);

}  // namespace netperfd::echo
