// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/refusals.hpp"

#include <algorithm>
#include <utility>

namespace netperfd::bus {

Refusals::Refusals(EventLoop& loop, Sink sink, Now now)
    : loop_(loop), sink_(std::move(sink)), now_(std::move(now)) {}

Refusals::~Refusals() {
  report();
}

double Refusals::tokens_of(const User& user) const {
  const std::chrono::duration<double> passed = now_() - user.filled;
  return std::min(kBurst, user.tokens + passed.count() * kPerSecond);
}

void Refusals::note(uid_t uid, const std::string& unique_name, const std::string& what, std::uint64_t count) {
  auto [entry, is_first] = users_.try_emplace(uid);
  User& user = entry->second;
  if (is_first) {
    user.filled = now_();
    sink_({.uid = uid, .what = what});
    user.counted = count - 1;
  } else {
    user.counted += count;
  }
  user.last = what;
  user.tokens = std::max(0.0, tokens_of(user) - static_cast<double>(count));
  user.filled = now_();
  if (is_excessive(uid) && connections_.size() < kConnectionsLimit) connections_.emplace(unique_name, uid);
  if (timer_) return;
  if (auto timer = loop_.after(kPeriod, [this] { report(); })) timer_ = std::move(*timer);
}

bool Refusals::is_excessive(uid_t uid) const {
  const auto known = users_.find(uid);
  return uid != 0 && known != users_.end() && tokens_of(known->second) < 1;
}

bool Refusals::refuse_unexamined(const std::string& unique_name) {
  const auto known = connections_.find(unique_name);
  if (known == connections_.end() || !is_excessive(known->second)) return false;
  ++users_.at(known->second).counted;
  return true;
}

// Users without a refusal since the last report, and with all their tokens, are forgotten: their next one is
// reported at once.
void Refusals::report() {
  timer_.reset();
  connections_.clear();
  for (auto& [uid, user] : users_) {
    if (user.counted == 0) continue;
    sink_({.uid = uid, .what = user.last, .count = std::exchange(user.counted, 0)});
  }
  std::erase_if(users_, [this](const auto& entry) { return tokens_of(entry.second) >= kBurst; });
  if (users_.empty()) return;
  if (auto timer = loop_.after(kPeriod, [this] { report(); })) timer_ = std::move(*timer);
}

}  // namespace netperfd::bus
