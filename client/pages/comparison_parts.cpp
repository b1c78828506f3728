// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/comparison_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "client/base/command_words.hpp"
#include "client/pages/comparison_tables.hpp"
#include "client/pages/witness_text.hpp"
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

Style style_of(std::string_view verdict) {
  if (verdict == "improvement") return Style::good;
  if (verdict == "regression" || verdict == "refused") return Style::bad;
  return verdict == "equivalent" ? Style::strong : Style::active;
}

std::string capitals(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

std::string interval_words(const ComparisonView& head) {
  Words parts;
  if (head.ratio_low && head.ratio_high) {
    std::string low = signed_percent(*head.ratio_low);
    low.resize(low.size() - 2);  // one unit for both
    parts.push_back(fmt::format("{} to {} ({:.1f} % interval)", low, signed_percent(*head.ratio_high),
                                head.level.value_or(0) * 100));
  }
  if (head.p) parts.push_back("p " + probability_text(*head.p));
  if (head.cliffs_delta) parts.push_back(fmt::format("Cliff's delta {:+.2f}", *head.cliffs_delta));
  return fmt::format("{}", fmt::join(parts, "; "));
}

// A block has both sides in it.
const char* a_side(const ComparisonView& head) {
  return head.pairing && head.pairing->ends_with("blocks") ? "" : " a side";
}

// How many samples would find a difference of the threshold or show that there is none, where that is more
// than there are.
std::string samples_needed(const ComparisonView& head) {
  if (!head.threshold) return {};
  const std::uint32_t samples = std::min(head.samples_a.value_or(0), head.samples_b.value_or(0));
  const auto about = [&](std::string_view what, const std::optional<std::uint32_t>& count) -> std::string {
    if (!count || *count <= samples) return {};
    return fmt::format("; {} {} takes about {}{}", what, percent_text(*head.threshold),
                       format_count(std::uint64_t{*count}), a_side(head));
  };
  return about("finding", head.needed) + about("ruling out", head.needed_for_equivalence);
}

std::string sample_noun(const ComparisonView& head, std::uint64_t count) {
  const std::string pairing = head.pairing.value_or("runs");
  return plural(count, pairing == "blocks"             ? "block"
                       : pairing == "builds of blocks" ? "pair of builds"
                       : pairing.starts_with("boots")  ? "boot"
                                                       : "run");
}

// Where the interval would decide, but the host resolves less; otherwise empty.
std::string unresolved_words(const ComparisonView& head) {
  if (!head.resolution || !head.ratio_low || !head.ratio_high) return {};
  const std::string resolution = format_percent((*head.resolution - 1) * 100);
  const double threshold = head.threshold.value_or(0);
  if (*head.ratio_low > 1 - threshold && *head.ratio_high < 1 + threshold) {
    return fmt::format("the whole interval lies within {}, but this host resolves no less than {}",
                       percent_text(threshold), resolution);
  }
  if (*head.ratio_low <= 1 && *head.ratio_high >= 1) return {};
  return fmt::format("the difference is more than chance, but smaller than the {} that this host resolves",
                     resolution);
}

// What the verdict means, where the word alone does not say it.
std::string meaning(const ComparisonView& head) {
  const std::string threshold = percent_text(head.threshold.value_or(0));
  if (head.verdict == "equivalent") return fmt::format("the whole interval lies within {}", threshold);
  if (head.verdict == "too few") {
    return "too few to give an interval: what differs is shown, and whether it is more than chance is open";
  }
  if (head.verdict == "improvement" || head.verdict == "regression") {
    const double least =
        head.verdict == "improvement" ? head.ratio_low.value_or(1) - 1 : 1 - head.ratio_high.value_or(1);
    return least < head.threshold.value_or(0) ? fmt::format("changed, perhaps by less than {}", threshold)
                                              : fmt::format("changed by at least {}", threshold);
  }
  if (head.verdict != "inconclusive") return {};
  if (const std::string text = unresolved_words(head); !text.empty()) return text;
  std::string text = "neither a difference nor its absence is shown";
  if (!head.detectable) return text;
  return text +
         fmt::format(": {}{} find a difference of {} {}{}",
                     sample_noun(head, std::min(head.samples_a.value_or(0), head.samples_b.value_or(0))),
                     a_side(head), format_percent((*head.detectable - 1) * 100), power_words(0.8),
                     samples_needed(head));
}

// Up to which luck of a boot or a build the verdict holds.
std::string luck_words(const ComparisonView& head) {
  if (!head.boot_spread || !head.of_one || head.of_one->empty()) return {};
  const bool builds = head.of_one->back() == "build";
  const bool both = head.of_one->size() > 1;
  const char* ones = both ? "one boot and one build a side" : builds ? "one build a side" : "one boot";
  if (*head.boot_spread < 0.00005) return fmt::format("; of {}, it holds for no other", ones);
  return fmt::format("; of {}, it holds unless {} differ by more than {}", ones,
                     both     ? "others"
                     : builds ? "builds"
                              : "boots",
                     format_percent(*head.boot_spread * 100));
}

}  // namespace

