// SPDX-License-Identifier: GPL-2.0-or-later
// The comparison of a sweep as JUnit XML: a test case for each figure at each point.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "client/pages/render.hpp"
#include "client/pages/sweep_parts.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/xml.hpp"

namespace netperfctl {
namespace {

bool is_worse(std::string_view verdict) {
  return verdict == "regression" || verdict == "trade-off";
}

std::string sweep_case(const SweepFigureView& row, const std::string& suite) {
  const std::string verdict = row.verdict.value_or(row.point_verdict);
  const std::string name = row.figure ? fmt::format("{} at {}", *row.figure, row.name) : row.name;
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n", xml(suite), xml(name));
  std::string words = sweeping::verdict_word(row);
  for (const std::string& more : {sweeping::effect_words(row), row.caveat.value_or("")})
    words += more.empty() ? "" : "; " + more;
  if (is_worse(verdict)) {
    text += fmt::format("      <failure type=\"{}\" message=\"{}\"/>\n", xml(verdict), xml(words));
  } else if (verdict == "improvement" || verdict == "equivalent") {
    text += fmt::format("      <system-out>{}</system-out>\n", xml(words));
  } else {
    text += fmt::format("      <skipped message=\"{}\"/>\n", xml(words));
  }
  return text + "    </testcase>\n";
}

std::string sweep_properties(const SweepView& view) {
  std::string text;
  const auto add = [&text](std::string_view name, std::string_view value) {
    text += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml(name), xml(printable(value)));
  };
  add("verdict", sweeping::verdict(view).front().words);
  std::string swept;
  for (const Line& line : sweeping::swept(view)) swept += (swept.empty() ? "" : "; ") + line.words;
  if (!swept.empty()) add("swept", swept);
  add("command", view.command);
  return "    <properties>\n" + text + "    </properties>\n";
}

}  // namespace

std::string sweep_junit(const SweepView& asked) {
  const SweepView view = sweeping::printable_view(asked);
  const std::string suite = view.scenario.empty() ? "netperfd" : view.scenario;
  std::size_t failures = 0, skipped = 0;
  std::string cases;
  for (const SweepFigureView& row : view.details.figures) {
    const std::string verdict = row.verdict.value_or(row.point_verdict);
    const bool worse = is_worse(verdict);
    failures += worse ? 1 : 0;
    skipped += worse || verdict == "improvement" || verdict == "equivalent" ? 0 : 1;
    cases += sweep_case(row, suite);
  }
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"",
                                         view.details.figures.size(), failures, skipped);
  const SweepHeadView& head = view.details.sweep;
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite name=\"{}: {} against {}\" "
      "{}>\n{}{}    <system-out>{}</system-out>\n  </testsuite>\n</testsuites>\n",
      counts, xml(suite), xml(head.name_b), xml(head.name_a), counts, sweep_properties(view), cases,
      xml(sweep_mail(asked)));
}

}  // namespace netperfctl
