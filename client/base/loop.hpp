// SPDX-License-Identifier: GPL-2.0-or-later
// The client's event loop: the bus, Ctrl-C and a few timers on one sd-event.
#pragma once

#include <systemd/sd-event.h>

#include <chrono>
#include <functional>
#include <memory>

#include "client/base/outcome.hpp"

namespace netperfctl {

class Loop {
 public:
  using Callback = std::function<void()>;
  using Source = std::shared_ptr<void>;  // dropping it ends the registration, also from inside its callback

  [[nodiscard]] static Outcome<Loop> create();

  // Runs until exit(), or returns Exit::unreachable if the bus is lost.
  [[nodiscard]] Exit run();
  void exit(Exit how);
  [[nodiscard]] sd_event* raw() const { return loop_.get(); }

  // Calls once, after `delay`. Empty if the system has no timer left.
  [[nodiscard]] Source after(std::chrono::milliseconds delay, Callback callback);
  // Calls at each such signal from now on, which no longer ends the process.
  [[nodiscard]] Outcome<Source> on_signal(int number, Callback callback);

 private:
  struct Unref {
    void operator()(sd_event* loop) const { sd_event_unref(loop); }
  };
  std::unique_ptr<sd_event, Unref> loop_;
  std::shared_ptr<Exit> exit_ = std::make_shared<Exit>(Exit::unreachable);
};

}  // namespace netperfctl
