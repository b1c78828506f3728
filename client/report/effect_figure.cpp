// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "client/base/command_words.hpp"
#include "client/pages/comparison_tables.hpp"
#include "client/report/pictures.hpp"

namespace netperfctl::report {
namespace {

constexpr double kEffectHeight = 44, kEffectMiddle = 22, kCapOfInterval = 7;
constexpr std::size_t kEffectTicks = 7;

double percent(double ratio) {
  return (ratio - 1) * 100;
}

std::string interval(const Axis& axis, double low, double high) {
  std::string text = fmt::format("<line class=\"interval\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>",
                                 axis.at(low), axis.at(high), kEffectMiddle, kEffectMiddle);
  for (const double end : {low, high}) {
    text += fmt::format("<line class=\"interval\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/>",
                        axis.at(end), kEffectMiddle - kCapOfInterval, kEffectMiddle + kCapOfInterval);
  }
  return text;
}

std::string band(const Axis& axis, double threshold) {
  const double left = axis.place(-threshold) * 100;
  const double right = axis.place(threshold) * 100;
  return fmt::format("<rect class=\"threshold\" x=\"{:.2f}%\" width=\"{:.2f}%\" y=\"0\" height=\"{}\"/>",
                     left, right - left, kEffectHeight);
}

}  // namespace

std::string effect_figure(const ComparisonView& head) {
  if (!head.effect.ratio) return {};
  const double threshold = head.threshold.value_or(0) * 100;
  const double low = percent(head.effect.low.value_or(*head.effect.ratio));
  const double high = percent(head.effect.high.value_or(*head.effect.ratio));
  const Axis axis =
      linear_axis(std::min({0.0, -threshold, low}), std::max({0.0, threshold, high}), kEffectTicks);
  std::string text = band(axis, threshold) + horizontal_axis(axis, 0, kEffectHeight, " %");
  text += fmt::format("<line class=\"zero\" x1=\"{0}\" x2=\"{0}\" y1=\"0\" y2=\"{1}\"/>", axis.at(0),
                      kEffectHeight);
  const bool known = head.effect.low && head.effect.high;
  if (known) text += interval(axis, low, high);
  text += fmt::format("<circle class=\"estimate\" cx=\"{}\" cy=\"{}\" r=\"6\"/>",
                      axis.at(percent(*head.effect.ratio)), kEffectMiddle);
  std::string caption = fmt::format("B against A: {}", comparing::signed_percent(*head.effect.ratio));
  caption += known ? fmt::format(", and its interval, {} to {}", comparing::signed_percent(*head.effect.low),
                                 comparing::signed_percent(*head.effect.high))
                   : ", without an interval";
  caption += fmt::format(". The thick line is no difference; the shaded part is within the threshold, {}.",
                         percent_text(head.threshold.value_or(0)));
  return figure(caption, drawing("plot", kEffectHeight + 20, text));
}

}  // namespace netperfctl::report
