// SPDX-License-Identifier: GPL-2.0-or-later
// The ring buffers of a few CPUs as seen by a reader; a test fills and watches them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "daemon/trace/ring_reader.hpp"

namespace netperfd::trace::test {

inline constexpr std::size_t kSmallSubbuffer = 64;

// The contents of one CPU's pipe. A thread may read while the test looks at `waiting`, `reads` and `open`;
// the other members must be set before.
struct Ring {
  std::atomic<std::size_t> waiting = 0;  // sub-buffers
  std::atomic<std::size_t> reads = 0;
  std::atomic<bool> open = true;
  std::optional<Error> error;  // returned by the next read
  bool full = true;            // whether each sub-buffer is full
  bool rest_first = false;     // the next one is the remainder of one that was read while being written
  bool endless = false;        // reading does not use them up
};

// A sub-buffer that is full of events, or empty.
inline void fill(std::span<std::byte> out, bool full) {
  std::ranges::fill(out, std::byte{0});
  if (!full) return;
  constexpr std::size_t kHeader = 16;
  constexpr std::uint32_t kWords = 8 / 4;  // of record data, in units of type_len
  std::uint64_t committed = 0;
  for (std::size_t at = kHeader; at + 4 + 8 <= out.size(); at += 4 + 8, committed += 4 + 8) {
    std::memcpy(out.data() + at, &kWords, sizeof kWords);
  }
  std::memcpy(out.data() + 8, &committed, sizeof committed);
}

class RingFile final : public TracefsFile {
 public:
  explicit RingFile(Ring& ring) : ring_(ring) {}
  ~RingFile() override { ring_.open = false; }
  Result<std::size_t> read(std::span<std::byte> out) override {
    ++ring_.reads;
    if (ring_.error) return std::unexpected(*std::exchange(ring_.error, {}));
    if (ring_.waiting == 0) return 0;
    if (!ring_.endless) --ring_.waiting;
    fill(out, ring_.full && !std::exchange(ring_.rest_first, false));
    return out.size();
  }
  Status write(const std::string&) override { return fail(ErrorKind::io, "not for writing"); }

 private:
  Ring& ring_;
};

// One pipe for each ring, in their order.
inline std::vector<RingPipe> pipes_of(std::span<Ring> rings) {
  std::vector<RingPipe> pipes;
  for (Ring& ring : rings) {
    pipes.push_back({static_cast<std::uint32_t>(pipes.size()), std::make_unique<RingFile>(ring)});
  }
  return pipes;
}

// For sub-buffers of kSmallSubbuffer; a sweep holds four of them.
inline ReaderSettings reader_settings() {
  ReaderSettings settings;
  settings.layout.data_size = kSmallSubbuffer - settings.layout.data_offset;
  settings.sweep_bytes = 4 * kSmallSubbuffer;
  settings.rest_bytes = 20 * kSmallSubbuffer;
  return settings;
}

}  // namespace netperfd::trace::test
