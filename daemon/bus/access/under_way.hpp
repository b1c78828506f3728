// SPDX-License-Identifier: GPL-2.0-or-later
// The calls that were handed out and are not answered yet, by their users.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace netperfd::bus {

class UnderWay {
 public:
  // Of one user, so many calls wait for the bus to say who calls. What they do once it has said so would
  // delay others, so the next ones wait for their turn.
  static constexpr std::size_t kMostAsking = 4;

  struct OfCall {
    uid_t user = static_cast<uid_t>(-1);
    std::shared_ptr<void> bytes = {};  // of the budget
  };

  UnderWay() = default;
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() { state_->changed = nullptr; }

  // Called whenever a user may begin another call. Must not throw.
  void on_change(std::function<void()> changed) { state_->changed = std::move(changed); }

  // The call that libsystemd hands out next; null: it has not waited for its turn.
  void begin(std::shared_ptr<const OfCall> call) { current_ = std::move(call); }
  // For whoever answers it, to keep until then.
  [[nodiscard]] std::shared_ptr<const OfCall> claim() { return std::exchange(current_, nullptr); }

  [[nodiscard]] bool may_begin(uid_t user) const {
    const auto asking = state_->asking.find(user);
    return asking == state_->asking.end() || asking->second < kMostAsking;
  }
  // Keep this as long as the bus is asked who calls; it may outlive this object.
  [[nodiscard]] std::shared_ptr<void> asking(const std::shared_ptr<const OfCall>& call) {
    if (call == nullptr) return nullptr;
    ++state_->asking[call->user];
    return {nullptr, [state = state_, user = call->user](void*) {
              if (--state->asking[user] == 0) state->asking.erase(user);
              if (state->changed) state->changed();
            }};
  }

 private:
  struct State {
    std::map<uid_t, std::size_t> asking;
    std::function<void()> changed;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::shared_ptr<const OfCall> current_;
};

}  // namespace netperfd::bus
