// SPDX-License-Identifier: GPL-2.0-or-later
// Processes that were killed and have not ended yet.
#pragma once

#include <cstddef>
#include <list>

#include "daemon/base/event_loop.hpp"
#include "daemon/confined/process.hpp"

namespace netperfd::confined {

// Use it only from the loop, which must outlive it. Its destructor does not wait for the processes.
class Endings {
 public:
  explicit Endings(EventLoop& loop) : loop_(loop) {}
  Endings(const Endings&) = delete;
  Endings& operator=(const Endings&) = delete;

  // Kills the process. It is reaped once it has ended, which may be never: the loop does not wait for that.
  void take(Process process);
  // Number of processes that still run.
  [[nodiscard]] std::size_t count();

 private:
  struct Ending {
    Process process;
    EventSource exit;
  };

  EventLoop& loop_;
  std::list<Ending> endings_;
};

}  // namespace netperfd::confined
