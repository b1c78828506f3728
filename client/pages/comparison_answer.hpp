// SPDX-License-Identifier: GPL-2.0-or-later
// The answer of a comparison: its figures, each with its verdict, and the verdict over all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/pages/lines.hpp"
#include "client/rows/comparison_views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::comparing {

struct JudgedFigure {
  ComparisonView head;  // as if the figure had been compared alone, but for its interval and its p
  std::string unit = "bits_per_second";
  bool lower_is_better = false;
  std::size_t together = 1;                            // figures that the comparison judges
  std::optional<std::uint32_t> fewest = std::nullopt;  // samples that an interval takes
};
// The primary first, at least one.
[[nodiscard]] std::vector<JudgedFigure> judged_figures(const CompareView& view);

// That of the CPU time of the plain runs; absent from an older netperfd, and if it is not known.
[[nodiscard]] std::optional<JudgedFigure> judged_cpu(const CompareView& view);
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
// Of each figure.
[[nodiscard]] std::vector<Answer> answers_of(const CompareView& view);
// That of the only figure, or of several the verdict: "TRADE-OFF: improved received, worse latency.p99".
[[nodiscard]] Answer overall_answer(const CompareView& view);
// All of them as text.
[[nodiscard]] std::string headline(const Screen& screen, const CompareView& view);

}  // namespace netperfctl::comparing
