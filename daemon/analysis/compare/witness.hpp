// SPDX-License-Identifier: GPL-2.0-or-later
// The samples of the plain runs as a witness of what the traces say. Tracing slows what it measures; samples
// hardly do, and they see functions that no trace names.
//
// The unit of work is a byte of goodput (sampled_shift.hpp).
//
// Functions with 1 % of the busy samples of both sides together are tested together (family_test.hpp). The
// traced and the sampled shift of a function come from different runs. The interval of their difference is
// that of independent estimates (traced_account.hpp, agree()), with the half-widths of a level of
// 1 - (1 - level) / k if k functions are judged (Bonferroni). Shifts that differ by up to a tenth of the
// larger one count as the same: samples by a timer miss by so much where interrupts are off.
//
// What the trace shows can be less than the samples find with 80 % power (SampledShift::detectable). Then it
// says nothing that they do not show it.
#pragma once

#include "daemon/analysis/compare/caveats.hpp"
#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/grouping.hpp"

namespace netperfd::analysis {

// Fills Attribution::samples and the sampled figures of its functions, and adds behind them the functions
// that only the samples know, in no order. All runs must be plain.
void add_witness(const RunList& plain_a, const RunList& plain_b, const ComparisonSettings& settings,
                 Attribution& attribution, Caveats& caveats);

// Gate 15: a sentence if traces and samples disagree on a function that matters; otherwise empty. It does
// unless the least that both can differ by is a tenth of the change in CPU time or less.
[[nodiscard]] std::string disagreement(const Attribution& attribution, WorkUnit work);

}  // namespace netperfd::analysis
