// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/server_wait.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/model/units.hpp"

namespace netperfd::core {
namespace {

constexpr std::chrono::seconds kLongestPause{5};

std::chrono::seconds pause_after(std::uint32_t failed) {
  constexpr std::uint32_t kDoublings = 3;
  return std::min(std::chrono::seconds{1U << std::min(failed - 1, kDoublings)}, kLongestPause);
}

}  // namespace

bool ServerWait::wait(ServerAbsence absence, std::function<void()> again) {
  absence_ = absence;
  ++failed_;
  newest_ = clock_.since_boot();
  if (!since_) since_ = newest_;
  if (over_ || limit_ <= std::chrono::milliseconds{0}) {
    in_vain_ = waited_;
    return false;
  }
  if (!std::exchange(waited_, true)) {
    patience_ = clock_.after(limit_, [this] {
      over_ = true;
      if (pending()) go_on();
    });
  }
  again_ = std::move(again);
  pause_ = clock_.after(pause_after(failed_), [this] { go_on(); });
  return true;
}

void ServerWait::give_up() {
  over_ = true;
  again_ = nullptr;
  pause_.reset();
  patience_.reset();
}

void ServerWait::go_on() {
  pause_.reset();
  if (const auto again = std::exchange(again_, nullptr)) again();
}

std::chrono::milliseconds ServerWait::passed() const {
  if (!since_) return {};
  return std::chrono::duration_cast<std::chrono::milliseconds>(*newest_ - *since_);
}

std::string ServerWait::progress_words() const {
  return fmt::format("{}, {} {} in {} s, gives up after {}",
                     absence_ == ServerAbsence::busy ? "server busy" : "no server", failed_,
                     failed_ == 1 ? "attempt" : "attempts", passed().count() / 1000, format_duration(limit_));
}

std::string ServerWait::result_words() const {
  return fmt::format("the server was {}: {} {} within {:.1f} s failed",
                     absence_ == ServerAbsence::busy ? "busy" : "absent", failed_,
                     failed_ == 1 ? "attempt" : "attempts", static_cast<double>(passed().count()) / 1000);
}

}  // namespace netperfd::core
