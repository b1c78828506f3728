#include "daemon/core/common_functions.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "daemon/analysis/function_match.hpp"

namespace netperfd::core {
namespace {

using Names = std::set<std::string_view>;

// How many without a namesake each side has of a base name.
struct Unmatched {
  std::uint32_t a = 0, b = 0;
};

}  // namespace

std::vector<std::string> functions_of_one_side(const std::vector<std::string>& a,
                                               const std::vector<std::string>& b) {
  const Names names_a(a.begin(), a.end()), names_b(b.begin(), b.end());
  std::map<std::string_view, Unmatched> unmatched;
  for (const std::string& function : a) {
    if (!names_b.contains(function)) ++unmatched[analysis::base_name(function)].a;
  }
  for (const std::string& function : b) {
    if (!names_a.contains(function)) ++unmatched[analysis::base_name(function)].b;
  }
  std::set<std::string> lonely;
  const auto add = [&](const std::vector<std::string>& functions, const Names& other) {
    for (const std::string& function : functions) {
      if (other.contains(function)) continue;
      const Unmatched& base = unmatched[analysis::base_name(function)];
      if (base.a != 1 || base.b != 1) lonely.insert(function);
    }
  };
  add(a, names_b);
  add(b, names_a);
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
