// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/comparison_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "client/pages/comparison_answer.hpp"
#include "client/pages/found_rows.hpp"
#include "client/pages/function_cause.hpp"
#include "client/pages/witness_text.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfctl::comparing {
namespace {

using netperfd::rows::plain_number;

constexpr std::size_t kFunctions = 8;  // on the page
constexpr std::size_t kCounters = 6;

bool too_few(const CompareView& view) {
  // Of several figures, too few for the interval of one can be enough for functions.
  const ComparisonView& head = view.details.comparison;
  return head.verdict == "too few" && (!head.figures || head.figures->size() < 2);
}

bool of_one_side(const FunctionDeltaView& row) {
  return row.match == "only A" || row.match == "only B";
}

// Behind the name of one of several that have the same.
std::string ordinal(const FunctionDeltaView& row) {
  return row.duplicate.value_or(0) > 0 ? fmt::format(" #{}", *row.duplicate) : "";
}

bool of_one_module(const std::vector<FunctionDeltaView>& functions) {
  return std::ranges::all_of(functions, [&](const FunctionDeltaView& row) {
    return row.module.value_or("") == functions.front().module.value_or("");
  });
}

std::string heading(const CompareView& view, const std::vector<FunctionDeltaView>& functions) {
  const ComparisonView& head = view.details.comparison;
  const std::string cost = "in ns of CPU per " + work_words(head);
  std::string text = (head.sampled_runs_a ? "traced functions, " : "where, ") + cost;
  if (head.not_attributed) text = "what the functions cost all the same, " + cost;
  const bool without_bytes = std::ranges::none_of(functions, [](const FunctionDeltaView& row) {
    return row.shift.has_value() || row.cost_a.has_value() || row.cost_b.has_value();
  });
  if (without_bytes) text = "what a call of each function took itself, for want of work to divide by";
  if (too_few(view)) text += "; what differs, be it by chance";
  return text;
}

// Of a GB there are many, of a packet there may be 2.01.
std::string of_work(double count) {
  constexpr double kMany = 100;
  return count < kMany ? plain_number(count, 3) : format_short(count);
}

std::string signed_of_work(double count) {
  return (count < 0 ? "-" : "+") + of_work(std::abs(count));
}

bool moved(const CounterChangeView& row) {
  return row.q && *row.q <= kMoved && row.shift.value_or(0) != 0;
}

double relative(const CounterChangeView& row) {
  const double a = row.per_gigabyte_a.value_or(0);
  const double b = row.per_gigabyte_b.value_or(0);
  const double larger = std::max(std::abs(a), std::abs(b));
  return larger > 0 ? std::abs(b - a) / larger : 0;
}

// Those to be shown, the surest first; where nothing could be tested those that differ most.
std::vector<CounterChangeView> shown_counters(const CompareView& view) {
  std::vector<CounterChangeView> rows = view.details.counters;
  if (too_few(view)) {
    std::erase_if(rows, [](const CounterChangeView& row) { return relative(row) < 0.1; });
    std::ranges::stable_sort(rows, std::greater{}, relative);
  } else if (!view.all) {
    std::erase_if(rows, [](const CounterChangeView& row) { return !moved(row); });
  }
  if (!view.all) rows.resize(std::min(kCounters, rows.size()));
  return rows;
}

std::string percent_of(double share) {
  return netperfd::rows::whole_percent(share * 100);
}

std::string share_text(double share) {
  return percent_of(share) + " %";
}

// "share 25 to 163 %", below its row, which has no room for it. An end that does not exist is "?".
std::string share_interval(const FunctionDeltaView& row) {
  if (!row.share_low && !row.share_high) return {};
  return fmt::format("share {} to {} %", row.share_low ? percent_of(*row.share_low) : "?",
                     row.share_high ? percent_of(*row.share_high) : "?");
}

}  // namespace

std::string signed_percent(double ratio) {
  const double percent = (ratio - 1) * 100;
  const double size = std::abs(percent);
  if (size < 0.005) return "0.00 %";
  // What is left of it counts: -99.64 % is not -99.36 %.
  if (ratio > 0 && ratio < 0.05)
    return fmt::format("{:+.{}f} %", percent,
                       std::min(1 - static_cast<int>(std::floor(std::log10(ratio * 100))), 6));
  return fmt::format("{:+.{}f} %", percent, size < 0.995 ? 2 : size < 9.95 ? 1 : 0);
}

std::string signed_figure(double value) {
  const double size = std::abs(value);
  if (size > 0 && size < 0.005) return (value < 0 ? "-" : "+") + plain_number(size, 1);
  return fmt::format("{}{}", value < 0 ? "-" : "+", format_hundredths(size));
}

std::string probability_text(double probability) {
  return format_probability(probability);
}

