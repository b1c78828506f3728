// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/comparison_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "client/base/command_words.hpp"
#include "client/pages/budget_text.hpp"
#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_parts.hpp"
#include "client/pages/comparison_tables.hpp"
#include "client/pages/show_parts.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/times.hpp"
#include "client/terminal/units.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfctl::comparing {
namespace {

using Words = std::vector<std::string>;
using Figure = std::optional<double>;

std::string with_interval(const Figure& shift, const Figure& low, const Figure& high) {
  std::string text = signed_figure(*shift);
  if (low && high) text += fmt::format(" ({} to {})", signed_figure(*low), signed_figure(*high));
  return text;
}

std::size_t count_of(const std::optional<std::vector<std::uint64_t>>& runs) {
  return runs ? runs->size() : 0;
}

// "label before"; "job:12" or "runs 41,43" where the runs have no one label.
std::string side_name(const std::string& asked, const std::optional<Words>& labels, std::size_t runs) {
  const bool labelled = labels && labels->size() == 1 && !labels->front().empty();
  if (labelled) return "label " + labels->front();
  const bool numbers = asked.find_first_not_of("0123456789, -") == std::string::npos;
  const bool one = runs == 1 || asked.find_first_of(", -") == std::string::npos;
  return numbers ? fmt::format("{} {}", one ? "run" : "runs", asked) : printable(asked);
}

std::string explained_words(const ComparisonView& head) {
  using netperfd::rows::whole_percent;
  std::string words = whole_percent(*head.explained.value * 100) + " % of the change in CPU time";
  const auto end = [](const Figure& share) { return share ? whole_percent(*share * 100) : "?"; };
  if (head.explained.low || head.explained.high) {
    words += fmt::format(" ({} to {} %)", end(head.explained.low), end(head.explained.high));
  }
  return words;
}

// What tracing functions took of the CPU time, beside the budget for it.
std::string tracer_words(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  std::vector<double> measured;
  for (const Figure& share : {head.tracer_share_a, head.tracer_share_b}) {
    if (share) measured.push_back(*share);
  }
  return show::budget_words(*view.budget, measured);
}

// That of an older netperfd has no verdict.
Lines cpu_time(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  if (!head.cpu.shift || !head.cpu.a || !head.cpu.b) return {};
  const std::optional<JudgedFigure> judged = judged_cpu(view);
  if (judged && judged->head.verdict == "refused") return {{"CPU time", "refused"}};
  std::string words = fmt::format("{} -> {} ns a {} on all CPUs, {}", format_hundredths(*head.cpu.a),
                                  format_hundredths(*head.cpu.b), work_word(head),
                                  with_interval(head.cpu.shift, head.cpu.low, head.cpu.high));
  if (head.cpu.part == "whole" && !head.work) words += ", with iperf3's start and end and what it omits";
  // Its verdict leads the page then.
  if (!judged || leading_cpu(view)) return {{"CPU time", words}};
  words += ": " + judged->head.verdict;
  if (judged->head.leaning) words += ", leaning to " + *judged->head.leaning;
  return {{"CPU time", words}, {"", meaning_of(*judged)}};
}

bool is_fooled(const ComparisonView& head) {
  return head.selftest.verdict == "improvement" || head.selftest.verdict == "regression" ||
         head.selftest.verdict == "trade-off";
}

// What the self-test found: "equivalent, within 0.8 %".
std::string self_test_words(const ComparisonView& head) {
  std::string text = *head.selftest.verdict;
  if (is_fooled(head)) text += ", where nothing differs";
  if (head.selftest.low && head.selftest.high) {
    const double farthest = std::max(std::abs(*head.selftest.low - 1), std::abs(*head.selftest.high - 1));
    text += fmt::format(", within {}", format_percent(farthest * 100));
  }
  return text;
}

}  // namespace

std::string scenario_words(const ComparisonView& head) {
  if (!head.scenarios_a || head.scenarios_a->size() != 1) return {};
  return head.scenarios_a == head.scenarios_b ? head.scenarios_a->front() : "";
}

std::pair<std::string, std::string> side_names(const CompareView& view) {
  if (view.asked.job) return job_sides(view);
  const ComparisonView& head = view.details.comparison;
  return {side_name(view.asked.a, head.labels_a, count_of(head.runs_a)),
          side_name(view.asked.b, head.labels_b, count_of(head.runs_b))};
}

std::vector<std::string> title_parts(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  Words parts;
  if (const std::string scenario = scenario_words(head); !scenario.empty()) parts.push_back(scenario);
  const bool letters = !view.asked.job || !view.name_a.empty();
  const auto [a, b] = side_names(view);
  const auto side = [](char letter, const std::string& name, std::size_t runs) {
    // A list of numbers says itself how many they are; not all of a range need be runs.
    const bool listed =
        name.starts_with("run") && name.find_first_not_of("runs 0123456789,") == std::string::npos;
    return fmt::format("{}: {}{}", letter, name, listed ? "" : ", " + plural(runs, "run"));
  };
  parts.push_back(side('A', a, count_of(head.runs_a)));
  parts.push_back(side('B', b, count_of(head.runs_b)));
  if (const std::string pairing = pairing_words(head, letters); !pairing.empty()) parts.push_back(pairing);
  if (view.asked.job) parts.push_back(fmt::format("job {}", *view.asked.job));
  if (std::string point = point_words(head); !point.empty()) parts.push_back(std::move(point));
  return parts;
}

