// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/refused_others.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>

namespace netperfd::workload {
namespace {

constexpr std::size_t kMostNamed = 8;
// More than a client makes: two for each of 128 streams, and the first one.
constexpr std::size_t kMostLeft = 512;

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

void RefusedOthers::note_left(const char* what, const SocketEnd& from) {
  if (left_.size() >= kMostLeft) return note(what, from, std::nullopt);
  left_.emplace_back(what, from);
}

void RefusedOthers::settle(std::string_view what, std::size_t lacked) {
  for (const auto& [of, from] : left_) {
    if (of != what) continue;
    if (lacked > 0) {
      --lacked;
    } else {
      note(of, from, std::nullopt);
    }
  }
  std::erase_if(left_, [&](const auto& left) { return left.first == what; });
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
