// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/kernel_addresses.hpp"

#include <algorithm>
#include <vector>

namespace netperfd::analysis {
namespace {

constexpr std::string_view kOfBothKinds = "inet6";
constexpr std::string_view kConfigured = "inet6-configured";

std::vector<std::string_view> families_of(std::string_view value) {
  std::vector<std::string_view> families;
  while (!value.empty()) {
    const auto end = std::min(value.find(' '), value.size());
    families.push_back(value.substr(0, end));
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return families;
}

}  // namespace

bool is_of_addresses(const FactKey& key) {
  return key.first == "topology" && key.second.ends_with(" addresses");
}

bool may_be_of_kernel(std::string_view value) {
  const auto families = families_of(value);
  return std::ranges::find(families, kOfBothKinds) != families.end();
}

std::string without_ipv6(std::string_view value) {
  std::string text;
  for (const std::string_view family : families_of(value)) {
    if (family == kOfBothKinds || family == kConfigured) continue;
    if (!text.empty()) text += ' ';
    text += family;
  }
  return text;
}

}  // namespace netperfd::analysis
