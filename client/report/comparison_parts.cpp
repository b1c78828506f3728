// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_lines.hpp"
#include "client/pages/comparison_parts.hpp"
#include "client/pages/comparison_refusal.hpp"
#include "client/pages/comparison_tables.hpp"
#include "client/pages/found_rows.hpp"
#include "client/pages/witness_text.hpp"
#include "client/report/html.hpp"
#include "client/report/parts.hpp"
#include "client/report/pictures.hpp"
#include "client/terminal/units.hpp"
#include "client/terminal/xml.hpp"

namespace netperfctl::report {
namespace {

constexpr std::size_t kIntervalColumn = 4;         // of the table of traced functions
constexpr std::size_t kSampledIntervalColumn = 6;  // of that of the samples
constexpr const char* kDrawnTitle = "B - A and its interval";

// Whether the samples of the plain runs confirm it; their table has the rest.
void add_witness(Grid& grid, const std::vector<FunctionDeltaView>& functions) {
  grid.columns.push_back({.title = "SAMPLES", .optional = true});
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    const FunctionDeltaView& row = functions[i];
    grid.rows[i].push_back({row.witness ? comparing::trace_words(row) : "-"});
  }
}

std::string grid_html(const Grid& grid) {
  if (grid.heading.empty()) return {};
  return grid.rows.empty() ? element("p", grid.heading) : table(grid);
}

std::string traced_table(const CompareView& view) {
  const std::vector<FunctionDeltaView> functions = comparing::traced_functions(view);
  if (functions.empty()) return {};
  Grid grid = comparing::functions_grid(view);
  add_witness(grid, functions);
  std::vector<Span> spans;
  for (const FunctionDeltaView& row : functions) {
    const auto [low, high] = comparing::shown_interval(row);
    spans.push_back({low, row.shift, high});
  }
  const bool drawn = std::ranges::any_of(spans, [](const Span& span) { return span.value.has_value(); });
  const DrawnColumn column = interval_column(kDrawnTitle, spans, kIntervalColumn);
  const std::string words = comparing::not_found_words(view);
  return table(grid, drawn ? &column : nullptr) + (words.empty() ? "" : element("p", words));
}

std::string sampled_table(const CompareView& view) {
  const Grid grid = comparing::sampled_grid(view);
  if (grid.rows.empty()) return grid_html(grid);
  std::vector<Span> spans;
  for (const FunctionDeltaView& row : comparing::shown_samples(view))
    spans.push_back({row.sampled_low, row.sampled_shift, row.sampled_high});
  const DrawnColumn column = interval_column(kDrawnTitle, spans, kSampledIntervalColumn);
  return table(grid, &column);
}

std::string answer_html(const comparing::Answer& answer) {
  std::string text = fmt::format("<p class=\"answer {}\">", css_of(answer.style));
  if (!answer.medians.empty()) text += fmt::format("<span class=\"medians\">{}</span> ", xml(answer.medians));
  if (!answer.change.empty())
    text += fmt::format("<strong class=\"change\">{}</strong> ", xml(answer.change));
  text += fmt::format("<strong class=\"verdict\">{}</strong></p>\n", xml(answer.verdict));
  for (const Line& line : answer.lines) text += element("p", line.words);
  return text;
}

}  // namespace

std::string verdict_part(const CompareView& view) {
  const std::vector<comparing::JudgedFigure> figures = comparing::shown_figures(view);
  const std::vector<comparing::Answer> answers = comparing::answers_of(view);
  const bool hidden = comparing::hides_figures(view);
  std::string text;
  if (comparing::judged_figures(view).size() > 1) text += answer_html(comparing::overall_answer(view));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers.size() > 1) text += element("h3", answers[i].figure);
    text += answer_html(answers[i]);
    if (!hidden) text += effect_figure(figures[i].head);
  }
  Lines lines = comparing::changed(text_screen(), view);
  std::ranges::move(comparing::owners(view), std::back_inserter(lines));
  std::ranges::move(comparing::when(view.details.comparison, 0), std::back_inserter(lines));
  if (const auto refusal = comparing::refusal(view)) {
    text += element("p", refusal->words, "bad") + lines_html(comparing::refusing_facts(text_screen(), view));
    Lines next;
    if (!refusal->command.empty()) next.push_back({"next", refusal->command});
    next.push_back({next.empty() ? "next" : "", refusal->effect});
    text += lines_html(next);
  }
  return text + lines_html(lines);
}

std::string functions_part(const CompareView& view) {
  if (comparing::hides_figures(view)) return {};
  return lines_html(comparing::cost(view)) + sampled_table(view) + traced_table(view) +
         lines_html(comparing::account(view)) + grid_html(comparing::confirmation_grid(view));
}

std::string counters_part(const CompareView& view) {
  return comparing::hides_figures(view) ? std::string{} : grid_html(comparing::counters_grid(view));
}

std::string environment_part(const CompareView& view) {
  std::string text;
  for (const Section& part : comparing::environment(text_screen(), view)) {
    if (!part.heading.empty()) text += element("h3", part.heading);
    text += lines_html(part.lines);
  }
  return text;
}

std::string evidence_part(const Report& report) {
  std::string text;
  if (report.compared) {
    Lines lines = comparing::evidence(report.compared->details.comparison);
    std::ranges::move(comparing::selftest(*report.compared, 0), std::back_inserter(lines));
    text += lines_html(lines);
  }
  Lines missing;
  for (const std::string& words : report.missing)
    missing.push_back({missing.empty() ? "not shown" : "", words});
  return text + lines_html(missing);
}

}  // namespace netperfctl::report
