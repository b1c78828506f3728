#include "daemon/core/common_functions.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "daemon/analysis/function_match.hpp"

namespace netperfd::core {
namespace {

std::set<std::string_view> base_names(const std::vector<std::string>& functions) {
  std::set<std::string_view> names;
  for (const std::string& function : functions) names.insert(analysis::base_name(function));
  return names;
}

}  // namespace

std::vector<std::string> functions_of_one_side(const std::vector<std::string>& a,
                                               const std::vector<std::string>& b) {
  const auto names_a = base_names(a);
  const auto names_b = base_names(b);
  std::set<std::string> lonely;
  for (const std::string& function : a) {
    if (!names_b.contains(analysis::base_name(function))) lonely.insert(function);
  }
  for (const std::string& function : b) {
    if (!names_a.contains(analysis::base_name(function))) lonely.insert(function);
  }
  return {lonely.begin(), lonely.end()};
}

void CommonFunctions::find(char last, SideSwitch::Done done) {
  done_ = std::move(done);
  sides_.bring(last == 'A' ? 'B' : 'A', [this, last](const Status& there) {
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
