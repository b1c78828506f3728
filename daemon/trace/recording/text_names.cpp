// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/text_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "daemon/trace/ring/event_fields.hpp"

namespace netperfd::trace {
namespace {

constexpr std::size_t kMostKept = 65'536;  // of each kind; beyond that they are cleared
constexpr std::size_t kNameLength = 7;     // of a task in its column
constexpr std::size_t kTaskWidth = 14;

template <class Map, class Key, class Make>
const std::string& kept(Map& map, Key key, Make make) {
  const auto found = map.find(key);
  if (found != map.end()) return found->second;
  if (map.size() >= kMostKept) map.clear();
  return map.emplace(key, make()).first->second;
}

}  // namespace

std::string TextNames::task(std::int32_t pid) const {
  if (pid == 0) return "<idle>";
  if (pid < 0) return "<XXX>";
  if (screen_.hides(pid)) return kOtherTask;
  const auto found = tasks_.find(pid);
  return found == tasks_.end() ? "<...>" : safe_text(found->second);
}

const std::string& TextNames::task_column(std::int32_t pid) {
  return kept(columns_, pid, [&] {
    const auto text = fmt::format("{}-{}", safe_text(task(pid).substr(0, kNameLength)), number(pid));
    const auto spaces = kTaskWidth - std::min(kTaskWidth, text.size());
    return std::string(spaces / 2, ' ') + text + std::string(spaces - spaces / 2, ' ');
  });
}

const std::string& TextNames::function(std::uint64_t address) {
  return kept(functions_, address, [&] {
    const auto found = symbols_.find_function(address);
    if (!found) return symbols_.token(address);
    if (found->module.empty()) return std::string(found->name);
    return fmt::format("{} [{}]", found->name, found->module);
  });
}

}  // namespace netperfd::trace
