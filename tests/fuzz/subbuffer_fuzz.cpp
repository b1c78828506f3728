// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as one sub-buffer: nothing outside of them is read, and the walk ends.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "daemon/trace/ring/subbuffer.hpp"

using netperfd::trace::RawRecord;
using netperfd::trace::SubbufferLayout;
using netperfd::trace::SubbufferWalk;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// Reads every byte, so that the sanitizer checks it. `sum` prevents the compiler from removing the reads.
void touch(std::span<const std::byte> data) {
  static volatile unsigned sum = 0;
#ifdef NETPERFD_PLANTED_BUG
  // Reads one byte beyond short records: detected only if such a record is at the end of the input.
  if (data.size() < 16) sum = sum + std::to_integer<unsigned>(data.data()[data.size()]);
#endif
  for (const std::byte byte : data) sum = sum + std::to_integer<unsigned>(byte);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(input, size));
  SubbufferLayout narrow;  // of a 32-bit kernel
  narrow.commit_size = 4;
  narrow.data_offset = 12;
  for (const SubbufferLayout& layout : {SubbufferLayout{}, narrow}) {
    SubbufferWalk walk(bytes, layout);
    std::size_t records = 0;
    for (RawRecord record; walk.next(record); ++records) {
      require(record.data.data() >= bytes.data() + layout.data_offset);
      require(record.data.data() + record.data.size() <= bytes.data() + bytes.size());
      touch(record.data);
    }
    require(records <= bytes.size() / 4);
    RawRecord after;
    require(!walk.next(after));  // after the end, it stays at the end
  }
  return 0;
}
