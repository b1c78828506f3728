// SPDX-License-Identifier: GPL-2.0-or-later
// The account of the CPU time of the traced runs: what all CPUs were busy for is the traced functions, the
// tracer and the rest (untraced code, user space). Function costs and CPU time come from the same runs, so
// the account can fail: if the change is in code that is not traced, it shows in the rest and not in the
// functions.
//
// The tracer takes the calibrated cost of a call for every traced call. Busy time is the kernel's: where it
// is counted in timer ticks, its error is in the spread of the runs and so in every interval here.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/analysis/compare/tracer_cost.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

// Absent if a run is not calibrated, or a side has none whose busy time is known.
[[nodiscard]] std::optional<TracedAccount> traced_account(const RunList& traced_a, const RunList& traced_b,
                                                          double level);

struct ExplainedShare {
  double share = 0;
  std::optional<double> low, high;  // absent if the interval has no such end
};

// Shares of the change in busy time less the tracer's. The interval of a share contains all r for which the
// interval of (part - r * time) contains 0, run by run: both come from the same runs, so their errors are not
// independent.
class ChangeShares {
 public:
  // Absent if the interval of the change contains 0, since any share would fit, and without calibrations.
  [[nodiscard]] static std::optional<ChangeShares> of(const RunList& traced_a, const RunList& traced_b,
                                                      const TracedAccount& account, double level);
  ChangeShares(ChangeShares&& other) noexcept;
  ChangeShares& operator=(ChangeShares&& other) noexcept;
  ~ChangeShares();

  // That all traced functions explain.
  [[nodiscard]] ExplainedShare explained() const;
  // Of one whose costs in all runs are `costs`, with each of costs_within_error(), and change by `shift`.
  [[nodiscard]] ExplainedShare of_function(const std::vector<SideValues>& costs, double shift) const;

 private:
  class Parts;
  explicit ChangeShares(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

// Whether two independent estimates can be of one shift: the interval of their difference contains 0 (method
// of variance estimates recovery: Zou and Donner, Statist. Med. 27, 2008). Absent without intervals.
[[nodiscard]] std::optional<bool> agree(const ShiftEstimate& x, const ShiftEstimate& y);

}  // namespace netperfd::analysis