std::string interval_text(const std::optional<double>& low, const std::optional<double>& high) {
  return low && high ? fmt::format("{} to {}", signed_figure(*low), signed_figure(*high)) : "-";
}

std::string function_name(const FunctionDeltaView& row) {
  return row.module.value_or("").empty() ? row.function : fmt::format("{} [{}]", row.function, *row.module);
}

std::string format_cost(double cost) {
  return cost > 0 && cost < 0.1 ? plain_number(cost, 2) : format_hundredths(cost);
}

std::string more_text(std::size_t shown, std::uint64_t known, const char* what) {
  if (shown >= known) return {};
  return fmt::format("...{} more {}: --all, or -o json\n", format_count(known - shown), what);
}

std::string not_found_words(const CompareView& view) {
  const FunctionDeltaView* costliest = nullptr;
  for (const FunctionDeltaView& row : view.details.functions) {
    if (netperfd::rows::is_found(traced_finding(row))) return {};
    if (!row.p_adjusted || !row.detectable) continue;
    if (costliest == nullptr || row.cost_a.value_or(0) > costliest->cost_a.value_or(0)) costliest = &row;
  }
  if (costliest == nullptr) return {};
  const ComparisonView& head = view.details.comparison;
  std::string words = fmt::format(
      "none{} differs beyond chance; a change of {} ns a {} in {} would have been found with 80 % power",
      head.few_calls ? fmt::format(" of {} tested", format_count(head.tested.value_or(0))) : "",
      format_cost(*costliest->detectable), work_word(head), costliest->function);
  if (head.few_calls.value_or(0) > 0) {
    words += fmt::format("; {} {} not tested, with too few calls", plural(*head.few_calls, "function"),
                         *head.few_calls == 1 ? "was" : "were");
  }
  return words;
}

Grid functions_grid(const CompareView& view) {
  const std::vector<FunctionDeltaView> functions = traced_functions(view);
  if (functions.empty()) return {};
  const std::size_t count = view.all ? functions.size() : std::min(kFunctions, functions.size());
  const bool one_module = of_one_module(functions);
  const bool some_tested =
      std::ranges::any_of(functions, [](const FunctionDeltaView& row) { return row.p_adjusted.has_value(); });
  std::vector<Cells> rows;
  std::vector<Cell> notes;
  for (std::size_t i = 0; i < count; ++i) {
    const FunctionDeltaView& row = functions[i];
    const auto [low, high] = shown_interval(row);
    rows.push_back({{(one_module ? row.function : function_name(row)) + ordinal(row)},
                    {or_dash(row.cost_a, format_cost)},
                    {or_dash(row.cost_b, format_cost)},
                    {or_dash(row.shift, signed_figure)},
                    {interval_text(low, high)},
                    {or_dash(row.share, share_text)},
                    {or_dash(row.p_adjusted, probability_text)}});
    // What is not significant has no cause, nor what samples contradict. If nothing could be tested, all of
    // it is shown.
    const bool stands =
        row.p_adjusted ? netperfd::rows::is_found(traced_finding(row)) : !some_tested || of_one_side(row);
    std::string note = stands && row.witness != "disagrees" ? cause_words(view, row) : "";
    constexpr double kMuch = 0.05;
    if (stands || std::abs(row.share.value_or(0)) >= kMuch) {
      const std::string share = share_interval(row);
      note = share + (share.empty() || note.empty() ? "" : "; ") + note;
    }
    notes.push_back({std::move(note), Style::faint});
  }
  return {heading(view, functions),
          {{.title = "FUNCTION", .shrink_to = 16},
           {.title = "A", .right = true},
           {.title = "B", .right = true},
           {.title = "B - A", .right = true},
           {.title = "INTERVAL", .right = true, .optional = true},
           {.title = "SHARE", .right = true, .optional = true},
           {.title = "p adj.", .right = true, .optional = true}},
          std::move(rows),
          std::move(notes),
          "BECAUSE",
          parting_of(functions, count, traced_finding)};
}

std::string more_functions(const CompareView& view, std::size_t shown) {
  const std::size_t traced = traced_functions(view).size();
  // The last rows are left out first: those of which only the samples know, and which show no difference.
  const auto& rows = view.details.functions;
  const bool only_sampled = !rows.empty() && rows.back().not_traced.value_or(false) &&
                            !netperfd::rows::is_found(sampled_finding(rows.back()));
  const std::uint64_t left_out = view.details.comparison.functions_left_out.value_or(0);
  return more_text(shown, traced + (only_sampled ? 0 : left_out), "functions");
}

std::string functions_table(const Screen& screen, const CompareView& view) {
  const std::vector<FunctionDeltaView> functions = traced_functions(view);
  if (functions.empty()) return {};
  Grid grid = functions_grid(view);
  std::string end;
  if (const std::string words = not_found_words(view); !words.empty()) {
    const std::size_t width = prose_width(narrower(screen, kIndent));
    end = fmt::format("{}\n", fmt::join(wrap(words, width), "\n"));
  }
  end += more_functions(view, grid.rows.size());
  return grid_text(screen, std::move(grid), end);
}

