// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/common_functions.hpp"

#include <algorithm>
#include <utility>

#include "daemon/analysis/compare/function_match.hpp"

namespace netperfd::core {
namespace {

std::vector<analysis::FunctionKey> keys_of(const std::vector<std::string>& functions) {
  std::vector<analysis::FunctionKey> keys;
  for (const std::string& function : functions) keys.push_back({function, {}});
  return keys;
}

}  // namespace

std::vector<std::string> functions_of_one_side(const std::vector<std::string>& a,
                                               const std::vector<std::string>& b) {
  std::vector<std::string> lonely;
  const analysis::FunctionLists list_a{keys_of(a)}, list_b{keys_of(b)};
  for (auto& function : analysis::match_functions(list_a, list_b).functions) {
    const bool is_lonely = function.match == FunctionMatch::only_a || function.match == FunctionMatch::only_b;
    if (is_lonely) lonely.push_back(std::move(function.name));
  }
  std::ranges::sort(lonely);
  return lonely;
}

void CommonFunctions::find(const Arm& last, Sides::Done done) {
  done_ = std::move(done);
  Arm other = last;
  other.variant = last.variant == 'A' ? 'B' : 'A';
  other.letter = 0;
  sides_.bring(other, [this, last](const Status& there) {
    if (!there || sides_.gave_up()) return std::exchange(done_, nullptr)(there);
    first_ = tracer_.functions(spec_).value_or(std::vector<std::string>{});
    sides_.bring(last, [this](const Status& back) {
      const auto second = tracer_.functions(spec_).value_or(std::vector<std::string>{});
      if (back && !first_.empty() && !second.empty()) {
        spec_.function_graph->left_out = functions_of_one_side(first_, second);
      }
      std::exchange(done_, nullptr)(back);
    });
  });
}

}  // namespace netperfd::core
