// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/byte_budget.hpp"

#include <algorithm>

namespace netperfd::bus {
namespace {

std::size_t counted(std::size_t bytes) {
  return std::max(bytes, ByteBudget::kLeast);
}

// Of what a user has.
std::size_t beyond_share(std::size_t bytes) {
  return bytes - std::min(bytes, ByteBudget::kOfUser);
}

}  // namespace

std::size_t ByteBudget::taken_by(uid_t user) const {
  const auto found = taken_->find(user);
  return found != taken_->end() ? found->second : 0;
}

bool ByteBudget::has_room(uid_t user, std::size_t bytes, bool is_trusted) const {
  const std::size_t own = taken_by(user) + counted(bytes);
  if (user == 0 || own <= kOfUser) return true;
  if (!is_trusted || own > kOfTrusted) return false;
  std::size_t all = beyond_share(own);
  for (const auto& [other, taken] : *taken_) {
    if (other != user && other != 0) all += beyond_share(taken);
  }
  return all <= kOfAllTrusted;
}

std::shared_ptr<void> ByteBudget::take(uid_t user, std::size_t bytes) {
  (*taken_)[user] += counted(bytes);
  return {nullptr, [taken = taken_, user, bytes](void*) {
            const auto found = taken->find(user);
            found->second -= counted(bytes);
            if (found->second == 0) taken->erase(found);
          }};
}

}  // namespace netperfd::bus
