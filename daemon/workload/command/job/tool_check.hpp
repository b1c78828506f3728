// SPDX-License-Identifier: GPL-2.0-or-later
// What the text of a program that netperfd knows must say of itself, before its figures are believed.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace netperfd::workload {

struct ToolCheck {
  std::string tool;               // whose text it is: "netperf"
  std::chrono::seconds duration;  // that was asked for
  // What the text says by the names of the facts that its import has: {"request", "64"}.
  std::vector<std::pair<std::string, std::string>> says;

  bool operator==(const ToolCheck&) const = default;
};

// As DeclaredFigure::place of FigureForm::tool, and back. No word may have a line feed, no key a '='.
[[nodiscard]] std::string to_place(const ToolCheck& check);
[[nodiscard]] ToolCheck tool_check(std::string_view place);

}  // namespace netperfd::workload
