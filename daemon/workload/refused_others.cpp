// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/refused_others.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace netperfd::workload {
namespace {

constexpr std::size_t kMostNamed = 8;

}  // namespace

void RefusedOthers::note(const char* what, const SocketEnd& from, std::optional<uid_t> uid) {
  std::pair who{std::string(what),
                fmt::format("{}from {}", uid ? fmt::format("of uid {} ", *uid) : "", from.host())};
  if (counts_.size() >= kMostNamed && !counts_.contains(who)) {
    ++unnamed_;
  } else {
    ++counts_[std::move(who)];
  }
}

std::string RefusedOthers::text() const {
  const auto some = [](std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::vector<std::string> parts;
  for (const auto& [who, count] : counts_)
    parts.push_back(fmt::format("{} {}", some(count, who.first), who.second));
  if (unnamed_ > 0) parts.push_back(some(unnamed_, "other"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace netperfd::workload