std::pair<std::string, std::string> job_sides(const CompareView& view) {
  if (view.name_a.empty() || view.name_b.empty()) return {"plain", "traced"};
  return {printable(view.name_a), printable(view.name_b)};
}

std::string pairing_words(const ComparisonView& head, bool letters) {
  const std::string pairing = head.pairing.value_or("");
  if (pairing == "blocks") return plural(head.samples_a.value_or(0), letters ? "ABBA block" : "block");
  if (pairing == "boots of blocks") return plural(head.samples_a.value_or(0), "boot") + " of blocks";
  if (pairing == "builds of blocks")
    return fmt::format("blocks of {} builds a side", head.samples_a.value_or(0));
  if (pairing == "boots") {
    return fmt::format("{} and {} boots", head.samples_a.value_or(0), head.samples_b.value_or(0));
  }
  return {};
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

Answer answer_of(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  Answer answer{.verdict = capitals(head.verdict), .style = style_of(head.verdict)};
  if (view.asked.despite && head.verdict != "refused") {
    if (const Words groups = undeclared_groups(view); !groups.empty()) {
      answer.verdict += fmt::format(" despite {}", fmt::join(groups, ", "));
    }
  }
  const bool refused = head.verdict == "refused";  // the daemon tells the figures all the same
  if (head.median_a && head.median_b && !refused) {
    const std::string a = format_rate(*head.median_a);
    const std::string b = format_rate(*head.median_b);
    const bool one_unit = a.substr(a.find(' ')) == b.substr(b.find(' '));
    // Medians of runs may lie the other way round than the estimate, which compares within blocks.
    const bool contrary = head.ratio && (*head.median_b > *head.median_a) != (*head.ratio > 1);
    answer.medians = contrary ? fmt::format("about {}", format_rate((*head.median_a + *head.median_b) / 2))
                              : fmt::format("{} -> {}", one_unit ? a.substr(0, a.find(' ')) : a, b);
  }
  if (head.ratio && !refused) answer.change = signed_percent(*head.ratio);
  const auto add = [&answer](std::string words) {
    if (!words.empty()) answer.lines.push_back({"", std::move(words)});
  };
  if (!refused) add(interval_words(head));
  add(meaning(head) + luck_words(head));
  if (!refused) add(witness_words(view));
  if (view.asked.job && view.name_a.empty())
    add("this is what tracing costs: the runs of B are traced, those of A plain");
  return answer;
}

std::string headline(const Screen& screen, const CompareView& view) {
  const Answer answer = answer_of(view);
  std::string figures;
  for (const std::string& figure : {answer.medians, answer.change}) {
    if (!figure.empty()) figures += figure + "   ";
  }
  return fmt::format("\n  {:<11}{}{}\n", view.details.comparison.figure, figures,
                     paint(screen, answer.style, answer.verdict)) +
         lines_text(screen, answer.lines);
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
