// SPDX-License-Identifier: GPL-2.0-or-later
// The part of a run's page about its trace (show_text.cpp assembles the page).
#pragma once

#include <string>
#include <vector>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

// "1,221 events, 0 lost", "not traced": a summary of the run's trace; empty if it has none.
[[nodiscard]] std::string trace_words(const RunView& run, const std::vector<FlagView>& flags);

// Whether the trace says where records were lost, and not how many: the numbers are the least that they can
// be. The flags are those of the run.
[[nodiscard]] bool has_uncounted(const std::vector<FlagView>& flags);
[[nodiscard]] bool is_uncounted(const TraceCpuView& cpu, const std::vector<FlagView>& flags);

// Totals, losses, the time axis, drops and stacks: the most frequent, or all if the caller requested them.
// Empty if the run has no trace.
[[nodiscard]] std::string trace_part(const Screen& screen, const ShowView& view);

// Of trace_part() and its functions only what the caller requested in full.
[[nodiscard]] std::string requested_parts(const Screen& screen, const ShowView& view);

// The drops as a table and the stacks a frame a line or, in short, a stack a line.
[[nodiscard]] std::string drops_table(const Screen& screen, const ShowView& view);
[[nodiscard]] std::string stacks_list(const Screen& screen, const ShowView& view);

// Further parts that the caller requested: whole events, marks, CPUs, counts over time.
[[nodiscard]] std::string trace_tables(const Screen& screen, const ShowView& view);

}  // namespace netperfctl::show
