// SPDX-License-Identifier: GPL-2.0-or-later
// Takes what the reader's thread read from the ring buffers during the run, and counts it.
//
// The thread copies (reader_thread.hpp), the event loop counts. Every `period` a turn takes a bounded number
// of sweeps from the thread's queue, and then lets the loop serve its other callers. If more is waiting, the
// next turn follows at once.
//
// Decoding takes ten times as long as reading, and if the workload keeps all CPUs busy that time is taken
// from the workload. So the time that a turn decodes follows the idle CPU time of the last 100 ms; it is
// short if no CPU was idle, and 0 if the turn could not take everything. The rest waits in bounded memory
// until the workload has ended.
//
// finish() joins the thread. From then on the loop owns the rings: it reads and decodes the rest, a bounded
// amount per turn.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/trace/idle_cpus.hpp"
#include "daemon/trace/reader_thread.hpp"
#include "daemon/trace/recording/recording.hpp"
#include "daemon/trace/ring/tally.hpp"
#include "daemon/trace/ring_reader.hpp"

namespace netperfd::trace {

struct DrainSettings {
  ReaderSettings reader{};
  ReaderThreadSettings thread{};
  std::chrono::milliseconds period{25};
  std::size_t turn_bytes = std::size_t{2} << 20;  // taken from the thread in one turn, approximately
  std::chrono::microseconds decode{500};          // maximum in one turn if no CPU is idle
  std::chrono::microseconds decode_idle{
      15'000};  // maximum in one turn if one CPU is idle; in proportion below that
  std::chrono::microseconds decode_rest{20'000};  // maximum in one turn once tracing is off
};

// How long one turn may decode during the workload, if `idle_cpus` CPUs are idle.
[[nodiscard]] std::chrono::microseconds decode_time(const DrainSettings& settings, double idle_cpus);

class Drain {
 public:
  // `clock`, `tally` and `keeper`, which may be null, must outlive this object. Destroying it ends the thread
  // and closes the pipes. `idle_cpus` is read in every turn.
  Drain(core::Clock& clock, Tally& tally, std::vector<RingPipe> pipes, const DrainSettings& settings,
        IdleCpus idle_cpus, RawKeeper* keeper = nullptr);
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;

  // Starts the thread. Without it, finish() reads everything.
  [[nodiscard]] Status start();

  // Call it once tracing is off. It reads the rest, closes the pipes and, in a later turn of the loop, calls
  // `done` with the first error that reading met. The drain may be destroyed inside `done`.
  void finish(std::function<void(Status)> done);

  // The CPU time that reading and decoding took while tracing was on. Call it after finish().
  [[nodiscard]] std::chrono::nanoseconds cpu_time() const { return cpu_time_; }

 private:
  void turn();
  // Returns whether more is waiting in the thread's queue.
  [[nodiscard]] bool take_some();
  // Returns whether more is in the rings, which the loop owns by then.
  [[nodiscard]] bool read_some();
  void count(Sweep sweep);
  [[nodiscard]] Tally::Question for_at_most(std::chrono::microseconds time) const;

  core::Clock& clock_;
  Tally& tally_;
  DrainSettings settings_;
  IdleCpus idle_cpus_;
  RawKeeper* keeper_;
  RingReader reader_;                     // owned by the thread while there is one
  std::unique_ptr<ReaderThread> thread_;  // declared after reader_, which it uses
  std::chrono::nanoseconds cpu_time_{0};
  std::optional<Error> error_;
  std::function<void(Status)> done_;
  core::Timer timer_;
};

}  // namespace netperfd::trace
