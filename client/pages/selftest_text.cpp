// SPDX-License-Identifier: GPL-2.0-or-later
// The page of a self-test, which compares a host with itself. Its own text is ASCII only, as on the page of a
// comparison.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_lines.hpp"
#include "client/pages/comparison_parts.hpp"
#include "client/pages/comparison_tables.hpp"
#include "client/pages/found_rows.hpp"
#include "client/pages/render.hpp"
#include "client/pages/show_parts.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {
namespace {

using Words = std::vector<std::string>;

std::string title(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  Words parts{"this host against itself"};
  const Words scenarios = head.scenarios_a.value_or(Words{});
  if (scenarios.size() == 1) parts.front() += ": " + scenarios.front();
  const std::size_t runs = (head.runs_a ? head.runs_a->size() : 0) + (head.runs_b ? head.runs_b->size() : 0);
  parts.push_back(plural(runs, "run"));
  if (const std::string pairing = comparing::pairing_words(head, true); !pairing.empty())
    parts.push_back(pairing);
  if (view.asked.job) parts.push_back(fmt::format("job {}", *view.asked.job));
  return fmt::format("{}\n", fmt::join(parts, "   "));
}

std::string resolves_words(const ComparisonView& head) {
  if (!head.reach.detectable || *head.reach.detectable <= 1) return {};
  return fmt::format("with so many {} a difference of {} is found {}",
                     head.pairing == "blocks"             ? "blocks"
                     : head.pairing == "boots of blocks"  ? "boots"
                     : head.pairing == "builds of blocks" ? "pairs of builds"
                                                          : "runs",
                     format_percent((*head.reach.detectable - 1) * 100), power_words(0.8));
}

// What the host finds of each figure whose verdict does not say it.
std::string resolved(const Screen& screen, const std::vector<comparing::JudgedFigure>& figures) {
  std::string text;
  for (const comparing::JudgedFigure& figure : figures) {
    const std::string words = resolves_words(figure.head);
    if (words.empty() || figure.head.verdict == "inconclusive") continue;
    text += show::field(screen, text.empty() ? "resolves" : "",
                        figures.size() > 1 ? figure.head.figure + ": " + words : words);
  }
  return text;
}

// An interval misses what it should hold as often as its level leaves open.
std::string chance_words(const std::vector<comparing::JudgedFigure>& figures) {
  double missed = 0;
  for (const comparing::JudgedFigure& figure : figures) {
    if (figure.head.effect.level) missed += 1 - *figure.head.effect.level;
  }
  if (missed <= 0 || missed >= 1) return {};
  return fmt::format(" Up to one self-test in {:.0f} finds one by chance: another one tells.", 1 / missed);
}

std::string judgement(const Screen& screen, const CompareView& view) {
  if (!finds_difference(view.details.comparison)) return {};
  return show::field(screen, "",
                     "This host fools itself, or chance does: both sides were the same, and a difference was "
                     "found." +
                         chance_words(comparing::judged_figures(view)) +
                         " A comparison that finds one no larger says nothing until the reason is known.",
                     Style::bad);
}

// Functions and counters that seem to differ.
std::string found_words(const ComparisonDetails& details) {
  constexpr double kFound = 0.05;
  const auto is_found = [](const std::optional<double>& p) { return p && *p <= kFound; };
  const auto functions =
      static_cast<std::uint64_t>(std::ranges::count_if(details.functions, [](const FunctionDeltaView& row) {
        return netperfd::rows::is_found(comparing::traced_finding(row));
      }));
  const auto counters =
      static_cast<std::uint64_t>(std::ranges::count_if(details.counters, is_found, &CounterChangeView::q));
  const auto tested = static_cast<std::uint64_t>(std::ranges::count_if(
      details.functions, [](const FunctionDeltaView& row) { return row.p_adjusted.has_value(); }));
  // Of counters only those to be shown have a row.
  const std::uint64_t counters_tested = details.comparison.counters_tested.value_or(0);
  Words parts;
  if (tested > 0) {
    parts.push_back(fmt::format("{} of {} (adjusted p 0.05 or less)", format_count(functions),
                                plural(tested, "function")));
  }
  if (counters_tested > 0) {
    parts.push_back(
        fmt::format("{} of {} (q 0.05 or less)", format_count(counters), plural(counters_tested, "counter")));
  }
  return parts.empty() ? "" : fmt::format("{} seem to differ", fmt::join(parts, " and "));
}

}  // namespace

bool finds_difference(const ComparisonView& self_test) {
  const std::string& verdict = self_test.verdict;
  return verdict == "improvement" || verdict == "regression" || verdict == "trade-off" || self_test.leaning;
}

std::string selftest_text(const Screen& screen, const CompareView& asked) {
  CompareView view = asked;
  view.details = escaped(std::move(view.details));
  const ComparisonView& head = view.details.comparison;
  std::string text = title(view) + lines_text(screen, comparing::when(head, screen.now_us)) +
                     comparing::headline(screen, view);
  text += judgement(screen, view);
  text += resolved(screen, comparing::judged_figures(view));
  if (const std::string words = found_words(view.details); !words.empty())
    text += show::field(screen, "by chance", words);
  text += comparing::environment_and_evidence(screen, view);
  return text + lines_text(screen, {comparing::command_line(screen, "again", view.command)});
}

}  // namespace netperfctl
