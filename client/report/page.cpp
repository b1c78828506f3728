// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "client/base/command_words.hpp"
#include "client/flame/embedded.hpp"
#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_lines.hpp"
#include "client/pages/render.hpp"
#include "client/pages/show_parts.hpp"
#include "client/pages/workload/workload.hpp"
#include "client/report/embedded.hpp"
#include "client/report/html.hpp"
#include "client/report/parts.hpp"
#include "client/report/pictures.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/times.hpp"
#include "client/terminal/xml.hpp"

namespace netperfctl::report {
namespace {

// The name of the browser's window.
std::string window_title(const Report& report) {
  if (!report.compared) return report.title;
  const comparing::Answer answer = comparing::overall_answer(*report.compared);
  return fmt::format("{}{}{}: {}", answer.verdict, answer.change.empty() ? "" : " ", answer.change,
                     report.title);
}

std::string head(const Report& report) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n"
      "<style>{}</style>\n<style>{}</style>\n</head>\n<body>\n",
      content_security_policy(), xml(window_title(report)), flame::embedded_style(), embedded_style());
}

std::string header(const Report& report) {
  std::string text = "<header>\n" + element("h1", report.title);
  if (report.compared) {
    text += "<p class=\"sides\">";
    for (const std::string& part : comparing::title_parts(*report.compared))
      text += fmt::format("<span>{}</span> ", xml(part));
    text += "</p>\n";
  }
  return text + "</header>\n";
}

// Of runs that nobody compares.
std::string spread_part(const std::vector<SidedRun>& runs) {
  std::vector<double> rates;
  for (const SidedRun& row : runs) {
    if (row.run.state == "finished" && row.run.received_bits_per_second)
      rates.push_back(*row.run.received_bits_per_second);
  }
  if (rates.empty()) return element("p", "No run has a known throughput.", "answer");
  std::ranges::sort(rates);
  SpreadView spread;
  const std::size_t middle = rates.size() / 2;
  spread.median = rates.size() % 2 == 1 ? rates[middle] : (rates[middle - 1] + rates[middle]) / 2;
  spread.lowest = rates.front();
  spread.highest = rates.back();
  spread.runs = static_cast<std::uint32_t>(rates.size());
  return element("p", show::spread_words(spread), "answer");
}

std::string shown_part(const std::vector<ShownRun>& shown) {
  std::string text;
  for (const ShownRun& run : shown) text += run_part(run);
  return text;
}

// The scenario of all runs, if it can be started.
std::string scenario_of(const Report& report) {
  if (report.runs.empty()) return {};
  const std::string scenario = report.runs.front().run.scenario.value_or("");
  const bool same = std::ranges::all_of(
      report.runs, [&](const SidedRun& row) { return row.run.scenario == scenario && row.run.job; });
  return same && page_of(report.runs.front().run).can_start ? scenario : "";
}

std::string again_part(const Report& report) {
  Lines lines;
  if (const std::string scenario = scenario_of(report); !scenario.empty())
    lines.push_back({"measure", "netperfctl start " + for_a_shell(scenario)});
  if (report.compared) lines.push_back({"compare", report.compared->command});
  lines.push_back({"report", report.again});
  std::string text = lines_html(lines);
  if (report.compared)
    text += details("The comparison as text", element("pre", compare_text(text_screen(), *report.compared)));
  return text;
}

std::string comparison(const Report& report) {
  const CompareView& view = *report.compared;
  const std::string durations = comparing::hides_figures(view) ? "" : durations_part(view, report.shown);
  return section("verdict", "Verdict", verdict_part(view)) + section("runs", "Runs", runs_part(report.runs)) +
         section("functions", "Where the difference is", functions_part(view)) +
         section("durations", "Durations of a call", durations) +
         section("counters", "Counters of the kernel", counters_part(view)) +
         section("flames", "Flame graphs", flames_part(report.flames)) +
         section("shown", "Runs over time", shown_part(report.shown)) +
         section("environment", "What differed beside the change", environment_part(view));
}

std::string measurement(const Report& report) {
  const bool one = report.runs.size() < 2 && report.shown.size() == 1;
  std::string text;
  if (!one) {
    text += section("answer", "Throughput", spread_part(report.runs));
    text += section("runs", "Runs", runs_part(report.runs));
  }
  if (!report.page.empty()) text += section("job", "Job", element("pre", report.page));
  text += section("shown", one ? "Run" : "Runs over time", shown_part(report.shown));
  return text + section("flames", "Flame graphs", flames_part(report.flames));
}

// In a script, `<` could begin the end of the element.
std::string data(const Document& document) {
  std::string json;
  for (const char each : document.json) {
    if (each == '<') {
      json += "\\u003c";
    } else {
      json += each;
    }
  }
  return fmt::format("<script type=\"application/json\" data-command=\"{}\">\n{}</script>\n",
                     xml(document.command), json);
}

std::string footer(const Report& report) {
  std::string text = fmt::format(
      "<footer>\n<p>Made by netperfctl {} on {}, the time of the machine that made it. This file has all of "
      "its "
      "figures as JSON too: the script elements of type application/json.</p>\n</footer>\n",
      xml(report.version), xml(format_time(report.made_us, 0)));
  for (const Document& document : report.documents) text += data(document);
  return text + fmt::format("<script>{}</script>\n<script>{}</script>\n</body>\n</html>\n",
                            flame::embedded_script(), embedded_script());
}

Report printable_copy(const Report& report) {
  Report copy = report;
  if (copy.compared) {
    copy.compared->details = escaped(std::move(copy.compared->details));
    copy.compared->all = true;
  }
  for (SidedRun& row : copy.runs) row.run = escaped(std::move(row.run));
  for (ShownRun& run : copy.shown) run.view = escaped(std::move(run.view));
  return copy;
}

}  // namespace

std::string html(const Report& asked) {
  const Report report = printable_copy(asked);
  std::string text = head(report) + header(report) + "<main>\n";
  text += report.compared ? comparison(report) : measurement(report);
  text +=
      section("evidence", "Evidence", evidence_part(report)) + section("again", "Again", again_part(report));
  return text + "</main>\n" + footer(report);
}

}  // namespace netperfctl::report
