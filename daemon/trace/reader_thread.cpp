// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/reader_thread.hpp"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "daemon/trace/thread_cpu_time.hpp"
#include "daemon/trace/tracefs/reader_priority.hpp"

namespace netperfd::trace {

Result<std::unique_ptr<ReaderThread>> ReaderThread::start(RingReader& reader,
                                                          const ReaderThreadSettings& settings) {
  Fd wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (!wake) return fail_errno("eventfd", errno);
  std::unique_ptr<ReaderThread> reading(new ReaderThread(reader, settings, std::move(wake)));
  try {
    reading->thread_ = std::thread([&it = *reading] { it.run(); });
  } catch (const std::system_error& error) {
    return fail_errno("a thread to read the ring buffers", error.code().value());
  }
  return reading;
}

ReaderThread::ReaderThread(RingReader& reader, const ReaderThreadSettings& settings, Fd wake)
    : reader_(reader), settings_(settings), wake_(std::move(wake)) {
  waits_.push_back({.fd = wake_.get(), .events = POLLIN, .revents = 0});
  for (const RingPipe& pipe : reader_.pipes()) {
    // poll() ignores a negative descriptor, such as a fake's.
    waits_.push_back({.fd = pipe.file->descriptor(), .events = POLLIN, .revents = 0});
  }
}

void ReaderThread::run() {
  (void)::pthread_setname_np(::pthread_self(), "trace-reader");
  (void)take_reader_priority();
  while (wait()) {
    Sweep sweep = reader_.sweep();
    // buffer_percent is a quarter; half of that allows for sub-buffers that are not full.
    constexpr std::size_t kLeastShare = 8;
    bool more = !sweep.behind.empty();
    if (woken_by_ring_ && !more && sweep.bytes < settings_.ring_bytes / kLeastShare) follows_fill_ = false;
    while (put(std::move(sweep)) && more) {
      sweep = reader_.sweep();
      more = !sweep.behind.empty();
    }
  }
  cpu_time_ = thread_cpu_time();
}

bool ReaderThread::wait() {
  bool room = true;
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return false;
    room = has_room();
    waits_for_room_ = !room;
  }
  const auto period = follows_fill_ ? settings_.period : settings_.short_period;
  const nfds_t count = room && follows_fill_ ? waits_.size() : 1;
  do {
    for (pollfd& wait : waits_) wait.revents = 0;
    (void)::poll(waits_.data(), count, static_cast<int>(period.count()));
    std::uint64_t wakes = 0;
    if (waits_.front().revents != 0) (void)!::read(wake_.get(), &wakes, sizeof wakes);
    woken_by_ring_ = false;
    for (std::size_t i = 1; i < waits_.size(); ++i) {
      if ((waits_[i].revents & POLLIN) != 0) woken_by_ring_ = true;
      if ((waits_[i].revents & ~POLLIN) != 0) waits_[i].fd = -1;
    }
    const std::lock_guard lock(mutex_);
    if (ending_) return false;
    room = has_room();
  } while (!room);
  return true;
}

bool ReaderThread::put(Sweep sweep) {
  const std::lock_guard lock(mutex_);
  queued_bytes_ += sweep.bytes;
  queue_.push_back(std::move(sweep));
  return !ending_ && has_room();
}

std::optional<Sweep> ReaderThread::take(std::size_t kept) {
  std::optional<Sweep> sweep;
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    kept_bytes_ = kept;
    if (!queue_.empty()) {
      sweep = std::move(queue_.front());
      queue_.pop_front();
      queued_bytes_ -= sweep->bytes;
      kept_bytes_ += sweep->bytes;
    }
    if (has_room()) wakes = std::exchange(waits_for_room_, false);
  }
  if (wakes) wake();
  return sweep;
}

void ReaderThread::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake();
  thread_.join();
}

void ReaderThread::wake() {
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

}  // namespace netperfd::trace
