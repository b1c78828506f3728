// SPDX-License-Identifier: GPL-2.0-or-later
// Remembers a design that reboots the machine, for the daemon of the next boot.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// How long a job has taken since it asked for its first reboot. Nobody can set the time since a boot, but no
// such time goes on over a reboot. So it is counted up to a moment, and from there on in BootSwitch.
struct TimeTaken {
  std::chrono::microseconds spent{0};       // up to the moment
  WallTime at;                              // the moment, by the wall clock
  std::chrono::microseconds since_boot{0};  // the moment, by the time since the boot
  std::string boot;                         // the boot; empty in the note of an older version

  bool operator==(const TimeTaken&) const = default;
};

struct BootNote {
  JobId job = 0;
  TimeTaken taken;
  std::uint32_t boots = 0;               // reboots asked so far
  char original = 'A';                   // the side that the machine was on before the job
  std::vector<std::string> is_original;  // its check
  std::vector<std::string> to_original;  // its switch; empty in the note of an older version
  bool held = false;                     // a person wants no reboot for now

  // The reboot that was asked last. Letter 0: back to the original side.
  std::uint32_t block = 0, letter = 0;
  char target = 'A';
  std::string from;  // the boot that asked, /proc/sys/kernel/random/boot_id
  // The boot whose check succeeded; empty: none yet; kFailedBoot: the reboot has failed, as `failures`
  // counts.
  std::string arrived;
  std::uint32_t failures = 0;  // of reboots to this letter, one after another

  bool operator==(const BootNote&) const = default;
};

// No boot_id looks like it.
inline constexpr const char* kFailedBoot = "failed";

class BootJournal {
 public:
  virtual ~BootJournal() = default;
  // Both of the running kernel; the latter is its release (uname -r).
  [[nodiscard]] virtual const std::string& boot_id() const = 0;
  [[nodiscard]] virtual const std::string& kernel() const = 0;
  // Absent if no design reboots the machine.
  [[nodiscard]] virtual Result<std::optional<BootNote>> read() const = 0;
  // On disk when it returns; a crash leaves the old note or the new one.
  [[nodiscard]] virtual Status write(const BootNote& note) = 0;
  [[nodiscard]] virtual Status clear() = 0;
};

}  // namespace netperfd::core
