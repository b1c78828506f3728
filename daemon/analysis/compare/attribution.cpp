// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/attribution.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/figure_effect.hpp"
#include "daemon/analysis/compare/function_deltas.hpp"
#include "daemon/analysis/compare/function_order.hpp"
#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/analysis/compare/shift_estimate.hpp"
#include "daemon/analysis/compare/trace_quality.hpp"
#include "daemon/analysis/compare/traced_account.hpp"
#include "daemon/analysis/compare/tracer_cost.hpp"
#include "daemon/analysis/compare/witness.hpp"
#include "daemon/analysis/compare/work.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::analysis {
namespace {

// Share of the time in which a CPU must be busy to count as the limit. A CPU that is less busy is waiting for
// something else: another CPU, the wire, a window. The rest up to 1 allows for timers of 10 ms and for the
// start and end of a run.
constexpr double kBusyCpu = 0.85;

bool knows_work(const ComparedRun& run) {
  return work_of(run).has_value();
}

bool has_timed_functions(const ComparedRun& run) {
  return run.trace && run.trace->timed && !run.trace->functions.empty();
}

bool has_function_costs(const ComparedRun& run) {
  return has_timed_functions(run) && knows_work(run);
}

RunList chosen(const std::vector<ComparedRun>& runs, bool (*wanted)(const ComparedRun&)) {
  RunList list;
  for (const ComparedRun& run : runs) {
    if (wanted(run)) list.push_back(&run);
  }
  return list;
}

std::optional<double> median_tracer_share(const RunList& traced) {
  return median_of(values_of(traced, [](const ComparedRun& run) { return run.trace->tracer_share; }));
}

std::optional<double> median_rate(const RunList& runs) {
  return median_of(values_of(runs, [](const ComparedRun& run) { return run.received_bits_per_second; }));
}

// The busier of the CPU and the process. A task that moves between CPUs keeps none of them busy all the time.
// A task that is not busy itself proves nothing about the CPUs, which may be busy with packets.
std::optional<double> busiest(const ComparedRun& run) {
  if (!run.busiest_process || *run.busiest_process < kBusyCpu) return run.busiest_cpu;
  return std::max(*run.busiest_process, run.busiest_cpu.value_or(0));
}

std::optional<double> median_busiest(const RunList& runs) {
  return median_of(values_of(runs, busiest));
}

// Share of its plain throughput that a side keeps under tracing.
std::optional<double> kept_under_tracing(const RunList& plain, const RunList& traced) {
  const auto rate = median_rate(plain), rate_traced = median_rate(traced);
  if (!rate || !rate_traced || *rate <= 0) return std::nullopt;
  return *rate_traced / *rate;
}

std::optional<double> lesser(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// Gate 9: a sentence why no cost of a function is known. The side must have none.
std::string why_no_functions(const std::vector<ComparedRun>& runs, std::string_view side) {
  bool traced = false, untimed = false;
  for (const ComparedRun& run : runs) {
    if (!run.trace || run.trace->functions.empty()) continue;
    traced = true;
    untimed = untimed || !run.trace->timed;
  }
  if (untimed) {
    return fmt::format(
        "The traces of {} have no self times: the function tracer records no end of a call, and "
        "tracing_thresh no beginning.",
        side);
  }
  if (traced) return fmt::format("Of the traced runs of {} it is not known how many bytes arrived.", side);
  return fmt::format("No run of {} has a trace of functions.", side);
}

// Gate 11: a sentence if no CPU was the limit on either side; empty if one was, or if that is not known. The
// busy shares are medians of each side.
std::string not_cpu_bound(const std::optional<double>& busy_a, const std::optional<double>& busy_b,
                          Caveats& caveats) {
  if (!busy_a || !busy_b) {
    caveats.add(Gravity::weakens,
                "It is not known whether a CPU was the limit: what functions cost need not be what the "
                "throughput hangs on.");
    return {};
  }
  if (*busy_a < kBusyCpu && *busy_b < kBusyCpu) {
    return fmt::format(
        "Not CPU-bound: the busiest CPU was busy for {} % of the time in A and for {} % in B, "
        "so something else was the limit.",
        rows::whole_percent(100 * *busy_a), rows::whole_percent(100 * *busy_b));
  }
  if (*busy_a < kBusyCpu || *busy_b < kBusyCpu) {
    caveats.add(
        Gravity::weakens,
        fmt::format("{} was not CPU-bound (its busiest CPU was busy for {} % of the time): something "
                    "else was the limit there, and the throughput does not follow the cost.",
                    *busy_a < kBusyCpu ? "A" : "B", rows::whole_percent(100 * std::min(*busy_a, *busy_b))));
  }
  return {};
}

// One of both must be no change.
std::string no_cpu_change(const ShiftEstimate& plain, const ShiftEstimate& traced, WorkUnit work) {
  const bool of_plain = !is_change(plain);
  const ShiftEstimate& none = of_plain ? plain : traced;
  const std::string_view runs = of_plain ? "plain" : "traced";
  if (!none.low) {
    return fmt::format(
        "The {} runs are too few to tell whether their CPU time changed, so no share of the change is given "
        "to functions.",
        runs);
  }
  return fmt::format(
      "The CPU time of the whole {} runs may as well not have changed, {} ns a {}, so no share of it is "
      "given to functions.",
      runs, in_words(none), to_string(work));
}

// Gates 12 and 13: whether the change in CPU time can be shared out among functions. 12, plain and traced
// runs agree on it. 13, both show one. Otherwise a caveat tells why not, in any case if a function was
// `found` to have changed.
bool can_share_out(const ShiftEstimate& plain, const ShiftEstimate& traced, WorkUnit work, bool found,
                   Caveats& caveats) {
  if (agree(plain, traced) == false) {
    caveats.add(
        Gravity::weakens,
        fmt::format("Plain and traced runs disagree on the change in CPU time, {} and {} ns a {}: shares "
                    "of it are not given.",
                    in_words(plain), in_words(traced), to_string(work)));
    return false;
  }
  if (is_change(plain) && is_change(traced)) return true;
  if (found || (is_change(plain) && traced.low))
    caveats.add(Gravity::told, no_cpu_change(plain, traced, work));
  return false;
}

constexpr double kRepresentative = 0.7;

void note_representative(const Attribution& attribution, Caveats& caveats) {
  if (!attribution.traced_to_plain || *attribution.traced_to_plain >= kRepresentative) return;
  caveats.add(
      Gravity::weakens,
      fmt::format("The traced runs are not representative: they reach {:.0f} % of the plain throughput.",
                  100 * *attribution.traced_to_plain));
}

// Why the CPU time of the traced runs has no account: that of a side is not known, or not what the tracer
// took of it.
std::string why_no_account(const RunList& traced_a, const RunList& traced_b) {
  const auto knows_busy = [](const ComparedRun* run) { return run->busy_ns.has_value(); };
  for (const auto& [side, runs] : {std::pair{"A", &traced_a}, std::pair{"B", &traced_b}}) {
    if (std::ranges::none_of(*runs, knows_busy)) {
      return fmt::format(
          "No traced run of {} knows its CPU time, so no share of the change is given to functions.", side);
    }
  }
  const auto is_calibrated = [](const ComparedRun* run) { return run->trace && run->trace->cost; };
  if (std::ranges::all_of(traced_a, is_calibrated) && std::ranges::all_of(traced_b, is_calibrated)) {
    return "No sample has the CPU time of traced runs of both sides, so no share of the change is given to "
           "functions.";
  }
  return "Some traced runs are not calibrated: what the tracer took of their CPU time is not known, so no "
         "share of the change is given to functions.";
}

// Functions beyond the first ones, of which a page shows half as many, have a share without an interval: each
// takes hundreds of estimates.
constexpr std::size_t kSharesWithInterval = 16;

// `costs`: of each of the first functions. If a function is shown, and no share is given, a caveat says why.
void share_out(Attribution& attribution, const std::vector<std::vector<SideValues>>& costs,
               const RunList& traced_a, const RunList& traced_b, const ComparisonSettings& settings,
               Caveats& caveats) {
  if (!attribution.whole_ns_per_byte) return;  // attribute() tells so
  const bool found = std::ranges::any_of(
      attribution.functions, [](const FunctionDelta& function) { return function.shown_by.has_value(); });
  if (!attribution.account) {
    if (found) caveats.add(Gravity::told, why_no_account(traced_a, traced_b));
    return;
  }
  const ShiftEstimate& plain = *attribution.whole_ns_per_byte;
  const ShiftEstimate& traced = attribution.account->time;
  if (!can_share_out(plain, traced, settings.work, found, caveats)) return;
  const auto shares = ChangeShares::of(traced_a, traced_b, *attribution.account, settings.level);
  if (!shares) return;  // cannot be: there is an account, and its change in CPU time leaves out 0
  const ExplainedShare explained = shares->explained();
  attribution.explained = explained.share;
  attribution.explained_low = explained.low;
  attribution.explained_high = explained.high;
  for (std::size_t i = 0; i < attribution.functions.size(); ++i) {
    FunctionDelta& function = attribution.functions[i];
    if (!function.cost.shift) continue;
    function.share = *function.cost.shift / *traced.shift;
    if (i >= std::min(costs.size(), kSharesWithInterval) || !function.cost.low) continue;
    const ExplainedShare share = shares->of_function(costs[i], *function.cost.shift);
    function.share_low = share.low;
    function.share_high = share.high;
  }
}

std::optional<ShiftEstimate> total_cost(const RunList& plain_a, const RunList& plain_b, double level) {
  const RunValues a = values_of(plain_a, whole_cost), b = values_of(plain_b, whole_cost);
  if (!median_of(a) || !median_of(b)) return std::nullopt;
  return estimate_shift(Grouping(plain_a, plain_b), a, b, level);
}

}  // namespace

Attribution attribute(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                      const ComparisonSettings& settings, Caveats& caveats) {
  Attribution attribution;
  const RunList plain_a = chosen(a, is_plain), plain_b = chosen(b, is_plain);
  const RunList traced_a = chosen(a, has_function_costs), traced_b = chosen(b, has_function_costs);
  attribution.whole_ns_per_byte = total_cost(plain_a, plain_b, settings.level);
  if (traced_a.empty() || traced_b.empty()) {
    attribution.not_attributed = traced_a.empty() ? why_no_functions(a, "A") : why_no_functions(b, "B");
    // A call has a duration even if the work is unknown.
    const RunList timed_a = chosen(a, has_timed_functions), timed_b = chosen(b, has_timed_functions);
    if (!timed_a.empty() && !timed_b.empty()) {
      attribution.functions = function_times(timed_a, timed_b, caveats);
      note_traces(timed_a, timed_b, caveats);
      note_unequal_costs(timed_a, timed_b, settings.level, caveats);
    }
    add_witness(plain_a, plain_b, settings, attribution, caveats);
    order_functions(attribution.functions);
    return attribution;
  }
  attribution.traced_to_plain =
      lesser(kept_under_tracing(plain_a, traced_a), kept_under_tracing(plain_b, traced_b));
  attribution.tracer_share_a = median_tracer_share(traced_a);
  attribution.tracer_share_b = median_tracer_share(traced_b);
  FunctionDeltas deltas = function_deltas(traced_a, traced_b, settings, caveats);
  attribution.functions = std::move(deltas.functions);
  attribution.tested = deltas.tested;
  attribution.few_calls = deltas.few_calls;
  note_traces(traced_a, traced_b, caveats);
  note_unequal_costs(traced_a, traced_b, settings.level, caveats);
  note_representative(attribution, caveats);
  if (!attribution.whole_ns_per_byte) {
    caveats.add(
        Gravity::weakens,
        fmt::format("No plain runs of both sides tell how much CPU time they took a {}: how much of it the "
                    "functions explain is not known.",
                    to_string(settings.work)));
  }
  attribution.not_attributed = refusal_of_traces(traced_a, traced_b);
  if (attribution.not_attributed.empty())
    attribution.not_attributed = not_cpu_bound(median_busiest(plain_a), median_busiest(plain_b), caveats);
  add_witness(plain_a, plain_b, settings, attribution, caveats);
  if (attribution.not_attributed.empty())
    attribution.not_attributed = disagreement(attribution, settings.work);
  attribution.account = traced_account(traced_a, traced_b, settings.level);
  if (attribution.not_attributed.empty())
    share_out(attribution, deltas.costs, traced_a, traced_b, settings, caveats);
  if (attribution.explained && !attribution.samples) {
    caveats.add(Gravity::weakens,
                "Nothing untraced confirms what the functions cost: the plain runs of both sides have no "
                "samples, and tracing can change what it measures.");
  }
  order_functions(attribution.functions);
  return attribution;
}

}  // namespace netperfd::analysis
