// SPDX-License-Identifier: GPL-2.0-or-later
// What a comparison with a refused verdict says of itself: why, and what to do about it.
#pragma once

#include <optional>
#include <string>

#include "client/pages/lines.hpp"
#include "client/rows/comparison_views.hpp"

namespace netperfctl::comparing {

struct Refusal {
  std::string words;    // why the verdict was refused
  bool of_groups;       // whether undeclared_groups() is why
  std::string command;  // what to do next; empty: nothing gives a verdict
  std::string effect;   // of the command, or that there is none
};

// Absent if the verdict was not refused.
[[nodiscard]] std::optional<Refusal> refusal(const CompareView& view);
// The facts that are the reason, if the environment's part of the page does not have them.
[[nodiscard]] Lines refusing_facts(const Screen& screen, const CompareView& view);
[[nodiscard]] Lines next_lines(const Screen& screen, const Refusal& refusal);

}  // namespace netperfctl::comparing
