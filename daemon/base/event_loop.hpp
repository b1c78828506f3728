// SPDX-License-Identifier: GPL-2.0-or-later
// sd-event as RAII. One loop, one thread: everything that holds state lives on it.
#pragma once

#include <systemd/sd-event.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "daemon/base/error.hpp"

namespace netperfd {

// Keeps one callback registered. Destroying it ends the registration, even from inside that callback.
class EventSource {
 public:
  using Callback = std::function<void()>;

  EventSource() = default;
  [[nodiscard]] explicit operator bool() const { return source_ != nullptr; }
  void reset() { *this = EventSource{}; }

 private:
  friend class EventLoop;
  struct Disable {
    void operator()(sd_event_source* source) const { sd_event_source_disable_unref(source); }
  };
  // Shared, so that the captures of a callback that destroys its own source stay alive.
  struct State : std::enable_shared_from_this<State> {
    Callback callback;
  };
  std::shared_ptr<State> state_;
  std::unique_ptr<sd_event_source, Disable> source_;
};

class EventLoop {
 public:
  // The priority of calls on the bus, as a number of sd-event: everything else goes before them, so that no
  // caller delays a run. Work that continues at once, with a delay of 0, has it too: it takes turns with the
  // calls.
  static constexpr int kYielding = SD_EVENT_PRIORITY_NORMAL + 10;

  [[nodiscard]] static Result<EventLoop> create();

  // Runs until exit() or the loss of a source that ends the loop; returns its code.
  [[nodiscard]] int run();
  void exit(int code);
  [[nodiscard]] sd_event* raw() const { return loop_.get(); }

  // Calls back whenever `fd` (borrowed, must outlive the source) is readable or its peer has closed it.
  [[nodiscard]] Result<EventSource> on_readable(int fd, EventSource::Callback callback);
  // Calls back once, after `delay` of CLOCK_MONOTONIC, accurate to a millisecond; for 0, in a later turn of
  // the loop and with the priority kYielding.
  [[nodiscard]] Result<EventSource> after(std::chrono::microseconds delay, EventSource::Callback callback);
  // `signal_number` must be blocked in every thread.
  [[nodiscard]] Result<EventSource> on_signal(int signal_number, EventSource::Callback callback);
  // Answers systemd's watchdog if WATCHDOG_USEC asks for it.
  [[nodiscard]] Status enable_watchdog();

 private:
  struct Unref {
    void operator()(sd_event* loop) const { sd_event_unref(loop); }
  };
  std::unique_ptr<sd_event, Unref> loop_;

  template <class Add>
  Result<EventSource> add(const char* what, EventSource::Callback callback, Add add_source);
  static int dispatch(void* state);
};

}  // namespace netperfd
