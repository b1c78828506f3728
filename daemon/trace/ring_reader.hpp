// SPDX-License-Identifier: GPL-2.0-or-later
// Copies sub-buffers out of the ring buffers of all CPUs, and decides which ring is read, how far, and when
// the reader has caught up with it. It knows nothing of threads, clocks or events.
//
// A pipe also returns what was written a moment ago. So reading could go on forever if events come faster
// than they are read, or if reading itself causes events. While tracing is on, a sub-buffer that is less than
// half full therefore means that the reader has caught up with its CPU. The first sub-buffer of a sweep is an
// exception: it may be the rest of one that the previous sweep read while the kernel was writing to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/trace/ring/subbuffer.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

struct RingPipe {
  std::uint32_t cpu = 0;
  std::unique_ptr<TracefsFile> file;  // per_cpu/cpuN/trace_pipe_raw
};

// One sub-buffer, unmodified.
struct RawSubbuffer {
  std::uint32_t cpu = 0;
  std::vector<std::byte> bytes;
};

// The result of one sweep over all rings.
struct Sweep {
  std::vector<RawSubbuffer> subbuffers;  // those of one CPU in order of time
  std::vector<std::uint32_t> behind;     // CPUs whose ring may still have unread data
  std::optional<Error> error;            // the first one; the other rings were still read
  std::size_t bytes = 0;                 // of all sub-buffers
};

struct ReaderSettings {
  SubbufferLayout layout;
  std::size_t sweep_bytes = std::size_t{2} << 20;  // maximum bytes of one sweep, over all CPUs
  std::uint64_t rest_bytes = 0;                    // maximum bytes to read once tracing is off; 0: no limit
};

class RingReader {
 public:
  RingReader(std::vector<RingPipe> pipes, const ReaderSettings& settings);

  // Reads each ring until it has caught up or the sweep is full. The next sweep begins at the ring where a
  // full one ended, so that no CPU starves.
  [[nodiscard]] Sweep sweep();

  // Tracing is off: from now on sweeps read every ring to its end.
  void tracing_is_off() { off_ = true; }

  [[nodiscard]] const std::vector<RingPipe>& pipes() const { return pipes_; }
  void close() { pipes_.clear(); }

 private:
  // Whether the reader has caught up with `pipe`.
  [[nodiscard]] bool catch_up(const RingPipe& pipe, Sweep& sweep);
  [[nodiscard]] bool is_half_full(std::size_t size) const;
  [[nodiscard]] bool may_read_on(std::size_t read, Sweep& sweep);

  std::vector<RingPipe> pipes_;
  ReaderSettings settings_;
  std::vector<std::byte> buffer_;
  std::size_t next_ = 0;  // index of the first pipe of the next sweep
  bool off_ = false;
  std::uint64_t rest_bytes_ = 0;  // read since tracing was turned off
};

}  // namespace netperfd::trace
