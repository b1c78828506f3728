// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/budget_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "client/terminal/escaped.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::show {
namespace {

constexpr std::size_t kFunctions = 3;  // by name

std::string left_out_words(const BudgetDetails& details) {
  const auto left_out = std::ranges::count(details.functions, false, &BudgetFunctionView::traced);
  if (left_out == 0) return "no function is left out";
  std::vector<std::string> names;
  for (const BudgetFunctionView& function : details.functions) {
    if (function.traced || names.size() == kFunctions) break;
    names.push_back(fmt::format("{} ({} calls)", printable(function.function), format_count(function.calls)));
  }
  const std::size_t more = static_cast<std::size_t>(left_out) - names.size();
  std::string text = fmt::format("left out with their calls in {}: {}",
                                 format_seconds(details.budget.window_s.value_or(1)), fmt::join(names, ", "));
  if (more > 0) text += fmt::format(" and {} more", more);
  return text;
}

}  // namespace

std::string budget_words(const BudgetDetails& details, const std::vector<double>& measured) {
  const BudgetView& budget = details.budget;
  std::string text = fmt::format("at most {} of the CPU time", format_share(budget.asked));
  std::vector<std::string> shares;
  if (budget.predicted) shares.push_back(format_share(*budget.predicted) + " predicted");
  std::vector<std::string> each;
  for (const double share : measured) each.push_back(format_share(share));
  if (!each.empty()) shares.push_back(fmt::format("{} measured", fmt::join(each, " and ")));
  if (!shares.empty()) text += fmt::format(": {}", fmt::join(shares, ", "));
  if (budget.failure) return text + "; not applied: " + printable(*budget.failure);
  return text + "; " + left_out_words(details);
}

std::string budget_table(const Screen& screen, const BudgetDetails& details) {
  if (details.functions.empty()) return {};
  std::vector<Cells> rows;
  for (const BudgetFunctionView& raw : details.functions) {
    const BudgetFunctionView function = escaped(raw);
    rows.push_back({{function.function},
                    {format_count(function.calls)},
                    {format_share(function.cost)},
                    {function.traced ? "yes" : "no"}});
  }
  return render_table(screen,
                      {{.title = "COUNTED", .shrink_to = 16},
                       {.title = "CALLS", .right = true},
                       {.title = "COST", .right = true},
                       {.title = "TRACED"}},
                      std::move(rows));
}

}  // namespace netperfctl::show
