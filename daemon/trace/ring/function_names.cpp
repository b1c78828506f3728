// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/function_names.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

namespace netperfd::trace {

FunctionNames::FunctionNames(const Symbols& symbols) : symbols_(symbols) {
  struct Named {
    std::size_t hash;
    Symbols::Function function;
  };
  std::vector<Named> all;
  all.reserve(symbols.size());
  symbols.each_function([&](const Symbols::Function& function) {
    const std::hash<std::string_view> hash;
    all.push_back({hash(function.name) ^ (hash(function.module) << 1U), function});
  });
  // The sort is stable, so functions with the same name stay in order of address.
  std::ranges::stable_sort(all, {}, &Named::hash);
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end =
        std::find_if(begin, all.end(), [&](const Named& one) { return one.hash != begin->hash; });
    if (end - begin > 1) {
      std::stable_sort(begin, end, [](const Named& left, const Named& right) {
        return std::tie(left.function.name, left.function.module) <
               std::tie(right.function.name, right.function.module);
      });
      for (auto it = begin; it != end;) {
        const auto other = std::find_if(it, end, [&](const Named& one) {
          return one.function.name != it->function.name || one.function.module != it->function.module;
        });
        std::uint32_t number = 0;
        if (other - it > 1) {
          for (; it != other; ++it) duplicates_[it->function.address] = ++number;
        }
        it = other;
      }
    }
    begin = end;
  }
}

analysis::FunctionName FunctionNames::name_of(std::uint64_t address) const {
  const auto function = symbols_.find_function(address);
  if (!function) return {symbols_.token(address), "", 0};
  const auto duplicate = duplicates_.find(function->address);
  return {std::string(function->name), std::string(function->module),
          duplicate == duplicates_.end() ? 0 : duplicate->second};
}

}  // namespace netperfd::trace
