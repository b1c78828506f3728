// SPDX-License-Identifier: GPL-2.0-or-later
// Matches the functions of A to those of B.
//
// A function is identified by its module, its name and, if several share the name, its number among them. The
// compiler names clones of a function by what it did to it (.isra, .constprop, .part, .cold; .llvm in a
// link-time build), and another build may name them differently. Functions left over on both sides are
// therefore matched by the name without these suffixes, but only if that leaves one candidate on each side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/sampling.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

// "hsr_get_node" of "hsr_get_node.isra.0.cold".
[[nodiscard]] std::string_view base_name(std::string_view name);

struct MatchedFunction {
  std::string name, name_b, module;  // as in FunctionDelta
  std::uint32_t duplicate = 0;       // A's, or B's if only B has it
  FunctionMatch match = FunctionMatch::same;
  // By run, in the order of the list: the function's place in the trace of that run; absent: not called.
  std::vector<std::optional<std::size_t>> in_a, in_b;
};

struct FunctionMatches {
  std::vector<MatchedFunction> functions;
  // Functions whose symbol was unknown in a run. Their tokens mean nothing outside that run, so they are in
  // no row.
  std::size_t without_symbol = 0;
};

// All runs must have a trace.
[[nodiscard]] FunctionMatches match_functions(const RunList& a, const RunList& b);

}  // namespace netperfd::analysis
