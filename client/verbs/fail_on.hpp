// SPDX-License-Identifier: GPL-2.0-or-later
// --fail-on: which verdicts of a comparison end with an exit code other than 0.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "client/base/outcome.hpp"
#include "client/rows/comparison_views.hpp"
#include "client/verbs/choices.hpp"

namespace netperfctl {

using FailOn = std::vector<std::string>;  // regression, inconclusive or never

inline CLI::Option* add_fail_on(CLI::App& command, FailOn& fail_on, const std::string& words) {
  return command.add_option("--fail-on", fail_on, words)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of({"regression", "inconclusive", "never"}))
      ->type_name("VERDICT");
}

[[nodiscard]] inline Exit exit_of(std::string_view verdict, const FailOn& fail_on) {
  const auto has = [&](std::string_view word) { return std::ranges::find(fail_on, word) != fail_on.end(); };
  const auto fails = [&](std::string_view on) { return has(on) && !has("never"); };
  if (verdict == "improvement" || verdict == "equivalent") return Exit::ok;
  if (verdict == "regression" || verdict == "trade-off")
    return fails("regression") ? Exit::regression : Exit::ok;
  return fails("inconclusive") ? Exit::inconclusive : Exit::ok;
}

// Of a sweep: that of the point which is worst.
[[nodiscard]] inline Exit exit_of(const SweepDetails& details, const FailOn& fail_on) {
  Exit exit = details.figures.empty() ? exit_of("", fail_on) : Exit::ok;
  for (const SweepFigureView& row : details.figures) {
    const Exit of_point = exit_of(row.point_verdict, fail_on);
    if (of_point == Exit::regression) return of_point;
    if (of_point != Exit::ok) exit = of_point;
  }
  return exit;
}

}  // namespace netperfctl
