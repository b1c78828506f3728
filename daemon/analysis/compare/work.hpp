// SPDX-License-Identifier: GPL-2.0-or-later
// What the costs of compared runs are divided by: bytes, packets or transactions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/model/work_unit.hpp"

namespace netperfd::analysis {

// Of the whole run, as its CPU time is. Absent: not known, or none.
[[nodiscard]] std::optional<double> work_in(const ComparedRun& run, WorkUnit unit);

// The figure of the CPU time for it; empty for seconds, which no figure has.
[[nodiscard]] std::string_view cpu_figure_of(WorkUnit unit);

// What the figures that are judged speak of, if runs of both sides know it: `cpu.packet`, an own figure in
// transactions/s, a counter of packets. Otherwise bytes if some run knows them, then transactions, packets.
// Sets ComparedRun::work of all runs to it.
WorkUnit choose_work(std::vector<ComparedRun>& a, std::vector<ComparedRun>& b,
                     const std::vector<ComparedFigure>& figures);

// The work that ComparedRun::work says, or that of bytes.
[[nodiscard]] std::optional<double> work_of(const ComparedRun& run);

// The rate in bits per second that all plain runs of both sides were asked for and reached, and whose data
// arrived but for `threshold`, as a share. Absent: there is none.
[[nodiscard]] std::optional<double> offered_rate(const std::vector<ComparedRun>& a,
                                                 const std::vector<ComparedRun>& b, double threshold);

}  // namespace netperfd::analysis
