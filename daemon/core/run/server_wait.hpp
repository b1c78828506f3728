// SPDX-License-Identifier: GPL-2.0-or-later
// Waits between the attempts of a run whose server is busy or absent.
//
// Pauses of 1, 2, 4 s and then 5 s each separate the attempts. The last attempt is made when the limit is
// over.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/core/ports/clock.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// Code of the flag of a run that needed more than one attempt.
inline constexpr std::string_view kServerWaited = "server-waited";

class ServerWait {
 public:
  // The time of all pauses and attempts together, from the end of the first attempt. 0: no second attempt.
  // `clock` must outlive this object.
  ServerWait(Clock& clock, std::chrono::milliseconds limit) : clock_(clock), limit_(limit) {}

  // An attempt has failed because of `absence`. True: `again` will be called once, later and from the loop.
  // False: the limit is over.
  [[nodiscard]] bool wait(ServerAbsence absence, std::function<void()> again);
  // Drops the pending call. After that, wait() is always false.
  void give_up();
  [[nodiscard]] bool pending() const { return static_cast<bool>(again_); }
  // Whether a wait came to its end without success.
  [[nodiscard]] bool in_vain() const { return in_vain_; }
  // Whether wait() was ever true.
  [[nodiscard]] bool waited() const { return waited_; }
  // "server busy, 3 attempts in 7 s, gives up after 60 s"
  [[nodiscard]] std::string progress_words() const;
  // "the server was busy: 3 attempts in 7.2 s failed"
  [[nodiscard]] std::string result_words() const;

 private:
  void go_on();
  [[nodiscard]] std::chrono::milliseconds passed() const;

  Clock& clock_;
  std::chrono::milliseconds limit_;
  ServerAbsence absence_ = ServerAbsence::none;
  std::uint32_t failed_ = 0;
  bool over_ = false;
  bool waited_ = false;
  bool in_vain_ = false;
  std::optional<std::chrono::microseconds> since_;   // since boot: the end of the first attempt
  std::optional<std::chrono::microseconds> newest_;  // the end of the newest failed one
  std::function<void()> again_;
  Timer patience_, pause_;
};

}  // namespace netperfd::core
