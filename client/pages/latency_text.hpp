// SPDX-License-Identifier: GPL-2.0-or-later
// The latency of a run on its page.
#pragma once

#include <string>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

// "p50 0.52 ms, p99 12.1 ms under load": of the first probe, for lists and first lines; empty if it is not
// known.
[[nodiscard]] std::string latency_words(const RunView& run);

// The round trips by probe and phase, and over time; empty without probes.
[[nodiscard]] std::string latency_part(const Screen& screen, const ShowView& view);
// All spans, and all intervals: what --latency lists.
[[nodiscard]] std::string latency_lists(const Screen& screen, const ShowView& view);

}  // namespace netperfctl::show
