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

#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::analysis {

// "hsr_get_node" of "hsr_get_node.isra.0.cold". Of a BPF program its own name: the kernel puts a digest of
// its code before it, "count" of "bpf_prog_6deef7357e7b4530_count".
[[nodiscard]] std::string_view base_name(std::string_view name);

// What identifies a function on one side. Views of the owner's texts.
struct FunctionKey {
  std::string_view name, module;
  std::uint32_t duplicate = 0;

  // Compares the name first, which decides soonest: a large trace needs a hundred thousand look-ups.
  friend bool operator<(const FunctionKey& left, const FunctionKey& right) {
    if (const int order = left.name.compare(right.name); order != 0) return order < 0;
    if (const int order = left.module.compare(right.module); order != 0) return order < 0;
    return left.duplicate < right.duplicate;
  }
};
template <class Function>  // with a name, a module and a number among its namesakes
[[nodiscard]] FunctionKey function_key(const Function& function) {
  return {function.name, function.module, function.duplicate};
}

// The functions of each run, in an order of its own.
using FunctionLists = std::vector<std::vector<FunctionKey>>;

struct MatchedFunction {
  std::string name, name_b, module;  // as in FunctionDelta
  std::uint32_t duplicate = 0;       // A's, or B's if only B has it
  FunctionMatch match = FunctionMatch::same;
  // By run: the function's place in the list of that run; absent: not there.
  std::vector<std::optional<std::size_t>> in_a, in_b;
};

struct FunctionMatches {
  std::vector<MatchedFunction> functions;
  // Functions whose symbol was unknown in a run. Their tokens mean nothing outside that run, so they are in
  // no row.
  std::size_t without_symbol = 0;
};

[[nodiscard]] FunctionMatches match_functions(const FunctionLists& a, const FunctionLists& b);

// The called functions of their traces. All runs must have a trace.
[[nodiscard]] FunctionMatches match_functions(const RunList& a, const RunList& b);

}  // namespace netperfd::analysis
