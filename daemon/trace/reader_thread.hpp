// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the ring buffers in a thread of its own, so that no work of the event loop (a query, a commit, the
// counters of a run) delays reading until they overflow.
//
// Ownership: the RingReader belongs to the owner of this object. Between the constructor and end() only the
// thread uses it, afterwards only the owner. They share nothing else: the thread copies bytes and puts whole
// sweeps into a queue, from which the owner takes them at any time. The thread knows no events and no state.
//
// Memory: the thread stops reading as long as the queue, together with the earlier sweeps that the owner
// still keeps, reaches `most_bytes`. The kernel then overwrites its oldest events and counts them.
//
// Wake-ups follow the fill level of the rings. poll() on a trace_pipe_raw reports it readable once
// buffer_percent of that ring is full (kernel/trace/trace.c: trace_poll(); kernel/trace/ring_buffer.c:
// ring_buffer_poll_wait() and full_hit(), with the watermark since Linux 6.1, commit 42fb0a1e84ff, also in
// stable kernels). So a busy ring is read early, and a quiet one costs only one look every `period`, which
// live progress needs. Older kernels, and tracefs's option `block`, report every ring that is not empty. The
// first wake-up that finds little shows that, and from then on the thread reads every `short_period` instead.
// A ring whose CPU is offline reports POLLERR and is read only by the period.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/trace/ring_reader.hpp"

namespace netperfd::trace {

struct ReaderThreadSettings {
  std::size_t most_bytes = std::size_t{64} << 20;
  std::chrono::milliseconds period{100};
  std::chrono::milliseconds short_period{25};
  std::size_t ring_bytes = 0;  // for one CPU; 0: unknown
};

class ReaderThread {
 public:
  // Starts the thread. `reader` must outlive this object.
  [[nodiscard]] static Result<std::unique_ptr<ReaderThread>> start(RingReader& reader,
                                                                   const ReaderThreadSettings& settings);
  ReaderThread(const ReaderThread&) = delete;
  ReaderThread& operator=(const ReaderThread&) = delete;
  ~ReaderThread() { end(); }

  // The oldest sweep not taken yet; absent if there is none. `kept`: bytes of earlier sweeps that the caller
  // still keeps.
  [[nodiscard]] std::optional<Sweep> take(std::size_t kept);

  // Ends the thread. Waits only for the current sweep, which is bounded: reading a pipe never blocks. Sweeps
  // in the queue can still be taken.
  void end();
  // The CPU time that the thread took. Call it after end().
  [[nodiscard]] std::chrono::nanoseconds cpu_time() const { return cpu_time_; }

 private:
  ReaderThread(RingReader& reader, const ReaderThreadSettings& settings, Fd wake);
  void run();
  // Waits until a ring fills, the period is over or somebody wakes the thread. False: the thread must end.
  [[nodiscard]] bool wait();
  // False: stop reading for now.
  [[nodiscard]] bool put(Sweep sweep);
  [[nodiscard]] bool has_room() const { return queued_bytes_ + kept_bytes_ < settings_.most_bytes; }
  void wake();

  RingReader& reader_;
  const ReaderThreadSettings settings_;
  const Fd wake_;  // an eventfd

  // Used only by the thread.
  std::vector<pollfd> waits_;  // for wake_, then for each pipe
  bool follows_fill_ = true;   // poll() waits for buffer_percent
  bool woken_by_ring_ = false;
  std::chrono::nanoseconds cpu_time_{0};

  // Shared by both.
  std::mutex mutex_;
  std::deque<Sweep> queue_;
  std::size_t queued_bytes_ = 0;
  std::size_t kept_bytes_ = 0;  // by the owner
  bool waits_for_room_ = false;
  bool ending_ = false;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace netperfd::trace
