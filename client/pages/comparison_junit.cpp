// SPDX-License-Identifier: GPL-2.0-or-later
// A comparison as JUnit XML, which CI systems show: a test case for each judged figure.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_lines.hpp"
#include "client/pages/comparison_parts.hpp"
#include "client/pages/comparison_refusal.hpp"
#include "client/pages/comparison_setting.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/xml.hpp"

namespace netperfctl {
namespace {

bool is_failure(std::string_view verdict) {
  return verdict == "regression";
}

bool is_answer(std::string_view verdict) {
  return is_failure(verdict) || verdict == "improvement" || verdict == "equivalent";
}

// Why a figure has no answer.
std::string reason(const CompareView& view, const comparing::JudgedFigure& figure) {
  if (figure.head.verdict != "refused") return comparing::meaning_of(figure);
  const auto caveats = view.details.comparison.caveats.value_or(std::vector<std::string>{});
  const auto refusal = comparing::refusal(view);
  // Of several figures, another one decided the verdict.
  if (!refusal)
    return caveats.empty() ? "no verdict is possible" : fmt::format("{}", fmt::join(caveats, " "));
  std::string why = refusal->words;
  if (refusal->of_groups)
    why += fmt::format(": {}", fmt::join(comparing::undeclared_groups(view), ", "));
  else if (!caveats.empty())
    why = fmt::format("{}", fmt::join(caveats, " "));
  return fmt::format("{}; {}{}{}", why, refusal->command, refusal->command.empty() ? "" : " ",
                     refusal->effect);
}

// The figure that leads a page without a say in the verdict is no test case.
const comparing::Answer& answer_to(const std::vector<comparing::Answer>& answers, const std::string& figure) {
  const auto found = std::ranges::find(answers, figure, &comparing::Answer::figure);
  return found == answers.end() ? answers.front() : *found;
}

std::string answer_words(const comparing::Answer& answer) {
  std::vector<std::string> parts;
  for (const std::string& part : {answer.medians, answer.change, answer.verdict}) {
    if (!part.empty()) parts.push_back(part);
  }
  for (const Line& line : answer.lines) parts.push_back(line.words);
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string test_case(const CompareView& view, const comparing::JudgedFigure& figure,
                      const comparing::Answer& answer, const std::string& suite) {
  const std::string& verdict = figure.head.verdict;
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml(suite), xml(figure.head.figure));
  const std::string words = answer_words(answer);
  if (is_failure(verdict)) {
    text += fmt::format(">\n      <failure type=\"{}\" message=\"{}\"/>\n", xml(verdict), xml(words));
  } else if (!is_answer(verdict)) {
    text += fmt::format(">\n      <skipped message=\"{}: {}\"/>\n", xml(verdict), xml(reason(view, figure)));
  } else {
    text += fmt::format(">\n      <system-out>{}</system-out>\n", xml(words));
  }
  return text + "    </testcase>\n";
}

std::string property(std::string_view name, std::string_view value) {
  return value.empty()
             ? ""
             : fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml(name), xml(printable(value)));
}

std::string properties(const CompareView& view) {
  std::string text = property("verdict", view.details.comparison.verdict);
  for (const Line& line : comparing::setting({}, view)) {
    if (!line.key.empty()) text += property(line.key, line.words);
  }
  return "    <properties>\n" + text + property("command", view.command) + "    </properties>\n";
}

}  // namespace

std::string compare_junit(const CompareView& asked) {
  const CompareView view = comparing::printable_view(asked);
  const std::vector<comparing::JudgedFigure> figures = comparing::judged_figures(view);
  const std::vector<comparing::Answer> answers = comparing::answers_of(view);
  std::string suite = comparing::scenario_words(view.details.comparison);
  if (suite.empty()) suite = "netperfd";
  const auto [a, b] = comparing::side_names(view);
  std::size_t failures = 0, skipped = 0;
  std::string cases;
  for (const comparing::JudgedFigure& figure : figures) {
    failures += is_failure(figure.head.verdict) ? 1 : 0;
    skipped += is_answer(figure.head.verdict) ? 0 : 1;
    cases += test_case(view, figure, answer_to(answers, figure.head.figure), suite);
  }
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"",
                                         figures.size(), failures, skipped);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite name=\"{}: {} against {}\" "
      "{}>\n{}{}    <system-out>{}</system-out>\n  </testsuite>\n</testsuites>\n",
      counts, xml(suite), xml(b), xml(a), counts, properties(view), cases, xml(compare_mail(asked)));
}

}  // namespace netperfctl
