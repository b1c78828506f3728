// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/functions.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "daemon/model/nearest.hpp"
#include "daemon/trace/catalogue/modules.hpp"

namespace netperfd::trace {
namespace {

// The kernel's name for an entry of its list whose function is not part of the image.
constexpr std::string_view kInvalidPrefix = "__ftrace_invalid_address__";

}  // namespace

FunctionList FunctionList::parse(std::string_view text) {
  FunctionList list;
  list.text_.assign(text.begin(), text.end());
  list.text_.push_back('\n');
  // Separators become NUL, so that fnmatch can use the names in place.
  char* at = list.text_.data();
  char* const end = at + list.text_.size();
  while (at < end) {
    char* const line_end = std::find(at, end, '\n');
    *line_end = '\0';
    char* const space = std::find(at, line_end, ' ');
    Function function{{at, static_cast<std::size_t>(space - at)}, {}};
    if (space != line_end && space[1] == '[' && line_end[-1] == ']') {
      line_end[-1] = '\0';
      function.module = {space + 2, static_cast<std::size_t>(line_end - 1 - (space + 2))};
    }
    *space = '\0';
    if (!function.name.empty() && !function.name.starts_with(kInvalidPrefix)) {
      list.functions_.push_back(function);
    }
    at = line_end + 1;
  }
  std::sort(list.functions_.begin(), list.functions_.end(), [](const Function& left, const Function& right) {
    return std::tie(left.name, left.module) < std::tie(right.name, right.module);
  });
  for (const Function& function : list.functions_) ++list.counts_[function.module];
  return list;
}

template <class Visit>
void FunctionList::visit(const std::string& pattern, const std::optional<std::string>& module,
                         Visit visit) const {
  auto begin = functions_.begin();
  auto end = functions_.end();
  const bool glob = has_wildcards(pattern);
  if (!pattern.empty() && !glob) {
    const auto by_name = [](const auto& left, const auto& right) { return left.name < right.name; };
    std::tie(begin, end) = std::equal_range(begin, end, Function{pattern, {}}, by_name);
  }
  for (; begin != end; ++begin) {
    if (module && begin->module != *module) continue;
    if (glob && ::fnmatch(pattern.c_str(), begin->name.data(), 0) != 0) continue;
    if (!visit(*begin)) return;
  }
}

core::Catalogue::Functions FunctionList::select(const core::FunctionFilter& filter, std::uint64_t offset,
                                                std::uint32_t limit) const {
  core::Catalogue::Functions result;
  visit(filter.pattern, filter.module, [&](const Function& function) {
    if (result.total >= offset && result.rows.size() < limit) {
      result.rows.push_back({std::string{function.name}, std::string{function.module}});
    }
    ++result.total;
    return true;
  });
  if (result.total == 0 && !filter.pattern.empty() && !has_wildcards(filter.pattern)) {
    result.nearest = nearest(filter.pattern, filter.module);
  }
  return result;
}

bool FunctionList::fits(const std::string& pattern, const std::optional<std::string>& module) const {
  bool found = false;
  visit(pattern, module, [&](const Function&) {
    found = true;
    return false;
  });
  return found;
}

std::vector<std::string> FunctionList::nearest(std::string_view wanted,
                                               const std::optional<std::string>& module) const {
  std::vector<std::string_view> names;
  names.reserve(functions_.size());
  for (const Function& function : functions_) {
    if (!module || function.module == *module) names.push_back(function.name);
  }
  return nearest_names(wanted, names);
}

std::vector<std::string> FunctionList::traced_by(const FunctionGraphSpec& spec) const {
  std::set<std::string_view> names;
  const auto add = [&](const Function& function) {
    names.insert(function.name);
    return true;
  };
  if (spec.module.empty()) {
    for (const std::string& pattern : spec.functions) visit(pattern, std::nullopt, add);
  } else {
    visit("", kernel_module_name(spec.module), add);
  }
  for (const std::string& pattern : spec.exclude) {
    visit(pattern, std::nullopt, [&](const Function& function) {
      names.erase(function.name);
      return true;
    });
  }
  if (!spec.only.empty()) {
    std::erase_if(names, [&](std::string_view name) {
      return std::ranges::find(spec.only, source_name(name)) == spec.only.end();
    });
  }
  return {names.begin(), names.end()};
}

std::uint64_t FunctionList::count(std::string_view module) const {
  const auto found = counts_.find(module);
  return found == counts_.end() ? 0 : found->second;
}

}  // namespace netperfd::trace
