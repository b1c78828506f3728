// SPDX-License-Identifier: GPL-2.0-or-later
// The one place where refused calls are noted: it keeps a user who is refused often from filling the log, and
// from having every further call examined.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "daemon/base/event_loop.hpp"

namespace netperfd::bus {

// Calls of one user that were refused for a reason. `count` above 1 stands for that many calls, the last of
// which is described.
struct Refused {
  uid_t uid = static_cast<uid_t>(-1);  // -1: unknown, the caller had left
  std::string what;                    // "uid 1000 (:1.7) may not stop job 3"
  std::uint64_t count = 1;
};

class Refusals {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;
  // Called at the first refusal of a user, and then at most once per kPeriod with the number since. Must not
  // throw.
  using Sink = std::function<void(const Refused& refused)>;

  static constexpr std::chrono::seconds kPeriod{60};
  // A user may be refused so often at once; after that, so many calls per second are examined.
  static constexpr double kBurst = 100;
  static constexpr double kPerSecond = 2;
  // Maximum number of connections that are known to be of a user who is refused too often.
  static constexpr std::size_t kConnectionsLimit = 4096;

  Refusals(EventLoop& loop, Sink sink, Now now = Clock::now);
  Refusals(const Refusals&) = delete;
  Refusals& operator=(const Refusals&) = delete;
  // Reports what was only counted so far.
  ~Refusals();

  // `what` and `count` as in Refused.
  void note(uid_t uid, const std::string& unique_name, const std::string& what, std::uint64_t count = 1);
  // Whether this user is refused so often that his calls are refused unexamined. Never root.
  [[nodiscard]] bool is_excessive(uid_t uid) const;
  // The same for a connection, whose user need not be asked for: false if it is not known. Counts the call if
  // true.
  [[nodiscard]] bool refuse_unexamined(const std::string& unique_name);

 private:
  struct User {
    double tokens = kBurst;
    Clock::time_point filled;   // when `tokens` was valid
    std::uint64_t counted = 0;  // since the last report
    std::string last;
  };

  [[nodiscard]] double tokens_of(const User& user) const;
  void report();

  EventLoop& loop_;
  Sink sink_;
  Now now_;
  std::map<uid_t, User> users_;
  std::map<std::string, uid_t> connections_;
  EventSource timer_;
};

}  // namespace netperfd::bus
