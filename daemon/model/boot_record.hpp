// SPDX-License-Identifier: GPL-2.0-or-later
// One reboot of a design that reboots the machine, for people and for planning. What a job needs in order to
// go on after a boot is in the boot journal instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/model/run_record.hpp"

namespace netperfd {

struct BootRecord {
  std::uint32_t number = 0;             // of the job's reboots, from 1
  std::uint32_t block = 0, letter = 0;  // that it was for; letter 0: the way back to the original side
  char side = 'A';                      // that it was meant for
  std::string variant;                  // name of that side, as the store knows it; not stored with the boot
  WallTime asked;                       // when the reboot was asked
  std::optional<WallTime> settled;      // when the machine was ready for a run; absent: it never was
  std::string boot_id, kernel;          // that came up, uname -r; empty: no boot is known
  std::string failure;  // why the boot is not on its side; empty: it is, or it has yet to come

  bool operator==(const BootRecord&) const = default;
};

// What is learnt of a boot after it.
struct BootArrival {
  std::optional<WallTime> settled;
  std::string boot_id, kernel;
  std::string failure;
};

}  // namespace netperfd
