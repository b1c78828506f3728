// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/base/loop.hpp"

#include <pthread.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>
#include <utility>

namespace netperfctl {
namespace {

// The callback lives as long as its source or its own call, whichever is longer.
struct Registration {
  Loop::Callback callback;
  sd_event_source* source = nullptr;

  Registration() = default;
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration() { sd_event_source_disable_unref(source); }
};

int dispatch(void* registration) {
  const Loop::Callback callback = static_cast<Registration*>(registration)->callback;
  callback();
  return 0;
}

std::unexpected<Failure> fail_errno(const char* what, int error) {
  return fail(Exit::other, std::string{what} + ": " + std::generic_category().message(error));
}

}  // namespace

Outcome<Loop> Loop::create() {
  sd_event* raw = nullptr;
  if (const int r = sd_event_new(&raw); r < 0) return fail_errno("sd_event_new", -r);
  Loop loop;
  loop.loop_.reset(raw);
  return loop;
}

Exit Loop::run() {
  sd_event_loop(loop_.get());
  return *exit_;
}

void Loop::exit(Exit how) {
  *exit_ = how;
  sd_event_exit(loop_.get(), 0);
}

Loop::Source Loop::after(std::chrono::milliseconds delay, Callback callback) {
  // sd-event takes an accuracy of 0 to mean 250 ms.
  constexpr std::uint64_t kAccuracyUs = 5000;
  auto registration = std::make_shared<Registration>();
  registration->callback = std::move(callback);
  const auto delay_us = static_cast<std::uint64_t>(std::chrono::microseconds{delay}.count());
  const int r = sd_event_add_time_relative(
      loop_.get(), &registration->source, CLOCK_MONOTONIC, delay_us, kAccuracyUs,
      [](sd_event_source*, std::uint64_t, void* state) { return dispatch(state); }, registration.get());
  return r < 0 ? nullptr : registration;
}

Outcome<Loop::Source> Loop::on_signal(int number, Callback callback) {
  sigset_t signals{};
  sigemptyset(&signals);
  sigaddset(&signals, number);
  if (const int error = pthread_sigmask(SIG_BLOCK, &signals, nullptr); error != 0) {
    return fail_errno("pthread_sigmask", error);
  }
  auto registration = std::make_shared<Registration>();
  registration->callback = std::move(callback);
  const int r = sd_event_add_signal(
      loop_.get(), &registration->source, number,
      [](sd_event_source*, const signalfd_siginfo*, void* state) { return dispatch(state); },
      registration.get());
  if (r < 0) return fail_errno("sd_event_add_signal", -r);
  return registration;
}

}  // namespace netperfctl
