// SPDX-License-Identifier: GPL-2.0-or-later
// How long the runs of a job take with all that is beside them: the switch to their side, preparation,
// calibration, symbols, and what is read and stored behind them.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/model/design.hpp"

namespace netperfd::core {

class RunPace {
 public:
  using Time = std::chrono::microseconds;

  // Run `run` of these slots has ended, so long after the one before it or after the job's begin.
  void add(const std::vector<Slot>& slots, std::size_t run, Time took);
  // By the runs that ended: those of its kind (traced or not, with a switch or not), otherwise any. The first
  // one counts only while it is the only one, since it may have had what happens once in a job. Absent: none
  // has ended.
  [[nodiscard]] std::optional<Time> of(const std::vector<Slot>& slots, std::size_t run) const;

 private:
  struct Sum {
    Time time{0};
    std::int64_t runs = 0;
  };
  std::optional<Time> first_;
  std::array<Sum, 4> kinds_;
};

}  // namespace netperfd::core
