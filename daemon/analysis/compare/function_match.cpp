// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/function_match.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace netperfd::analysis {
namespace {

using Places = std::vector<std::optional<std::size_t>>;  // by run
using Table = std::map<FunctionKey, Places>;

constexpr std::array<std::string_view, 5> kCloneSuffixes = {".isra", ".constprop", ".part", ".cold", ".llvm"};

// A symbol holds no colon; a token such as "p:3f9c21d0" does.
bool has_symbol(const FunctionKey& function) {
  return function.name.find(':') == std::string_view::npos;
}

Table table_of(const FunctionLists& runs, std::size_t& without_symbol) {
  Table table;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (std::size_t place = 0; place < runs[run].size(); ++place) {
      if (!has_symbol(runs[run][place])) {
        ++without_symbol;
        continue;
      }
      Places& places = table[runs[run][place]];
      places.resize(runs.size());
      places[run] = place;
    }
  }
  return table;
}

FunctionLists traced_functions(const RunList& runs) {
  FunctionLists lists;
  for (const ComparedRun* run : runs) {
    auto& list = lists.emplace_back();
    for (const ComparedFunction& function : run->trace->functions) list.push_back(function_key(function));
  }
  return lists;
}

MatchedFunction row(const FunctionKey& key, FunctionMatch match) {
  MatchedFunction function;
  function.name = key.name;
  function.module = key.module;
  function.duplicate = key.duplicate;
  function.match = match;
  return function;
}

// Functions without a namesake on the other side, by module and base name.
std::map<std::pair<std::string_view, std::string_view>, std::vector<FunctionKey>> by_base_name(
    const Table& table, const Table& other) {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<FunctionKey>> groups;
  for (const auto& [key, places] : table) {
    if (other.contains(key)) continue;
    groups[{key.module, base_name(key.name)}].push_back(key);
  }
  return groups;
}

std::map<FunctionKey, FunctionKey> renamed_functions(const Table& a, const Table& b) {
  std::map<FunctionKey, FunctionKey> renamed;
  const auto left_b = by_base_name(b, a);
  for (const auto& [base, keys_a] : by_base_name(a, b)) {
    const auto keys_b = left_b.find(base);
    if (keys_a.size() != 1 || keys_b == left_b.end() || keys_b->second.size() != 1) continue;
    // The same name with another number need not be the same function.
    if (keys_a.front().name == keys_b->second.front().name) continue;
    renamed.emplace(keys_a.front(), keys_b->second.front());
  }
  return renamed;
}

bool is_clone_suffix(std::string_view part) {
  return std::ranges::find(kCloneSuffixes, part) != kCloneSuffixes.end();
}

bool is_number(std::string_view part) {
  return part.size() > 1 && part.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

// Empty if it is no BPF program, or one without a name.
std::string_view name_of_program(std::string_view symbol) {
  constexpr std::string_view kPrefix = "bpf_prog_";
  constexpr std::size_t kDigits = 16;
  if (!symbol.starts_with(kPrefix) || symbol.size() <= kPrefix.size() + kDigits + 1) return {};
  const std::string_view tag = symbol.substr(kPrefix.size(), kDigits);
  if (symbol[kPrefix.size() + kDigits] != '_' ||
      tag.find_first_not_of("0123456789abcdef") != std::string_view::npos)
    return {};
  return symbol.substr(kPrefix.size() + kDigits + 1);
}

}  // namespace

std::string_view base_name(std::string_view name) {
  if (const std::string_view program = name_of_program(name); !program.empty()) return program;
  // From the end: a number belongs to the suffix before it, but ".cold" stands alone.
  std::string_view base = name;
  for (;;) {
    std::string_view rest = base;
    std::size_t dot = rest.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return base;
    if (is_number(rest.substr(dot))) {
      rest = rest.substr(0, dot);
      dot = rest.rfind('.');
      if (dot == std::string_view::npos || dot == 0) return base;
    }
    if (!is_clone_suffix(rest.substr(dot))) return base;
    base = rest.substr(0, dot);
  }
}

FunctionMatches match_functions(const RunList& a, const RunList& b) {
  return match_functions(traced_functions(a), traced_functions(b));
}

FunctionMatches match_functions(const FunctionLists& a, const FunctionLists& b) {
  FunctionMatches matches;
  Table table_a = table_of(a, matches.without_symbol);
  Table table_b = table_of(b, matches.without_symbol);
  const auto renamed = renamed_functions(table_a, table_b);
  std::set<FunctionKey> taken;
  for (auto& [key, places] : table_a) {
    MatchedFunction function = row(key, FunctionMatch::only_a);
    auto of_b = table_b.find(key);
    if (of_b != table_b.end()) {
      function.match = FunctionMatch::same;
    } else if (const auto other = renamed.find(key); other != renamed.end()) {
      of_b = table_b.find(other->second);
      function.match = FunctionMatch::renamed;
      function.name_b = other->second.name;
    }
    function.in_a = std::move(places);
    function.in_b.resize(b.size());
    if (of_b != table_b.end()) {
      function.in_b = std::move(of_b->second);
      taken.insert(of_b->first);
    }
    matches.functions.push_back(std::move(function));
  }
  for (auto& [key, places] : table_b) {
    if (taken.contains(key)) continue;
    MatchedFunction function = row(key, FunctionMatch::only_b);
    function.in_a.resize(a.size());
    function.in_b = std::move(places);
    matches.functions.push_back(std::move(function));
  }
  return matches;
}

}  // namespace netperfd::analysis
