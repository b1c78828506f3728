// Takes what the reader's thread read of the ring buffers while the run goes on, and counts it.
//
// The thread copies (reader_thread.hpp), the event loop counts: a turn every `period` takes sweeps from the
// thread's queue, a bounded amount, and then lets the loop see to its other callers. If more waits, the next
// turn follows at once.
//
// Decoding takes ten times as long as reading, and if the workload keeps all CPUs busy that time is taken
// from the workload. So a turn decodes for as long as CPUs were idle of late, and for a moment if they were
// not; it decodes nothing if it could not take everything. The rest waits in bounded memory until the
// workload has ended.
//
// The end: finish() joins the thread, after which the rings belong to the loop, which reads and decodes the
// rest, a bounded amount a turn.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports.hpp"
#include "daemon/trace/idle_cpus.hpp"
#include "daemon/trace/reader_thread.hpp"
#include "daemon/trace/recording.hpp"
#include "daemon/trace/ring_reader.hpp"
#include "daemon/trace/tally.hpp"

namespace netperfd::trace {

struct DrainSettings {
  ReaderSettings reader{};
  ReaderThreadSettings thread{};
  std::chrono::milliseconds period{25};
  std::size_t turn_bytes = std::size_t{2} << 20;  // taken from the thread in one turn, about
  std::chrono::microseconds decode{500};          // in one turn, at most, if no CPU is idle
  std::chrono::microseconds decode_idle{15'000};  // the same if a whole CPU is, and in proportion if less is
  std::chrono::microseconds decode_rest{20'000};  // the same once tracing is off
};

// How long a turn may decode while the workload runs and so many CPUs are idle.
[[nodiscard]] std::chrono::microseconds decode_time(const DrainSettings& settings, double idle_cpus);

class Drain {
 public:
  // `clock`, `tally` and `keeper`, which may be null, must outlive it. Destroying it ends the thread and
  // closes the pipes. `idle_cpus` is asked in every turn.
  Drain(core::Clock& clock, Tally& tally, std::vector<RingPipe> pipes, const DrainSettings& settings,
        IdleCpus idle_cpus, RawKeeper* keeper = nullptr);
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;

  // Starts the thread. Without it, finish() reads everything.
  [[nodiscard]] Status start();

  // To be called once tracing is off: reads the rest, closes the pipes and calls `done` with the first error
  // that reading met, in a later turn of the loop. The drain may be destroyed inside it.
  void finish(std::function<void(Status)> done);

 private:
  void turn();
  // Whether more waits in the thread's queue.
  [[nodiscard]] bool take_some();
  // Whether more is in the rings, which are the loop's by then.
  [[nodiscard]] bool read_some();
  void count(Sweep sweep);
  [[nodiscard]] Tally::Question for_at_most(std::chrono::microseconds time) const;

  core::Clock& clock_;
  Tally& tally_;
  DrainSettings settings_;
  IdleCpus idle_cpus_;
  RawKeeper* keeper_;
  RingReader reader_;                     // the thread's while there is one
  std::unique_ptr<ReaderThread> thread_;  // after reader_, which it uses
  std::optional<Error> error_;
  std::function<void(Status)> done_;
  core::Timer timer_;
};

}  // namespace netperfd::trace
