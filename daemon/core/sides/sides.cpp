// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/sides/sides.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace netperfd::core {

bool has_commands(const JobSpec& spec) {
  if (!spec.design || !spec.design->has_variants()) return false;
  if (spec.design->has_settings()) return true;
  for (const Variant* side : {&*spec.design->a, &*spec.design->b}) {
    if (!side->apply.empty() || !side->verify.empty()) return true;
  }
  return false;
}

std::string Sides::command_failed(const Variant& side, std::string_view command,
                                  const std::vector<std::string>& argv, const CommandEnd& end) {
  // A script among the words would hide the cause, and the scenario has it.
  constexpr std::size_t kShownWords = 160;  // bytes
  failed_output_ = end.output;
  std::string words = fmt::format("{}", fmt::join(argv, " "));
  words = words.size() > kShownWords ? fmt::format("its {} begins with {}", command, argv.front())
                                     : fmt::format("to try it, run as root: {}", words);
  return fmt::format("side {}: its {} failed: {}; {}", side.name, command, end.error, words);
}

}  // namespace netperfd::core
