// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/witness_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_tables.hpp"
#include "client/pages/found_rows.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::comparing {
namespace {

constexpr std::size_t kSampledMost = 8;  // on the page

bool is_not_traced(const FunctionDeltaView& row) {
  return row.not_traced.value_or(false);
}

bool is_sampled(const FunctionDeltaView& row) {
  return row.sampled_shift.has_value();
}

// Those that the daemon left out are of this kind.
std::uint64_t sampled_functions(const CompareView& view) {
  const auto listed = std::ranges::count_if(view.details.functions, is_sampled);
  return static_cast<std::uint64_t>(listed) + view.details.comparison.functions_left_out.value_or(0);
}

// Without p, what differs most is shown.
bool has_to_be_shown(const FunctionDeltaView& row, bool tested) {
  if (row.witness || netperfd::rows::is_found(sampled_finding(row))) return true;
  return is_not_traced(row) && !tested;
}

double most_of(const FunctionDeltaView& row) {
  return std::max(row.sampled_a.value_or(0), row.sampled_b.value_or(0));
}

bool some_tested(const FunctionRows& rows) {
  return std::ranges::any_of(rows,
                             [](const FunctionDeltaView& row) { return row.sampled_p_adjusted.has_value(); });
}

// What differs, and then what takes most.
void choose_for_page(FunctionRows& rows, bool tested) {
  const auto rest = std::ranges::stable_partition(
      rows, [tested](const FunctionDeltaView& row) { return has_to_be_shown(row, tested); });
  std::ranges::stable_sort(rest, std::greater{}, most_of);
  rows.resize(std::min(kSampledMost, rows.size()));
}

// The samples show nothing, and of what the trace shows they could not show more.
bool is_too_small(const FunctionDeltaView& row) {
  return (row.witness == "compatible" || row.witness == "unseen") && row.shift && row.sampled_detectable &&
         std::abs(*row.shift) < *row.sampled_detectable && !netperfd::rows::is_found(sampled_finding(row));
}

// "is below what 24 runs of samples can tell, 1.30"
std::string too_small_words(const ComparisonView& head, const FunctionDeltaView& row) {
  const std::uint64_t runs = std::uint64_t{head.sampled_runs_a.value_or(0)} + head.sampled_runs_b.value_or(0);
  return fmt::format("is below what {} of samples can tell, {}", plural(runs, "run"),
                     format_cost(*row.sampled_detectable));
}

// Where the samples were taken, if the name alone does not tell, and what they cannot tell.
std::string place_words(const ComparisonView& head, const FunctionDeltaView& row) {
  std::string note;
  const auto add = [&note](const std::string& words) { note += (note.empty() ? "" : "; ") + words; };
  if (row.match == "only A" || row.match == "only B") add("met " + *row.match);
  if (row.function_b) add("in B " + *row.function_b);
  if (row.below) add("called below " + *row.below);
  if (row.after_interrupts_off.value_or(false)) add("or in code before it with interrupts off");
  if (is_too_small(row))
    add(fmt::format("{} in the trace {}", signed_figure(*row.shift), too_small_words(head, row)));
  return note;
}

Grid sampled_rows_grid(const ComparisonView& head, std::string heading, const FunctionRows& rows) {
  std::vector<Cells> cells;
  std::vector<Cell> notes;
  for (const FunctionDeltaView& row : rows) {
    cells.push_back({{is_not_traced(row) ? function_name(row) : row.function},
                     {or_dash(row.sampled_share_a, format_share)},
                     {or_dash(row.sampled_share_b, format_share)},
                     {or_dash(row.sampled_a, format_cost)},
                     {or_dash(row.sampled_b, format_cost)},
                     {or_dash(row.sampled_shift, signed_figure)},
                     {interval_text(row.sampled_low, row.sampled_high)},
                     {or_dash(row.sampled_p_adjusted, probability_text)},
                     {trace_words(row)}});
    notes.push_back({place_words(head, row), Style::faint});
  }
  return {std::move(heading),
          {{.title = "FUNCTION", .shrink_to = 16},
           {.title = "CPU A", .right = true, .optional = true, .yields = 1},
           {.title = "CPU B", .right = true, .optional = true, .yields = 1},
           {.title = "A", .right = true},
           {.title = "B", .right = true},
           {.title = "B - A", .right = true},
           {.title = "INTERVAL", .right = true, .optional = true},
           {.title = "p adj.", .right = true, .optional = true, .leaves = 1},
           {.title = "TRACE"}},
          std::move(cells),
          std::move(notes),
          "WHERE",
          parting_of(rows, rows.size(), sampled_finding)};
}

}  // namespace

std::vector<FunctionDeltaView> traced_functions(const CompareView& view) {
  FunctionRows traced;
  std::ranges::remove_copy_if(view.details.functions, std::back_inserter(traced), is_not_traced);
  order_rows(traced, traced_finding);
  return traced;
}

std::vector<FunctionDeltaView> shown_samples(const CompareView& view) {
  FunctionRows rows;
  std::ranges::copy_if(view.details.functions, std::back_inserter(rows), is_sampled);
  order_rows(rows, sampled_finding);
  if (view.all) return rows;
  choose_for_page(rows, some_tested(rows));
  order_rows(rows, sampled_finding);
  return rows;
}

std::string trace_words(const FunctionDeltaView& row) {
  if (is_not_traced(row)) return "not traced";
  if (!row.witness) return "-";
  if (is_too_small(row)) return "too small to tell";
  if (*row.witness == "compatible") return "compatible, not shown";
  if (*row.witness == "unseen") return "not seen";
  return *row.witness == "unclear" ? "too few to tell" : *row.witness;
}

std::string witness_words(const CompareView& view) {
  const auto& witness = view.details.comparison.witness;
  if (!witness || *witness == "unclear") return {};
  const auto row = std::ranges::find(view.details.functions, witness, &FunctionDeltaView::witness);
  const bool is_known = row != view.details.functions.end();
  if (*witness != "agrees" && *witness != "disagrees") {
    if (!is_known || !is_too_small(*row))
      return "samples of the plain runs do not show by themselves what the trace says";
    const ComparisonView& head = view.details.comparison;
    return fmt::format("{} ns a {} of {} {}", format_cost(std::abs(*row->shift)), work_word(head),
                       row->function, too_small_words(head, *row));
  }
  if (!is_known) return {};
  if (*witness == "disagrees")
    return fmt::format("samples of the plain runs disagree with the trace on {}", row->function);
  return fmt::format("samples of the plain runs agree with the trace on {}", row->function);
}

Grid sampled_grid(const CompareView& view) {
  const FunctionRows rows = shown_samples(view);
  if (rows.empty()) return {};
  const bool tested = some_tested(view.details.functions);
  const bool none_differs = std::ranges::none_of(
      rows, [tested](const FunctionDeltaView& row) { return has_to_be_shown(row, tested); });
  std::string heading = fmt::format("where, by samples of the plain runs: share of CPU, and ns per {}",
                                    work_words(view.details.comparison));
  if (none_differs)
    heading += fmt::format("; none of {} differs beyond chance", plural(sampled_functions(view), "function"));
  return sampled_rows_grid(view.details.comparison, std::move(heading), rows);
}

std::string more_sampled(const CompareView& view, std::size_t shown) {
  return more_text(shown, sampled_functions(view), "functions");
}

std::string sampled_table(const Screen& screen, const CompareView& view) {
  Grid grid = sampled_grid(view);
  if (grid.heading.empty()) return {};
  const std::string end = more_sampled(view, grid.rows.size());
  return grid_text(screen, std::move(grid), end);
}

}  // namespace netperfctl::comparing
