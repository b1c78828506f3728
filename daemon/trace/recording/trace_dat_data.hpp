// SPDX-License-Identifier: GPL-2.0-or-later
// One CPU's sub-buffers in a trace.dat, one after the other. Of compressed data, one chunk is held at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/trace/recording/trace_dat.hpp"

namespace netperfd::trace {

class DatSubbuffers {
 public:
  // `file` is the file that `dat` was read from; it must outlive the result.
  [[nodiscard]] static Result<DatSubbuffers> open(std::span<const std::byte> file, const TraceDat& dat,
                                                  const DatCpu& cpu);

  // As long as the layout says, except that the last one may be shorter. Empty at the end. Valid until
  // advance().
  [[nodiscard]] std::span<const std::byte> current() const { return current_; }
  // Its first stamp, in units of the trace clock.
  [[nodiscard]] std::uint64_t time() const { return time_; }
  [[nodiscard]] Status advance();

 private:
  DatSubbuffers(std::span<const std::byte> bytes, const TraceDat& dat, const DatCpu& cpu);
  [[nodiscard]] Status next_chunk();

  std::span<const std::byte> bytes_;  // of this CPU, not looked at yet
  std::span<const std::byte> plain_;  // of a chunk, or of all data, not returned yet
  std::span<const std::byte> current_;
  std::vector<std::byte> chunk_;
  SubbufferLayout layout_;
  DatCompression compression_;
  bool compressed_;
  std::size_t largest_chunk_;
  std::uint32_t chunks_ = 0;  // number of chunks that follow
  std::uint32_t cpu_;
  std::uint64_t offset_;  // of the CPU's bytes in the file, for errors
  std::uint64_t time_ = 0;
};

}  // namespace netperfd::trace
