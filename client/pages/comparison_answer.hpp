// SPDX-License-Identifier: GPL-2.0-or-later
// The answer of a comparison: its figures, each with its verdict, and the verdict over all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/pages/lines.hpp"
#include "client/rows/comparison_views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::comparing {

struct JudgedFigure {
  ComparisonView head;  // as if the figure had been compared alone, but for its interval and its p
  std::string unit = "bits_per_second";
  std::string source = {};  // as in ComparedFigureView; empty: the name of the figure says it
  std::string reason = {};  // what decided, if the interval did not
  bool lower_is_better = false;
  std::size_t together = 1;                            // figures that the comparison judges
  std::optional<std::uint32_t> fewest = std::nullopt;  // samples that an interval takes
};
// The primary first, at least one.
[[nodiscard]] std::vector<JudgedFigure> judged_figures(const CompareView& view);

// That of the CPU time of the plain runs; absent from an older netperfd, and if it is not known.
[[nodiscard]] std::optional<JudgedFigure> judged_cpu(const CompareView& view);
// That of the CPU time, if both sides reached the rate that they were offered: the page leads with it.
[[nodiscard]] std::optional<JudgedFigure> leading_cpu(const CompareView& view);
// "1.20 ms" of a value in that unit of the API.
[[nodiscard]] std::string in_unit(std::string_view unit, double value);
[[nodiscard]] Style style_of(std::string_view verdict);
// What its verdict means: "the whole interval lies within 1 %".
[[nodiscard]] std::string meaning_of(const JudgedFigure& figure);

struct Answer {
  std::string figure = {};   // "received"
  std::string medians = {};  // "118.0 -> 320.4 Mbit/s"; empty if they are not known or mean nothing
  std::string change = {};   // "+171 %"; likewise
  std::string verdict = {};  // "IMPROVEMENT"
  Style style = Style::plain;
  Lines lines = {};  // the interval, and what the verdict means
};
// "byte of goodput", "packet" or "transaction": what costs are divided by; and as one word.
[[nodiscard]] std::string work_words(const ComparisonView& head);
[[nodiscard]] std::string work_word(const ComparisonView& head);
// Those of which the page shows an answer, in its order: the judged ones, behind the CPU time that leads
// them.
[[nodiscard]] std::vector<JudgedFigure> shown_figures(const CompareView& view);
// Of each of them.
[[nodiscard]] std::vector<Answer> answers_of(const CompareView& view);
// That of the only figure, or of several the verdict: "TRADE-OFF: improved received, worse latency.p99".
[[nodiscard]] Answer overall_answer(const CompareView& view);
// All of them as text.
[[nodiscard]] std::string headline(const Screen& screen, const CompareView& view);

}  // namespace netperfctl::comparing
