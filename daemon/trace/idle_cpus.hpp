// SPDX-License-Identifier: GPL-2.0-or-later
// How many CPUs nobody used of late.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace netperfd::trace {

class IdleCpus {
 public:
  // `proc` is /proc, whose file `uptime` has the idle time of all CPUs since boot, added up, in seconds with
  // two decimals (Documentation/filesystems/proc.rst).
  explicit IdleCpus(const std::string& proc) : file_(proc + "/uptime") {}

  // The mean between two readings at least 100 ms apart, the later of them at most so old; 0 before there are
  // two, and if the file cannot be read. `now` is since boot. It is what stayed idle beside whatever the
  // caller itself used.
  [[nodiscard]] double of_late(std::chrono::microseconds now);

 private:
  struct Reading {
    std::chrono::microseconds at{0};
    double idle_seconds = 0;
  };

  std::string file_;
  std::optional<Reading> last_;
  double idle_ = 0;
};

}  // namespace netperfd::trace