Lines owners(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  if (owner_count(head) < 2) return {};
  const auto side = [&view](const auto& owners, const auto& runs) {
    Words words;
    for (std::size_t i = 0; i < owners->size() && i < runs->size(); ++i) {
      const auto name = view.names.find(owners->at(i));
      const std::string who = name == view.names.end() ? fmt::format("uid {}", owners->at(i)) : name->second;
      words.push_back(fmt::format("{} {}", printable(who), plural(runs->at(i), "run")));
    }
    return fmt::format("{}", fmt::join(words, ", "));
  };
  return {{"owners",
           fmt::format("A: {}; B: {}", side(head.owners_a, head.owner_runs_a),
                       side(head.owners_b, head.owner_runs_b)),
           Style::active}};
}

// What was declared, or taken for the change, with its facts.
Lines changed(const Screen& screen, const CompareView& view) {
  const Words groups = view.details.comparison.changed.value_or(Words{});
  if (groups.empty()) return {};
  Lines lines;
  for (const std::string& group : groups) {
    Words facts;
    for (const FactChangeView& fact : view.details.facts) {
      if (fact.group == group) facts.push_back(fact_words(screen, fact, 30));
    }
    constexpr std::size_t kMost = 3;
    const std::size_t more = view.all ? 0 : facts.size() - std::min(kMost, facts.size());
    facts.resize(facts.size() - more);
    if (more > 0) facts.push_back(fmt::format("and {} more: --all", plural(more, "fact")));
    if (facts.empty()) facts.emplace_back("declared, and in no known fact different");
    lines.push_back({"changed", fmt::format("{}   {}", group, fmt::join(facts, "\n  "))});
  }
  const auto follows = std::ranges::count_if(view.details.facts, [&](const FactChangeView& fact) {
    return fact.declared.value_or(false) && std::ranges::find(groups, fact.group) == groups.end();
  });
  if (follows > 0) {
    lines.push_back(
        {"", plural(static_cast<std::uint64_t>(follows), "further fact") + " that this brings along"});
  }
  return lines;
}

Line command_line(const Screen& screen, std::string key, std::string_view command) {
  const std::size_t room = prose_width(screen) - std::min(prose_width(screen), show::kKeyColumns);
  return {std::move(key), in_shell_lines(printable(command), room)};
}

bool hides_figures(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  if (head.verdict != "refused") return false;
  // Of several figures, those that were not refused have a result.
  const bool all = std::ranges::all_of(
      judged_figures(view), [](const JudgedFigure& figure) { return figure.head.verdict == "refused"; });
  if (!all) return false;
  return head.effect.ratio || (!view.asked.despite && !undeclared_groups(view).empty());
}

Lines cost(const CompareView& view) {
  Lines lines = cpu_time(view);
  const ComparisonView& head = view.details.comparison;
  if (head.not_attributed) lines.push_back({"where", *head.not_attributed, Style::active});
  return lines;
}

Lines account(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  Lines lines;
  if (head.traced.shift && head.functions.shift && head.residual.value) {
    lines.push_back(
        {"account",
         fmt::format("traced runs {} ns a {} without the tracer's {}: the functions {}, the rest {}",
                     with_interval(head.traced.shift, head.traced.low, head.traced.high), work_word(head),
                     head.tracer.shift ? signed_figure(*head.tracer.shift) : "-",
                     with_interval(head.functions.shift, head.functions.low, head.functions.high),
                     with_interval(head.residual.value, head.residual.low, head.residual.high))});
  }
  if (head.explained.value) lines.push_back({"explained", explained_words(head)});
  if (head.traced_to_plain) {
    lines.push_back(
        {"traced", fmt::format("runs reach {} of plain throughput{}", format_share(*head.traced_to_plain),
                               *head.traced_to_plain < 0.7 ? ": not representative" : "")});
  }
  if (view.budget) lines.push_back({"tracer", tracer_words(view)});
  return lines;
}

Lines selftest(const CompareView& view, std::uint64_t now_us) {
  const ComparisonView& head = view.details.comparison;
  if (!head.selftest.verdict) {
    const Words scenarios = head.scenarios_b.value_or(Words{});
    // What was imported has no scenario that could be started here.
    if (head.verdict == "refused" || scenarios.size() != 1 || scenarios.front() == "import") return {};
    return {{"next", fmt::format("netperfctl selftest {}   what this host can resolve",
                                 for_a_shell(scenarios.front()))}};
  }
  Words parts;
  if (head.selftest.samples) parts.push_back(plural(*head.selftest.samples, "block"));
  if (head.selftest_started_us) parts.push_back(format_time(*head.selftest_started_us, now_us));
  if (head.selftest_job) parts.push_back(fmt::format("job {}", *head.selftest_job));
  const std::string where = parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
  const std::vector<JudgedFigure> figures = judged_figures(view);
  if (figures.size() == 1) {
    return {{"self-test", "this host against itself: " + self_test_words(head) + where,
             is_fooled(head) ? Style::bad : Style::plain}};
  }
  Lines lines{{"self-test", "this host against itself" + where}};
  for (const JudgedFigure& figure : figures) {
    if (!figure.head.selftest.verdict) continue;
    lines.push_back({"", figure.head.figure + ": " + self_test_words(figure.head),
                     is_fooled(figure.head) ? Style::bad : Style::plain});
  }
  return lines;
}

}  // namespace netperfctl::comparing
