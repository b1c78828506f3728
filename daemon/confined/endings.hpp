// SPDX-License-Identifier: GPL-2.0-or-later
// Processes that were killed and have not ended yet.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <utility>

#include "daemon/base/event_loop.hpp"
#include "daemon/confined/process.hpp"

namespace netperfd::confined {

// Use it only from the loop, which must outlive it. Its destructor does not wait for the processes.
class Endings {
 public:
  // `ended` is called from the loop each time one of them has ended.
  explicit Endings(EventLoop& loop, std::function<void()> ended = {})
      : loop_(loop), ended_(std::move(ended)) {}
  Endings(const Endings&) = delete;
  Endings& operator=(const Endings&) = delete;

  // Kills the process. It is reaped once it has ended, which may be never: the loop does not wait for that.
  void take(Process process);
  // Number of processes that still run, or whose end the loop has not noticed yet.
  [[nodiscard]] std::size_t count();

 private:
  struct Ending {
    Process process;
    EventSource exit;
  };

  EventLoop& loop_;
  std::function<void()> ended_;
  std::list<Ending> endings_;
};

}  // namespace netperfd::confined