Grid confirmation_grid(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  if (!head.confirms) return {};
  std::vector<Cells> rows;
  for (const FunctionDeltaView& row : view.details.functions) {
    if (!row.first_shift) continue;
    rows.push_back({{row.function + ordinal(row)},
                    {signed_figure(*row.first_shift)},
                    {interval_text(row.first_low, row.first_high)},
                    {or_dash(row.shift, signed_figure)},
                    {interval_text(row.low, row.high)},
                    {or_dash(row.agrees, [](bool agrees) { return std::string{agrees ? "yes" : "no"}; })}});
  }
  const std::string title = fmt::format(
      "B - A in job {} and in this job, which confirms it, each function by itself", *head.confirms);
  if (rows.empty()) return {title + ": no function is in both"};
  return {title,
          {{.title = "FUNCTION", .shrink_to = 16},
           {.title = fmt::format("JOB {}", *head.confirms), .right = true},
           {.title = "INTERVAL", .right = true, .optional = true},
           {.title = "THIS JOB", .right = true},
           {.title = "INTERVAL", .right = true, .optional = true},
           {.title = "AGREE"}},
          std::move(rows)};
}

std::string confirmation_table(const Screen& screen, const CompareView& view) {
  Grid grid = confirmation_grid(view);
  if (grid.heading.empty()) return {};
  return grid.rows.empty() ? "\n" + grid.heading + "\n" : grid_text(screen, std::move(grid));
}

Grid counters_grid(const CompareView& view) {
  const std::vector<CounterChangeView> shown = shown_counters(view);
  if (shown.empty()) {
    const std::uint64_t tested = view.details.comparison.counters_tested.value_or(0);
    if (tested == 0) return {};
    return {fmt::format("counters: none of {} moved (q above 0.05)", format_count(tested))};
  }
  std::vector<Cells> rows;
  for (const CounterChangeView& row : shown) {
    rows.push_back(
        {{row.unit.value_or("").empty() ? row.name : fmt::format("{} ({})", row.name, *row.unit)},
         {row.source},
         {or_dash(row.per_gigabyte_a, of_work)},
         {or_dash(row.per_gigabyte_b, of_work)},
         {row.low && row.high ? fmt::format("{} to {}", signed_of_work(*row.low), signed_of_work(*row.high))
                              : "-"},
         {or_dash(row.q, probability_text)}});
  }
  const char* which = too_few(view) ? "counters that differ"
                      : view.all    ? "all counters"
                                    : "counters that moved";
  const std::string work = view.details.comparison.work.value_or("GB of goodput");
  return {fmt::format("{}, per {}", which, work),
          {{.title = "COUNTER", .shrink_to = 16},
           {.title = "SOURCE", .leaves = 1},
           {.title = "A", .right = true},
           {.title = "B", .right = true},
           {.title = "B - A", .right = true, .optional = true, .leaves = 2},
           {.title = "q", .right = true, .optional = true}},
          std::move(rows)};
}

std::string counters_table(const Screen& screen, const CompareView& view) {
  Grid grid = counters_grid(view);
  if (grid.heading.empty()) return {};
  return grid.rows.empty() ? "\n" + grid.heading + "\n" : grid_text(screen, std::move(grid));
}

std::string fact_words(const Screen& screen, const FactChangeView& fact, std::size_t most) {
  const auto several = [](const auto& runs) { return runs && runs->size() > 1; };
  const bool counted = several(fact.runs_a) || several(fact.runs_b);
  const auto values = [&](const std::optional<std::vector<std::string>>& met,
                          const std::optional<std::vector<std::uint32_t>>& runs) {
    if (!met || met->empty()) return std::string{"not there"};
    // Git's way: enough to tell two builds apart.
    constexpr std::size_t kDigits = 8;
    constexpr std::size_t kNamed = 3;
    const bool build = fact.key.find("build") != std::string::npos;
    std::vector<std::string> words;
    for (const std::string& value : *met) {
      words.push_back(build ? value.substr(0, kDigits) : screen.live ? cut(screen, value, most) : value);
      if (counted && runs && words.size() <= runs->size()) {
        words.back() += fmt::format(" ({})", plural((*runs)[words.size() - 1], "run"));
      }
    }
    const std::size_t more = words.size() - std::min(kNamed, words.size());
    words.resize(words.size() - more);
    return fmt::format("{}{}", fmt::join(words, " or "), more > 0 ? fmt::format(" or {} more", more) : "");
  };
  return fmt::format("{}   {} -> {}", fact.key, values(fact.a, fact.runs_a), values(fact.b, fact.runs_b));
}

}  // namespace netperfctl::comparing
