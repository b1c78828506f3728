// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/comparison_refusal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "client/base/command_words.hpp"
#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_lines.hpp"
#include "client/pages/comparison_parts.hpp"

namespace netperfctl::comparing {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kDeclare = "declare", kDespite = "despite", kNone = "none";
constexpr const char* kAfterDeclaring =
    "declares that all of these are the change; --despite shows the numbers all the same, marked";

bool is_refused(const JudgedFigure& figure) {
  return figure.head.verdict == "refused";
}

// As the daemon says. An older one does not: what declaring leads to is not known then.
std::string_view remedy_of(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  if (head.remedy) return *head.remedy;
  const auto figures = judged_figures(view);
  const bool has_values = std::ranges::any_of(figures, [](const JudgedFigure& figure) {
    return is_refused(figure) && figure.head.effect.ratio.has_value();
  });
  if (view.asked.despite || !has_values) return kNone;
  return undeclared_groups(view).empty() ? kDespite : kDeclare;
}

// "latency.p99" if other figures have a verdict; otherwise empty.
std::string refused_names(const CompareView& view) {
  const auto figures = judged_figures(view);
  if (std::ranges::all_of(figures, is_refused)) return {};
  Words names;
  for (const JudgedFigure& figure : figures) {
    if (is_refused(figure)) names.push_back(figure.head.figure);
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

bool is_of_groups(const CompareView& view, std::string_view remedy) {
  return remedy != kNone && !undeclared_groups(view).empty();
}

std::string reason(const CompareView& view, std::string_view remedy) {
  const ComparisonView& head = view.details.comparison;
  const Words changed = head.changed.value_or(Words{});
  if (is_of_groups(view, remedy)) {
    if (changed.empty()) return "not compared: these differ, and each can explain a result";
    return fmt::format("not compared: beside the change ({}) these differ and can explain a result",
                       fmt::join(changed, ", "));
  }
  if (const std::string names = refused_names(view); !names.empty())
    return fmt::format("{} not compared: the evidence says why", names);
  // The reasons come first, those before which nothing helps at the very beginning.
  const Words caveats = head.caveats.value_or(Words{});
  return caveats.empty() ? "not compared" : "not compared. " + caveats.front();
}

std::string declaring_command(const CompareView& view) {
  // What a design declared, or what was taken for the change, counts only until something is declared here.
  Words groups = view.details.comparison.changed.value_or(Words{});
  std::ranges::copy(undeclared_groups(view), std::back_inserter(groups));
  std::erase_if(groups, [&](const std::string& group) {
    return std::ranges::find(view.asked.changed, group) != view.asked.changed.end();
  });
  return fmt::format("{} --changed {}", view.command, for_a_shell(fmt::format("{}", fmt::join(groups, ","))));
}

}  // namespace

std::optional<Refusal> refusal(const CompareView& view) {
  if (view.details.comparison.verdict != "refused") return std::nullopt;
  const std::string_view remedy = remedy_of(view);
  const bool differ = !undeclared_groups(view).empty();
  Refusal refusal{
      .words = reason(view, remedy), .of_groups = is_of_groups(view, remedy), .command = {}, .effect = {}};
  if (remedy == kDeclare) {
    refusal.command = declaring_command(view);
    refusal.effect = kAfterDeclaring;
    return refusal;
  }
  const std::string despite = view.command + " --despite";
  if (remedy == kDespite) {
    refusal.command = despite;
    refusal.effect =
        differ ? "shows the numbers all the same, marked: to declare what differs is not enough for "
                 "a verdict"
               : "shows the numbers all the same, with this reason as evidence";
    return refusal;
  }
  const std::string names = refused_names(view);
  const std::string none = fmt::format("no verdict {}can be had from these runs",
                                       names.empty() ? "" : fmt::format("on {} ", names));
  // Without a figure, what functions took is hidden only because something else differs.
  const bool hides_more = hides_figures(view) && !view.details.comparison.effect.ratio;
  refusal.command = hides_more ? despite : "";
  refusal.effect = hides_more ? "shows the other results all the same: " + none : "none: " + none;
  return refusal;
}

Lines refusing_facts(const Screen& screen, const CompareView& view) {
  return view.asked.despite ? Lines{} : facts(screen, view, true);
}

Lines next_lines(const Screen& screen, const Refusal& refusal) {
  if (refusal.command.empty()) return {{"next", refusal.effect}};
  return {command_line(screen, "next", refusal.command), {"", refusal.effect}};
}

}  // namespace netperfctl::comparing
