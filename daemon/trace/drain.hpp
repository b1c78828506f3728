// Empties the ring buffers while the run goes on.
//
// On a timer: waking up for each full sub-buffer costs more CPU than looking now and then. Each turn
// reads a bounded amount and then lets the loop see to its other callers; while there is more to read the
// next turn follows at once, otherwise a period later. A pipe also gives what was written a moment ago, so
// reading could go on for ever where events come faster than they are read, or where reading makes events:
// while tracing is on, a sub-buffer that is not half full says that its CPU is caught up with, unless it is
// the first of a turn: that one may be the rest of what the turn before read while it was being written.
// What cannot be read in time is overwritten by the kernel, which counts it.
//
// To read is to copy; to decode takes ten times as long, and where the workload keeps all CPUs busy that time
// is taken from it. So a turn decodes for a moment only, and none where it could not even read all: what is
// left waits in bounded memory (TallySettings::most_held_bytes) until the workload has ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports.hpp"
#include "daemon/trace/recording.hpp"
#include "daemon/trace/tally.hpp"
#include "daemon/trace/tracefs.hpp"

namespace netperfd::trace {

struct RingPipe {
  std::uint32_t cpu = 0;
  std::unique_ptr<TracefsFile> file;  // per_cpu/cpuN/trace_pipe_raw
};

struct DrainSettings {
  std::size_t subbuffer_bytes = 4096;
  std::chrono::milliseconds period{25};
  std::size_t turn_bytes = std::size_t{2} << 20;  // read in one turn, over all CPUs
  std::chrono::microseconds decode{500};          // in one turn, at most
  std::chrono::microseconds decode_rest{20'000};  // the same once tracing is off
  std::uint64_t rest_bytes = 0;  // most that finish() reads: what the rings can hold once tracing is off
};

class Drain {
 public:
  // Begins at once. `clock`, `tally` and `keeper`, which may be null, must outlive it. Destroying it closes
  // the pipes.
  Drain(core::Clock& clock, Tally& tally, std::vector<RingPipe> pipes, DrainSettings settings,
        RawKeeper* keeper = nullptr);
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;

  // To be called once tracing is off: reads the rest, closes the pipes and calls `done` with the first error
  // that reading met, in a later turn of the loop. The drain may be destroyed inside it.
  void finish(std::function<void(Status)> done);

 private:
  void turn();
  // Whether some CPU may have more; those are then in behind_.
  [[nodiscard]] bool read_some();
  // Whether `pipe` was read up to what is being written just now.
  [[nodiscard]] bool catch_up(const RingPipe& pipe, std::size_t& budget);
  [[nodiscard]] bool may_read_on(std::size_t read);
  [[nodiscard]] Tally::Question for_at_most(std::chrono::microseconds time) const;

  core::Clock& clock_;
  Tally& tally_;
  std::vector<RingPipe> pipes_;
  DrainSettings settings_;
  RawKeeper* keeper_;
  std::vector<std::byte> buffer_;
  std::vector<std::uint32_t> behind_;
  std::size_t next_ = 0;  // the pipe to begin with: where the last turn ended, so that none starves
  std::optional<Error> error_;
  std::function<void(Status)> done_;
  std::uint64_t rest_bytes_ = 0;  // read by finish()
  core::Timer timer_;
};

}  // namespace netperfd::trace
