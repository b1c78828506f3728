// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/traced_account.hpp"

#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/tracer_cost.hpp"
#include "daemon/analysis/compare/work.hpp"

namespace netperfd::analysis {
namespace {

// Of one run, in ns per unit of work.
struct Costs {
  double busy = 0, functions = 0, tracer = 0;
};

std::optional<Costs> costs_of(const ComparedRun& run, const TracerCost& cost) {
  const ComparedTrace& trace = *run.trace;
  const auto work = work_of(run);
  if (!run.busy_ns || !work) return std::nullopt;
  double functions = 0;
  for (const ComparedFunction& function : trace.functions) {
    functions += self_ns(function, cost);
  }
  return Costs{.busy = static_cast<double>(*run.busy_ns) / *work,
               .functions = functions / *work,
               .tracer = static_cast<double>(trace.calls) * (cost.entry_ns + cost.callee_ns) / *work};
}

// The costs of all runs of both sides, to estimate the shift of any figure made of them.
class TracedCosts {
 public:
  TracedCosts(const RunList& a, const RunList& b, const TracerCosts& costs, double level)
      : grouping_(a, b), level_(level) {
    for (const auto& each : costs_within_error(costs)) {
      sides_.emplace_back(costs_of_side(a, *each.a), costs_of_side(b, *each.b));
    }
  }

  template <class Figure>
  [[nodiscard]] ShiftEstimate shift(Figure figure) const {
    return corrected_shift(grouping_, values(figure), level_).estimate;
  }

  // The figure of all runs, with each of costs_within_error().
  template <class Figure>
  [[nodiscard]] std::vector<SideValues> values(Figure figure) const {
    const auto of_side = [&figure](const SideCosts& side) {
      RunValues values;
      for (const auto& costs : side) values.push_back(costs ? std::optional(figure(*costs)) : std::nullopt);
      return values;
    };
    std::vector<SideValues> figures;
    for (const auto& [a, b] : sides_) figures.push_back({of_side(a), of_side(b)});
    return figures;
  }

 private:
  using SideCosts = std::vector<std::optional<Costs>>;

  static SideCosts costs_of_side(const RunList& runs, const TracerCost& cost) {
    SideCosts side;
    for (const ComparedRun* run : runs) side.push_back(costs_of(*run, cost));
    return side;
  }

  Grouping grouping_;
  double level_;
  std::vector<std::pair<SideCosts, SideCosts>> sides_;  // with each of costs_within_error()
};

bool contains_zero(const ShiftEstimate& estimate) {
  return estimate.low && *estimate.low <= 0 && *estimate.high >= 0;
}

}  // namespace

std::optional<TracedAccount> traced_account(const RunList& traced_a, const RunList& traced_b, double level) {
  const TracerCosts cost = tracer_costs(traced_a, traced_b);
  if (!cost.a) return std::nullopt;
  const TracedCosts costs(traced_a, traced_b, cost, level);
  TracedAccount account;
  account.time = costs.shift([](const Costs& run) { return run.busy - run.tracer; });
  if (!account.time.shift) return std::nullopt;
  account.functions = costs.shift([](const Costs& run) { return run.functions; });
  account.tracer = costs.shift([](const Costs& run) { return run.tracer; });
  account.rest = costs.shift([](const Costs& run) { return run.busy - run.tracer - run.functions; });
  return account;
}

class ChangeShares::Parts {
 public:
  Parts(const RunList& a, const RunList& b, const TracerCosts& cost, const TracedAccount& account,
        double level)
      : grouping_(a, b), level_(level), costs_(a, b, cost, level), account_(account) {
    times_ = costs_.values([](const Costs& run) { return run.busy - run.tracer; });
    functions_ = costs_.values([](const Costs& run) { return run.functions; });
  }

  [[nodiscard]] const std::vector<SideValues>& functions() const { return functions_; }
  [[nodiscard]] const TracedAccount& account() const { return account_; }

  [[nodiscard]] ExplainedShare share_of(const std::vector<SideValues>& part, double shift) const {
    ExplainedShare share{.share = shift / *account_.time.shift, .low = {}, .high = {}};
    const auto fits = [&](double tried) { return contains_zero(rest_without(part, tried)); };
    share.low = end_of(share.share, -1, fits);
    share.high = end_of(share.share, 1, fits);
    return share;
  }

 private:
  // Of part - share * time.
  [[nodiscard]] ShiftEstimate rest_without(const std::vector<SideValues>& part, double share) const {
    const auto less = [share](RunValues values, const RunValues& times) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = values[i] && times[i] ? std::optional(*values[i] - share * *times[i]) : std::nullopt;
      }
      return values;
    };
    std::vector<SideValues> rest;
    for (std::size_t i = 0; i < part.size(); ++i)
      rest.push_back({less(part[i].a, times_[i].a), less(part[i].b, times_[i].b)});
    return corrected_shift(grouping_, rest, level_).estimate;
  }

  // The farthest share in this direction that fits; absent if there is no such end.
  template <class Fits>
  static std::optional<double> end_of(double share, double direction, Fits fits) {
    constexpr double kFarthest = 1e3;
    double inside = share, step = direction / 16;
    while (std::abs(step) < kFarthest && fits(inside + step)) {
      inside += step;
      step *= 2;
    }
    if (std::abs(step) >= kFarthest) return std::nullopt;
    double outside = inside + step;
    constexpr int kHalvings = 14;  // a ten-thousandth of the last step
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = std::midpoint(inside, outside);
      (fits(middle) ? inside : outside) = middle;
    }
    return outside;
  }

  Grouping grouping_;
  double level_;
  TracedCosts costs_;
  TracedAccount account_;
  std::vector<SideValues> times_, functions_;  // with each of costs_within_error()
};

ChangeShares::ChangeShares(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ChangeShares::ChangeShares(ChangeShares&& other) noexcept = default;
ChangeShares& ChangeShares::operator=(ChangeShares&& other) noexcept = default;
ChangeShares::~ChangeShares() = default;

std::optional<ChangeShares> ChangeShares::of(const RunList& traced_a, const RunList& traced_b,
                                             const TracedAccount& account, double level) {
  const TracerCosts cost = tracer_costs(traced_a, traced_b);
  if (!cost.a || !account.time.low || contains_zero(account.time)) return std::nullopt;
  return ChangeShares{std::make_unique<Parts>(traced_a, traced_b, cost, account, level)};
}

ExplainedShare ChangeShares::explained() const {
  return parts_->share_of(parts_->functions(), *parts_->account().functions.shift);
}

ExplainedShare ChangeShares::of_function(const std::vector<SideValues>& costs, double shift) const {
  return parts_->share_of(costs, shift);
}

std::optional<bool> agree(const ShiftEstimate& x, const ShiftEstimate& y) {
  if (!x.shift || !x.low || !y.shift || !y.low) return std::nullopt;
  const double difference = *x.shift - *y.shift;
  const double below = std::hypot(*x.shift - *x.low, *y.high - *y.shift);
  const double above = std::hypot(*x.high - *x.shift, *y.shift - *y.low);
  return difference - below <= 0 && 0 <= difference + above;
}

}  // namespace netperfd::analysis
