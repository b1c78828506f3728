// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/comparison_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/pages/comparison_tables.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/times.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::comparing {
namespace {

using Words = std::vector<std::string>;

std::string span_words(std::uint64_t first_us, std::uint64_t last_us, std::uint64_t now_us) {
  std::string first = format_time(first_us, now_us);
  const std::string last = format_time(last_us, now_us);
  if (first == last) return first;
  const auto day = first.rfind(' ');
  const bool same_day = day != std::string::npos && last.starts_with(first.substr(0, day + 1));
  return fmt::format("{} to {}", first, same_day ? last.substr(day + 1) : last);
}

}  // namespace

std::string title_text(const Screen& screen, const std::vector<std::string>& parts) {
  std::string text;
  std::size_t used = 0;
  for (const std::string& part : parts) {
    const bool fits = !screen.width || used + 3 + display_width(part) <= *screen.width;
    if (used > 0) text += fits ? "   " : "\n  ";
    used = (fits ? used + (used > 0 ? 3 : 0) : 2) + display_width(part);
    text += part;
  }
  return text + "\n";
}

std::string point_words(const ComparisonView& head) {
  if (!head.point) return {};
  const std::string name = head.point_name.value_or("");
  return fmt::format("point {}{}{}", *head.point, name.empty() ? "" : ": ", name);
}

std::pair<std::string, std::string> job_sides(const CompareView& view) {
  if (view.name_a.empty() || view.name_b.empty()) return {"plain", "traced"};
  return {printable(view.name_a), printable(view.name_b)};
}

std::string pairing_words(const ComparisonView& head, bool letters) {
  const std::string pairing = head.pairing.value_or("");
  if (pairing == "blocks") return plural(head.effect.samples_a.value_or(0), letters ? "ABBA block" : "block");
  if (pairing == "boots of blocks") return plural(head.effect.samples_a.value_or(0), "boot") + " of blocks";
  if (pairing == "builds of blocks")
    return fmt::format("blocks of {} builds a side", head.effect.samples_a.value_or(0));
  if (pairing == "boots") {
    return fmt::format("{} and {} boots", head.effect.samples_a.value_or(0),
                       head.effect.samples_b.value_or(0));
  }
  return {};
}

std::size_t owner_count(const ComparisonView& head) {
  if (!head.owners_a || !head.owners_b || !head.owner_runs_a || !head.owner_runs_b) return 0;
  std::set<std::uint32_t> owners{head.owners_a->begin(), head.owners_a->end()};
  owners.insert(head.owners_b->begin(), head.owners_b->end());
  return owners.size();
}

Lines when(const ComparisonView& head, std::uint64_t now_us) {
  if (!head.first_started_a_us || !head.first_started_b_us) return {};
  return {{"measured",
           fmt::format("A {}; B {}",
                       span_words(*head.first_started_a_us,
                                  head.last_started_a_us.value_or(*head.first_started_a_us), now_us),
                       span_words(*head.first_started_b_us,
                                  head.last_started_b_us.value_or(*head.first_started_b_us), now_us))}};
}

std::vector<std::string> undeclared_groups(const CompareView& view) {
  Words groups;
  for (const FactChangeView& fact : view.details.facts) {
    const bool explains = fact.explains.value_or(false) && !fact.declared.value_or(false);
    if (explains && std::ranges::find(groups, fact.group) == groups.end()) groups.push_back(fact.group);
  }
  return groups;
}

Lines facts(const Screen& screen, const CompareView& view, bool explaining) {
  Lines lines;
  std::size_t shown = 0;
  std::size_t left_out = 0;
  constexpr std::size_t kMost = 8;
  for (const FactChangeView& fact : view.details.facts) {
    if (fact.declared.value_or(false) || fact.explains.value_or(false) != explaining) continue;
    if (!view.all && shown == kMost) {
      ++left_out;
      continue;
    }
    ++shown;
    lines.push_back({fact.group, fact_words(screen, fact, 30)});
  }
  if (left_out > 0) lines.push_back({"", fmt::format("...{} more facts: --all", left_out)});
  return lines;
}

std::vector<Section> environment(const Screen& screen, const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  std::vector<Section> sections;
  // A refused verdict has them above, as its reason.
  if (head.verdict != "refused" || view.asked.despite) {
    if (Lines lines = facts(screen, view, true); !lines.empty())
      sections.push_back({"also different, and able to explain it", std::move(lines)});
  }
  if (Lines lines = facts(screen, view, false); !lines.empty())
    sections.push_back({"also different, for the record", std::move(lines)});
  const Words same = head.same.value_or(Words{});
  if (!same.empty()) {
    sections.push_back({"", {{"same", fmt::format("{}", fmt::join(same, ", "))}}});
  } else if (view.details.facts.empty()) {
    sections.push_back({"", {{"environment", "not known of these runs"}}});
  }
  return sections;
}

Lines evidence(const ComparisonView& head) {
  Lines lines;
  for (const std::string& caveat : head.caveats.value_or(Words{}))
    lines.push_back({lines.empty() ? "evidence" : "", "- " + caveat});
  return lines;
}

std::string environment_and_evidence(const Screen& screen, const CompareView& view) {
  std::string text;
  for (const Section& section : environment(screen, view)) text += section_text(screen, section);
  return text + lines_text(screen, evidence(view.details.comparison));
}

}  // namespace netperfctl::comparing
