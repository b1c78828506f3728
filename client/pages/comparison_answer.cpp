// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/comparison_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/base/command_words.hpp"
#include "client/pages/comparison_parts.hpp"
#include "client/pages/comparison_tables.hpp"
#include "client/pages/plan_steps.hpp"
#include "client/pages/witness_text.hpp"
#include "client/terminal/units.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfctl::comparing {
namespace {

using Words = std::vector<std::string>;

std::string capitals(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

std::string interval_words(const JudgedFigure& figure) {
  const ComparisonView& head = figure.head;
  Words parts;
  if (head.effect.low && head.effect.high) {
    std::string low = signed_percent(*head.effect.low);
    low.resize(low.size() - 2);  // one unit for both
    parts.push_back(fmt::format("{} to {} ({:.1f} % interval)", low, signed_percent(*head.effect.high),
                                head.effect.level.value_or(0) * 100));
  }
  if (head.effect.p) {
    parts.push_back("p " + probability_text(*head.effect.p) +
                    (figure.together > 1 ? fmt::format(" of {} figures", figure.together) : ""));
  }
  if (head.reach.cliffs_delta)
    parts.push_back(fmt::format("Cliff's delta {:+.2f}", *head.reach.cliffs_delta));
  return fmt::format("{}", fmt::join(parts, "; "));
}

// What a comparison counts, and how many of it one can have at most: a sample has a run of each side, one of
// a design two, or four if plain and traced ones are in it.
struct SampleKind {
  const char *one, *several;
  const char* side;  // " a side", unless one has both sides in it
  std::uint64_t most;
};

SampleKind kind_of(const ComparisonView& head) {
  const std::string pairing = head.pairing.value_or("runs");
  const std::uint64_t most_blocks = kMostRunsOfSide / (head.traced_to_plain ? 4 : 2);
  if (pairing == "blocks") return {"block", "blocks", "", most_blocks};
  if (pairing == "builds of blocks") return {"pair of builds", "pairs of builds", "", kMostBuildsOfSide};
  if (pairing == "boots of blocks") return {"boot", "boots", "", most_blocks};
  if (pairing == "boots") return {"boot", "boots", " a side", kBootsOfSideInBlock * kMostBlocksWithBoots};
  return {"run", "runs", " a side", kMostRunsOfSide};
}

// "8 runs a side", "6 blocks". No number of samples is without its unit.
std::string samples_words(const ComparisonView& head, std::uint64_t count) {
  const SampleKind kind = kind_of(head);
  return fmt::format("{} {}{}", format_count(count), count == 1 ? kind.one : kind.several, kind.side);
}

// How many samples would find a difference of twice the threshold, or show that there is none of the
// threshold, where that is more than there are.
std::string samples_needed(const ComparisonView& head) {
  if (!head.threshold) return {};
  const std::uint32_t samples =
      std::min(head.effect.samples_a.value_or(0), head.effect.samples_b.value_or(0));
  const std::uint64_t most = kind_of(head).most;
  bool beyond = false;
  const auto about = [&](std::string_view what, const std::optional<std::uint32_t>& count) -> std::string {
    if (!count || *count <= samples) return {};
    beyond = beyond || *count > most;
    return fmt::format("; {} takes about {}", what, samples_words(head, *count));
  };
  const std::string threshold = percent_text(*head.threshold);
  std::string text =
      about(fmt::format("finding {} to be at least {}", percent_text(2 * *head.threshold), threshold),
            head.reach.needed);
  text += about("ruling out " + threshold, head.reach.needed_for_equivalence);
  if (beyond) text += fmt::format("; a comparison has {} at most", samples_words(head, most));
  return text;
}

// Where the interval alone would tell something; otherwise empty.
std::string undecided_words(const ComparisonView& head) {
  if (!head.effect.low || !head.effect.high) return {};
  const double threshold = head.threshold.value_or(0);
  const double low = *head.effect.low - 1, high = *head.effect.high - 1;
  if (low > -threshold && high < threshold) {
    return fmt::format("the whole interval lies within {}, but this host resolves no less than {}",
                       percent_text(threshold), format_percent((head.resolution.value_or(1) - 1) * 100));
  }
  if (low <= 0 && high >= 0) return {};
  if (low < threshold && high > -threshold)
    return fmt::format("more than chance, but not shown to be at least {}", percent_text(threshold));
  if (!head.resolution) return {};
  return fmt::format("at least {} between these runs, but this host resolves {} at best",
                     percent_text(threshold), format_percent((*head.resolution - 1) * 100));
}

// What the verdict means, where the word alone does not say it.
std::string meaning(const JudgedFigure& figure) {
  const ComparisonView& head = figure.head;
  const std::string threshold = percent_text(head.threshold.value_or(0));
  if (head.verdict == "equivalent") return fmt::format("the whole interval lies within {}", threshold);
  if (head.verdict == "too few" && figure.together > 1 && figure.fewest) {
    return fmt::format("too few: an interval beside those of the other figures takes {}",
                       samples_words(head, *figure.fewest));
  }
  if (head.verdict == "too few") {  // an older netperfd does not tell how many are enough
    return fmt::format(
        "too few to give an interval{}: what differs is shown, and whether it is more than chance is open",
        figure.fewest ? ", which takes " + samples_words(head, *figure.fewest) : "");
  }
  if (head.verdict == "improvement" || head.verdict == "regression") {
    return fmt::format("{}changed by at least {}", figure.lower_is_better ? "less is better; " : "",
                       threshold);
  }
  if (head.verdict != "inconclusive") return {};
  if (!figure.reason.empty()) return figure.reason;
  if (const std::string text = undecided_words(head); !text.empty()) return text + samples_needed(head);
  std::string text = "neither a difference nor its absence is shown";
  if (!head.reach.detectable) return text;
  return text + fmt::format(": {} find a difference of {} {}{}",
                            samples_words(head, std::min(head.effect.samples_a.value_or(0),
                                                         head.effect.samples_b.value_or(0))),
                            format_percent((*head.reach.detectable - 1) * 100), power_words(0.8),
                            samples_needed(head));
}

// Up to which luck of a boot or a build the verdict holds.
std::string luck_words(const ComparisonView& head) {
  if (!head.boot_spread || !head.of_one || head.of_one->empty()) return {};
  const bool builds = head.of_one->back() == "build";
  const bool both = head.of_one->size() > 1;
  const char* ones = both ? "one boot and one build" : builds ? "one build" : "one boot";
  const char* another = both ? "another boot or build" : builds ? "another build" : "another boot";
  if (*head.boot_spread < 0.00005) return fmt::format("; each side had {}: {} could undo it", ones, another);
  return fmt::format(
      "; each side had {}: {} could undo it only if that alone changes the figure by more than {}", ones,
      another, format_percent(*head.boot_spread * 100));
}

// What the figure was read from, if its name alone does not say it.
std::string source_words(const JudgedFigure& figure) {
  if (figure.source.empty()) return {};
  const bool of_work = figure.unit == "ns_per_packet" || figure.unit == "ns_per_transaction";
  if (!of_work) return fmt::format("of the kernel's counters ({}), over the whole run", figure.source);
  if (figure.source == "nic") return "packets that the client's device counted";
  return fmt::format("by the {} of the workload", figure.source);
}

// "38.5 -> 72.4 Mbit/s", as far apart as the change says. Medians of runs need not be: the estimate compares
// within blocks. An older netperfd tells only those.
std::string levels_of(const JudgedFigure& figure) {
  const ComparisonView& head = figure.head;
  const std::string a = in_unit(figure.unit, head.effect.centre_a.value_or(*head.effect.median_a));
  const std::string b = in_unit(figure.unit, head.effect.centre_b.value_or(*head.effect.median_b));
  const auto unit_of = [](const std::string& text) {
    return text.substr(std::min(text.find(' '), text.size()));
  };
  return fmt::format("{} -> {}", unit_of(a) == unit_of(b) ? a.substr(0, a.find(' ')) : a, b);
}

// Makes `head` that of a comparison of this figure alone.
void copy_figure(const ComparedFigureView& row, ComparisonView& head) {
  head.figure = row.figure;
  head.verdict = row.verdict;
  head.leaning = row.leaning;
  head.threshold = row.threshold;
  head.pairing = row.pairing;
  head.boot_spread = row.boot_spread;
  head.resolution = row.resolution;
  head.effect = row.effect;
  if (row.p_adjusted) head.effect.p = row.p_adjusted;
  head.reach = row.reach;
  head.selftest = row.selftest;
}

JudgedFigure judged(const ComparisonView& head, const ComparedFigureView& row, std::size_t together) {
  JudgedFigure figure{.head = head,
                      .unit = row.unit,
                      .source = row.source.value_or(""),
                      .reason = row.reason.value_or(""),
                      .lower_is_better = row.better == "lower",
                      .together = together,
                      .fewest = row.fewest};
  copy_figure(row, figure.head);
  return figure;
}

// Marks the verdict.
std::string owners_mark(const CompareView& view) {
  const std::size_t owners = owner_count(view.details.comparison);
  return owners > 1 ? fmt::format(", runs of {} users", owners) : "";
}

Answer answer_of(const CompareView& view, const JudgedFigure& figure) {
  const ComparisonView& head = figure.head;
  Answer answer{.figure = head.figure, .verdict = capitals(head.verdict), .style = style_of(head.verdict)};
  if (view.asked.despite && head.verdict != "refused") {
    if (const Words groups = undeclared_groups(view); !groups.empty()) {
      answer.verdict += fmt::format(" despite {}", fmt::join(groups, ", "));
    }
  }
  if (head.leaning) answer.verdict += fmt::format(", leaning to {}", *head.leaning);
  answer.verdict += owners_mark(view);
  const bool refused = head.verdict == "refused";  // the daemon tells the figures all the same
  if (head.effect.median_a && head.effect.median_b && !refused) answer.medians = levels_of(figure);
  if (head.effect.ratio && !refused) answer.change = signed_percent(*head.effect.ratio);
  const auto add = [&answer](std::string words) {
    if (!words.empty()) answer.lines.push_back({"", std::move(words)});
  };
  if (!refused) add(interval_words(figure));
  add(meaning_of(figure));
  add(source_words(figure));
  return answer;
}

// What holds for all figures, below the first one.
void add_common_lines(const CompareView& view, Answer& answer) {
  const bool refused = view.details.comparison.verdict == "refused";
  if (const std::string words = refused ? "" : witness_words(view); !words.empty())
    answer.lines.push_back({"", words});
  if (view.asked.job && view.name_a.empty()) {
    answer.lines.push_back({"", "this is what tracing costs: the runs of B are traced, those of A plain"});
  }
}

std::string cpu_figure(const ComparisonView& head) {
  return head.work ? "cpu." + *head.work : "cpu";
}

// Of the CPU time that leads the page.
Answer leading_answer(const CompareView& view, const JudgedFigure& cpu) {
  Answer answer = answer_of(view, cpu);
  answer.lines.insert(
      answer.lines.begin(),
      {"", fmt::format("leads, because both sides reach the {} that they were offered: the throughput cannot "
                       "tell them apart, CPU time per {} can",
                       format_rate(view.details.comparison.offered_bits_per_second.value_or(0)),
                       work_word(view.details.comparison))});
  return answer;
}

// "12.34 %"
std::string share_in_hundredths(double percent) {
  if (percent > 0 && percent < 0.005) return "<0.01 %";
  if (percent >= 99.995 && percent < 100) return netperfd::rows::plain_percent(percent, 4) + " %";
  return fmt::format("{:.2f} %", percent);
}

}  // namespace

Style style_of(std::string_view verdict) {
  if (verdict == "improvement") return Style::good;
  if (verdict == "regression" || verdict == "trade-off" || verdict == "refused") return Style::bad;
  return verdict == "equivalent" ? Style::strong : Style::active;
}

std::string in_unit(std::string_view unit, double value) {
  if (unit == "bits_per_second") return format_rate(value);
  if (unit == "ns") return format_milliseconds(value / 1e6);
  if (unit == "share") return share_in_hundredths(value * 100);
  for (const auto& [name, per] : {std::pair{"ns_per_byte", "byte"},
                                  {"ns_per_packet", "packet"},
                                  {"ns_per_transaction", "transaction"}}) {
    if (unit == name) return format_hundredths(value) + fmt::format(" ns/{}", per);
  }
  if (unit == "per_second") return format_figure(value) + " /s";
  if (unit == "bytes_per_second") return format_figure(value) + " bytes/s";
  if (unit == "ns_per_second") return format_hundredths(value / 1e9) + " CPUs";
  if (unit == "per_gigabyte") return format_figure(value) + " /GB";
  // That of the runs' own figure.
  return unit.empty() ? format_figure(value) : format_figure(value) + fmt::format(" {}", unit);
}

std::vector<JudgedFigure> judged_figures(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  if (!head.figures || head.figures->empty()) return {{.head = head, .together = 1}};
  std::vector<JudgedFigure> figures;
  for (const ComparedFigureView& row : *head.figures)
    figures.push_back(judged(head, row, head.figures->size()));
  return figures;
}

std::optional<JudgedFigure> judged_cpu(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  if (!head.cpu.shift) return std::nullopt;
  for (const auto* rows : {&head.figures, &head.beside}) {
    if (!*rows) continue;
    for (const ComparedFigureView& row : **rows) {
      if (row.figure == cpu_figure(head))
        return judged(head, row, rows == &head.figures ? (*rows)->size() : 1);
    }
  }
  return std::nullopt;
}

std::optional<JudgedFigure> leading_cpu(const CompareView& view) {
  const ComparisonView& head = view.details.comparison;
  if (!head.offered_bits_per_second || head.verdict == "refused") return std::nullopt;
  auto cpu = judged_cpu(view);
  return cpu && cpu->head.verdict != "refused" ? std::move(cpu) : std::nullopt;
}

std::string work_word(const ComparisonView& head) {
  return head.work.value_or("byte");
}

std::string work_words(const ComparisonView& head) {
  return head.work.value_or("byte of goodput");
}

std::string meaning_of(const JudgedFigure& figure) {
  return meaning(figure) + luck_words(figure.head);
}

std::vector<JudgedFigure> shown_figures(const CompareView& view) {
  std::vector<JudgedFigure> figures = judged_figures(view);
  auto cpu = leading_cpu(view);
  if (!cpu) return figures;
  std::erase_if(figures, [&](const JudgedFigure& each) { return each.head.figure == cpu->head.figure; });
  figures.insert(figures.begin(), std::move(*cpu));
  return figures;
}

std::vector<Answer> answers_of(const CompareView& view) {
  const auto cpu = leading_cpu(view);
  std::vector<Answer> answers;
  for (const JudgedFigure& figure : shown_figures(view)) {
    const bool leads = cpu && figure.head.figure == cpu->head.figure;
    answers.push_back(leads ? leading_answer(view, figure) : answer_of(view, figure));
  }
  add_common_lines(view, answers.front());
  return answers;
}

Answer overall_answer(const CompareView& view) {
  std::vector<Answer> answers = answers_of(view);
  // What leads them has no say in the verdict.
  if (judged_figures(view).size() == 1) return std::move(answers.back());
  const std::string& verdict = view.details.comparison.verdict;
  Answer answer{.figure = "verdict", .verdict = capitals(verdict), .style = style_of(verdict)};
  Words parts;
  constexpr std::pair<const char*, const char*> kWords[] = {
      {"improvement", "improved"},      {"regression", "worse"},    {"equivalent", "equivalent"},
      {"inconclusive", "inconclusive"}, {"too few", "too few for"}, {"refused", "refused"}};
  for (const auto& [of_figure, words] : kWords) {
    Words names;
    for (const ComparedFigureView& row : *view.details.comparison.figures) {
      if (row.verdict == of_figure) names.push_back(row.figure);
    }
    if (!names.empty()) parts.push_back(fmt::format("{} {}", words, fmt::join(names, " and ")));
  }
  answer.verdict += fmt::format(": {}", fmt::join(parts, ", ")) + owners_mark(view);
  return answer;
}

std::string headline(const Screen& screen, const CompareView& view) {
  const std::vector<Answer> answers = answers_of(view);
  std::string text;
  if (judged_figures(view).size() > 1) {
    const Answer overall = overall_answer(view);
    text += fmt::format("\n  {:<11}{}\n", overall.figure, paint(screen, overall.style, overall.verdict));
  }
  text += "\n";
  for (const Answer& answer : answers) {
    std::string figures;
    for (const std::string& figure : {answer.medians, answer.change}) {
      if (!figure.empty()) figures += figure + "   ";
    }
    text += fmt::format("  {:<11}{}{}{}\n", answer.figure, answer.figure.size() > 10 ? "  " : "", figures,
                        paint(screen, answer.style, answer.verdict)) +
            lines_text(screen, answer.lines);
  }
  return text;
}

}  // namespace netperfctl::comparing
