// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/sides/sides.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace netperfd::core {

bool has_commands(const JobSpec& spec) {
  if (!spec.design || !spec.design->has_variants()) return false;
  for (const Variant* side : {&*spec.design->a, &*spec.design->b}) {
    if (!side->apply.empty() || !side->verify.empty()) return true;
  }
  return false;
}

std::string side_failure(const Variant& side, const std::vector<std::string>& argv,
                         const std::string& error) {
  return fmt::format("side {}: {}: {}", side.name, fmt::join(argv, " "), error);
}

}  // namespace netperfd::core
