// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/event_loop.hpp"

#include <sys/epoll.h>

#include <cerrno>
#include <ctime>
#include <utility>

namespace netperfd {

Result<EventLoop> EventLoop::create() {
  sd_event* raw = nullptr;
  if (const int r = sd_event_default(&raw); r < 0) return fail_errno("sd_event_default", -r);
  EventLoop loop;
  loop.loop_.reset(raw);
  return loop;
}

int EventLoop::run() {
  return sd_event_loop(loop_.get());
}

void EventLoop::exit(int code) {
  sd_event_exit(loop_.get(), code);
}

int EventLoop::dispatch(void* state) {
  const auto kept = static_cast<EventSource::State*>(state)->shared_from_this();
  kept->callback();
  return 0;
}

template <class Add>
Result<EventSource> EventLoop::add(const char* what, EventSource::Callback callback, Add add_source) {
  EventSource source;
  source.state_ = std::make_shared<EventSource::State>();
  source.state_->callback = std::move(callback);
  sd_event_source* raw = nullptr;
  if (const int r = add_source(&raw, source.state_.get()); r < 0) return fail_errno(what, -r);
  source.source_.reset(raw);
  return source;
}

Result<EventSource> EventLoop::on_readable(int fd, EventSource::Callback callback) {
  return add("sd_event_add_io", std::move(callback), [&](sd_event_source** source, void* state) {
    return sd_event_add_io(
        loop_.get(), source, fd, EPOLLIN,
        [](sd_event_source*, int, std::uint32_t, void* s) { return dispatch(s); }, state);
  });
}

Result<EventSource> EventLoop::after(std::chrono::microseconds delay, EventSource::Callback callback) {
  // sd-event takes an accuracy of 0 to mean 250 ms.
  constexpr std::uint64_t kAccuracyUs = 1000;
  // Not sd_event_add_time_relative(), which counts from when the loop woke up: seconds ago, after long work.
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const std::chrono::microseconds due = delay.count() == 0
                                            ? std::chrono::floor<std::chrono::microseconds>(now)
                                            : std::chrono::ceil<std::chrono::microseconds>(now) + delay;
  return add("sd_event_add_time", std::move(callback), [&](sd_event_source** source, void* state) {
    const int added = sd_event_add_time(
        loop_.get(), source, CLOCK_MONOTONIC, static_cast<std::uint64_t>(due.count()), kAccuracyUs,
        [](sd_event_source*, std::uint64_t, void* s) { return dispatch(s); }, state);
    if (added >= 0 && delay.count() == 0) (void)sd_event_source_set_priority(*source, kYielding);
    return added;
  });
}

Result<EventSource> EventLoop::on_signal(int signal_number, EventSource::Callback callback) {
  return add("sd_event_add_signal", std::move(callback), [&](sd_event_source** source, void* state) {
    return sd_event_add_signal(
        loop_.get(), source, signal_number,
        [](sd_event_source*, const signalfd_siginfo*, void* s) { return dispatch(s); }, state);
  });
}

Status EventLoop::enable_watchdog() {
  if (const int r = sd_event_set_watchdog(loop_.get(), 1); r < 0)
    return fail_errno("sd_event_set_watchdog", -r);
  return {};
}

}  // namespace netperfd
