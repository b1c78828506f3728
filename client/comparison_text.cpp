// The page of a comparison: the answer, where the difference is, what else differs, how good the evidence is,
// and the command that repeats it. It holds nothing but ASCII of its own, since it is meant to be pasted into
// commit messages and mails.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "client/comparison_tables.hpp"
#include "client/escaped.hpp"
#include "client/render.hpp"
#include "client/show_parts.hpp"
#include "client/text.hpp"
#include "client/times.hpp"
#include "client/units.hpp"

namespace netperfctl {
namespace {

using Words = std::vector<std::string>;

std::size_t count_of(const std::optional<std::vector<std::uint64_t>>& runs) {
  return runs ? runs->size() : 0;
}

// "label before, 8 runs"; "job:12, 8 runs" or "runs 41,43" where the runs have no one label.
std::string side_words(const std::string& asked, const std::optional<Words>& labels, std::size_t runs) {
  const bool labelled = labels && labels->size() == 1 && !labels->front().empty();
  if (labelled) return fmt::format("label {}, {}", labels->front(), plural(runs, "run"));
  if (asked.find_first_not_of("0123456789, ") == std::string::npos) {
    return fmt::format("{} {}", runs == 1 ? "run" : "runs", asked);
  }
  return fmt::format("{}, {}", printable(asked), plural(runs, "run"));
}

std::string scenario_words(const ComparisonView& head) {
  if (!head.scenarios_a || head.scenarios_a->size() != 1) return {};
  return head.scenarios_a == head.scenarios_b ? head.scenarios_a->front() : "";
}

std::string pairing_words(const ComparisonView& head) {
  const std::string pairing = head.pairing.value_or("");
  if (pairing == "blocks") return plural(head.samples_a.value_or(0), "ABBA block");
  if (pairing == "boots") {
    return fmt::format("{} and {} boots", head.samples_a.value_or(0), head.samples_b.value_or(0));
  }
  return {};
}

std::string title(const Screen& screen, const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  Words parts;
  if (const std::string scenario = scenario_words(head); !scenario.empty()) parts.push_back(scenario);
  parts.push_back("A: " + side_words(view.asked.a, head.labels_a, count_of(head.runs_a)));
  parts.push_back("B: " + side_words(view.asked.b, head.labels_b, count_of(head.runs_b)));
  if (const std::string pairing = pairing_words(head); !pairing.empty()) parts.push_back(pairing);
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

std::string span_words(const Screen& screen, std::uint64_t first_us, std::uint64_t last_us) {
  std::string first = format_time(first_us, screen.now_us);
  const std::string last = format_time(last_us, screen.now_us);
  if (first == last) return first;
  const auto day = first.rfind(' ');
  const bool same_day = day != std::string::npos && last.starts_with(first.substr(0, day + 1));
  return fmt::format("{} to {}", first, same_day ? last.substr(day + 1) : last);
}

std::string when(const Screen& screen, const ComparisonView& head) {
  if (!head.first_started_a_us || !head.first_started_b_us) return {};
  return show::field(screen, "measured",
                     fmt::format("A {}; B {}",
                                 span_words(screen, *head.first_started_a_us,
                                            head.last_started_a_us.value_or(*head.first_started_a_us)),
                                 span_words(screen, *head.first_started_b_us,
                                            head.last_started_b_us.value_or(*head.first_started_b_us))));
}

// What was declared, or taken for the change, with its facts.
std::string changed_part(const Screen& screen, const CompareView& view) {
  const Words changed = view.details.comparison.changed.value_or(Words{});
  if (changed.empty()) return {};
  std::string text;
  for (const std::string& group : changed) {
    Words facts;
    for (const FactChangeView& fact : view.details.facts) {
      if (fact.group == group) facts.push_back(comparing::fact_words(screen, fact, 30));
    }
    constexpr std::size_t kMost = 3;
    const std::size_t more = view.all ? 0 : facts.size() - std::min(kMost, facts.size());
    facts.resize(facts.size() - more);
    if (more > 0) facts.push_back(fmt::format("and {} more: --all", plural(more, "fact")));
    if (facts.empty()) facts.emplace_back("declared, and in no known fact different");
    text += show::field(screen, "changed", fmt::format("{}   {}", group, fmt::join(facts, "\n  ")));
  }
  const auto follows = std::ranges::count_if(view.details.facts, [&](const FactChangeView& fact) {
    return fact.declared.value_or(false) && std::ranges::find(changed, fact.group) == changed.end();
  });
  if (follows > 0) {
    text += show::field(
        screen, "", plural(static_cast<std::uint64_t>(follows), "further fact") + " that this brings along");
  }
  return text;
}

// ---- The headline

Words undeclared_groups(const CompareView& view) {
  Words groups;
  for (const FactChangeView& fact : view.details.facts) {
    const bool explains = fact.explains.value_or(false) && !fact.declared.value_or(false);
    if (explains && std::ranges::find(groups, fact.group) == groups.end()) groups.push_back(fact.group);
  }
  return groups;
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

// As a person wrote it: "1 %".
std::string percent_text(double share) {
  return fmt::format("{:.4g} %", share * 100);
}

std::string interval_words(const ComparisonView& head) {
  Words parts;
  if (head.ratio_low && head.ratio_high) {
    std::string low = comparing::signed_percent(*head.ratio_low);
    low.resize(low.size() - 2);  // one unit for both
    parts.push_back(fmt::format("{} to {} ({:.1f} % interval)", low,
                                comparing::signed_percent(*head.ratio_high), head.level.value_or(0) * 100));
  }
  if (head.p) parts.push_back("p " + comparing::probability_text(*head.p));
  if (head.cliffs_delta) parts.push_back(fmt::format("Cliff's delta {:+.2f}", *head.cliffs_delta));
  return fmt::format("{}", fmt::join(parts, "; "));
}

// How many samples a side would find a difference of the threshold, as the spread of these says: what can be
// detected shrinks with the root of their number.
std::string samples_needed(const ComparisonView& head) {
  if (!head.detectable || !head.threshold || *head.detectable <= 1 || head.samples_a.value_or(0) == 0)
    return {};
  const double smallest = std::min(head.samples_a.value_or(0), head.samples_b.value_or(0));
  const double factor = std::log(*head.detectable) / std::log1p(*head.threshold);
  const double needed = std::ceil(smallest * factor * factor);
  if (factor <= 1 || needed > 1e6) return {};
  return fmt::format("; for {} about {} a side", percent_text(*head.threshold),
                     format_count(static_cast<std::uint64_t>(needed)));
}

std::string sample_noun(const ComparisonView& head, std::uint64_t count) {
  const std::string pairing = head.pairing.value_or("runs");
  return plural(count, pairing == "blocks" ? "block" : pairing == "boots" ? "boot" : "run");
}

// What the verdict means, where the word alone does not say it.
std::string meaning(const ComparisonView& head) {
  const std::string threshold = percent_text(head.threshold.value_or(0));
  if (head.verdict == "equivalent") return fmt::format("the whole interval lies within {}", threshold);
  if (head.verdict == "too few") {
    return "too few to give an interval: what differs is shown, and whether it is more than chance is open";
  }
  if (head.verdict != "inconclusive") return {};
  std::string text = "neither a difference nor its absence is shown";
  if (!head.detectable) return text;
  return text +
         fmt::format(": {} a side find a difference of {} four times in five{}",
                     sample_noun(head, std::min(head.samples_a.value_or(0), head.samples_b.value_or(0))),
                     format_percent((*head.detectable - 1) * 100), samples_needed(head));
}

std::string headline(const Screen& screen, const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  std::string verdict = capitals(head.verdict);
  if (view.asked.despite && head.verdict != "refused") {
    if (const Words groups = undeclared_groups(view); !groups.empty()) {
      verdict += fmt::format(" despite {}", fmt::join(groups, ", "));
    }
  }
  const bool refused = head.verdict == "refused";  // the daemon tells the figures all the same
  std::string figures;
  if (head.median_a && head.median_b && !refused) {
    const std::string a = format_rate(*head.median_a);
    const std::string b = format_rate(*head.median_b);
    const bool one_unit = a.substr(a.find(' ')) == b.substr(b.find(' '));
    figures = fmt::format("{} -> {}   ", one_unit ? a.substr(0, a.find(' ')) : a, b);
  }
  if (head.ratio && !refused) figures += comparing::signed_percent(*head.ratio) + "   ";
  std::string text =
      fmt::format("\n  {:<11}{}{}\n", head.figure, figures, paint(screen, style_of(head.verdict), verdict));
  if (const std::string interval = interval_words(head); !interval.empty() && !refused) {
    text += show::field(screen, "", interval);
  }
  if (const std::string words = meaning(head); !words.empty()) text += show::field(screen, "", words);
  return text;
}

// Why the verdict was refused, where that is for facts of the environment; else the caveats say it.
std::string refusal_words(const CompareView& view) {
  if (undeclared_groups(view).empty()) return {};
  const Words changed = view.details.comparison.changed.value_or(Words{});
  if (changed.empty()) return "not compared: these differ, and each can explain a result";
  return fmt::format("not compared: beside the change ({}) these differ and can explain a result",
                     fmt::join(changed, ", "));
}

// ---- The environment and the evidence

std::string facts_part(const Screen& screen, const CompareView& view, bool explaining) {
  std::string text;
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
    text += show::field(screen, fact.group, comparing::fact_words(screen, fact, 30));
  }
  if (left_out > 0) text += show::field(screen, "", fmt::format("...{} more facts: --all", left_out));
  return text;
}

std::string environment(const Screen& screen, const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  std::string text;
  if (head.verdict != "refused") {
    if (const std::string facts = facts_part(screen, view, true); !facts.empty()) {
      text += "\n" + paint(screen, Style::strong, "also different, and able to explain it") + "\n" + facts;
    }
  }
  if (const std::string facts = facts_part(screen, view, false); !facts.empty()) {
    text += "\n" + paint(screen, Style::strong, "also different, for the record") + "\n" + facts;
  }
  const Words same = head.same.value_or(Words{});
  if (!same.empty())
    return text + "\n" + show::field(screen, "same", fmt::format("{}", fmt::join(same, ", ")));
  if (!view.details.facts.empty()) return text;
  return text + "\n" + show::field(screen, "environment", "not known of these runs");
}

std::string evidence(const Screen& screen, const ComparisonView& head) {
  std::string text;
  const char* key = "evidence";
  for (const std::string& caveat : head.caveats.value_or(Words{})) {
    text += show::field(screen, key, "- " + caveat);
    key = "";
  }
  return text;
}

std::string attribution(const Screen& screen, const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  std::string text;
  if (head.ns_per_byte_shift && head.ns_per_byte_a && head.ns_per_byte_b) {
    std::string cost = fmt::format(
        "{} -> {} ns a byte on all CPUs, {}", format_hundredths(*head.ns_per_byte_a),
        format_hundredths(*head.ns_per_byte_b), comparing::signed_figure(*head.ns_per_byte_shift));
    if (head.ns_per_byte_low && head.ns_per_byte_high) {
      cost += fmt::format(" ({} to {})", comparing::signed_figure(*head.ns_per_byte_low),
                          comparing::signed_figure(*head.ns_per_byte_high));
    }
    text += show::field(screen, "CPU time", cost);
  }
  if (head.not_attributed) text += show::field(screen, "where", *head.not_attributed, Style::active);
  text += comparing::functions_table(screen, view);
  if (head.explained) {
    std::string words = fmt::format("{:.0f} % of the change in CPU time", *head.explained * 100);
    if (head.explained_low && head.explained_high) {
      words += fmt::format(" ({:.0f} to {:.0f} %)", *head.explained_low * 100, *head.explained_high * 100);
    }
    if (head.residual_ns_per_byte) {
      words += fmt::format("; residual {} ns a byte", comparing::signed_figure(*head.residual_ns_per_byte));
    }
    text += show::field(screen, "explained", words);
  }
  if (head.traced_to_plain) {
    text +=
        show::field(screen, "traced",
                    fmt::format("runs reach {} of plain throughput{}", format_share(*head.traced_to_plain),
                                *head.traced_to_plain < 0.7 ? ": not representative" : ""));
  }
  return text;
}

}  // namespace

std::string compare_text(const Screen& screen, const CompareView& asked) {
  CompareView view = asked;
  view.details = escaped(std::move(view.details));
  const ComparisonView& head = view.details.comparison;
  const bool refused = head.verdict == "refused";
  std::string text = title(screen, view) + when(screen, head) + changed_part(screen, view);
  text += headline(screen, view);
  if (refused) {
    if (const std::string words = refusal_words(view); !words.empty()) {
      text += show::field(screen, "", words) + facts_part(screen, view, true);
      text += show::field(
          screen, "next",
          "--changed GROUP says that one of them is the change; --despite shows the numbers all the "
          "same, marked");
    }
  } else {
    text += attribution(screen, view) + comparing::counters_table(screen, view);
  }
  text += environment(screen, view) + evidence(screen, head);
  return text + show::field(screen, "again", printable(view.command));
}

}  // namespace netperfctl
