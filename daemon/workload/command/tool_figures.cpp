// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/tool_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/workload/command/job/tool_check.hpp"
#include "daemon/workload/command/text_lines.hpp"
#include "daemon/workload/netperf/import.hpp"
#include "daemon/workload/sockperf/import.hpp"
#include "daemon/workload/text_scan.hpp"

namespace netperfd::workload {
namespace {

struct ToolText {
  std::string_view name;
  Result<std::vector<ToolRun>> (*read)(std::string_view bytes);
  std::array<std::string_view, 2> before_seconds;  // what stands before the seconds that the test took
};
constexpr ToolText kToolTexts[] = {
    {"netperf", read_netperf_text, {"ELAPSED_TIME=", "ELAPSED_TIME="}},
    {"sockperf", read_sockperf_text, {"[Total Run] RunTime=", " messages sent in "}},
};

// A test that ends a little early is whole: sockperf's does not count how long it connects.
constexpr double kLeastShare = 0.9;

std::optional<double> seconds_in(std::string_view bytes, const ToolText& tool) {
  while (!bytes.empty()) {
    const std::string_view line = take_text_line(bytes);
    for (const std::string_view words : tool.before_seconds) {
      auto rest = after(line, words);
      if (!rest) continue;
      const auto number = rest->number();
      return number ? number->value : std::nullopt;
    }
  }
  return std::nullopt;
}

// Empty, or why the test is not the one that was asked for.
std::string other_test(const ToolCheck& check, const ToolRun& run, std::optional<double> seconds) {
  for (const auto& [key, value] : check.says) {
    const auto said = std::ranges::find(run.facts, key, &Fact::key);
    if (said == run.facts.end())
      return fmt::format("it was asked for the {} {} and does not say which one it had", key, value);
    if (said->value != value)
      return fmt::format("it was asked for the {} {} and had {}", key, value, shown_line(said->value));
  }
  if (!seconds) return "it does not say how long the test took";
  if (*seconds < kLeastShare * static_cast<double>(check.duration.count()))
    return fmt::format("it was asked for {} s and ended after {} s", check.duration.count(), *seconds);
  return "";
}

}  // namespace

Result<double> by_tool(const DeclaredFigure& figure, const core::FigureText& text) {
  const ToolCheck check = tool_check(figure.place);
  const auto refused = [&](std::string_view why) {
    return fail(ErrorKind::not_found,
                fmt::format("{}: {}: {}; {}", check.tool, text.name, why, last_lines(text.bytes)));
  };
  const auto* tool = std::ranges::find(kToolTexts, check.tool, &ToolText::name);
  if (tool == std::end(kToolTexts)) return refused("nobody reads such a text");
  const auto runs = tool->read(text.bytes);
  if (!runs) return refused(runs.error().message);
  if (runs->size() != 1)
    return refused(fmt::format("it has the results of {} tests; expected is one", runs->size()));
  if (const std::string why = other_test(check, runs->front(), seconds_in(text.bytes, *tool)); !why.empty())
    return refused(why);
  for (const NamedFigure& found : runs->front().figures) {
    if (found.name == figure.name && found.unit == figure.unit) return found.value;
  }
  return refused(fmt::format("it has no number for the figure {} in {}", figure.name, figure.unit));
}

}  // namespace netperfd::workload
