// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/trace_dat_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "daemon/trace/recording/dat_compression.hpp"
#include "daemon/trace/recording/dat_cursor.hpp"

namespace netperfd::trace {
namespace {

// trace-cmd makes chunks of ten sub-buffers. They have 64 KiB if pages do, and may be set larger.
constexpr std::size_t kLargestChunk = std::size_t{64} << 20;
// Limit over all CPUs, each of which has one open: 64 KiB each for the 8,192 CPUs that a kernel may have.
constexpr std::size_t kOpenChunks = std::size_t{512} << 20;

// Up to 3.1.6, trace-cmd leaves the number of chunks, which is written in front of them, out of the size of
// the CPU's data. Only that number tells where the chunks end.
constexpr std::uint64_t kChunkCount = sizeof(std::uint32_t);

std::span<const std::byte> bytes_of(std::span<const std::byte> file, const TraceDat& dat, const DatCpu& cpu) {
  if (cpu.size == 0) return {};
  const auto behind = file.subspan(static_cast<std::size_t>(cpu.offset));
  const std::uint64_t size = cpu.size + (dat.compressed ? kChunkCount : 0);
  return behind.first(static_cast<std::size_t>(std::min<std::uint64_t>(size, behind.size())));
}

}  // namespace

DatSubbuffers::DatSubbuffers(std::span<const std::byte> bytes, const TraceDat& dat, const DatCpu& cpu)
    : bytes_(bytes),
      layout_(dat.layout),
      compression_(dat.compression),
      compressed_(dat.compressed),
      largest_chunk_(std::min(kLargestChunk, kOpenChunks / std::max<std::size_t>(dat.cpus.size(), 1))),
      cpu_(cpu.cpu),
      offset_(cpu.offset) {}

Result<DatSubbuffers> DatSubbuffers::open(std::span<const std::byte> file, const TraceDat& dat,
                                          const DatCpu& cpu) {
  const auto bytes = bytes_of(file, dat, cpu);
  DatSubbuffers subbuffers(bytes, dat, cpu);
  if (!subbuffers.compressed_) {
    subbuffers.plain_ = bytes;
  } else if (!bytes.empty()) {
    DatCursor cursor(bytes, fmt::format("trace.dat, data of CPU {} from byte {} on", cpu.cpu, cpu.offset));
    subbuffers.chunks_ = cursor.number<std::uint32_t>("the number of chunks");
    if (!cursor.ok()) return std::unexpected(cursor.status().error());
    subbuffers.bytes_ = bytes.subspan(cursor.offset());
  }
  if (auto first = subbuffers.advance(); !first) return std::unexpected(first.error());
  return subbuffers;
}

Status DatSubbuffers::advance() {
  while (plain_.empty() && chunks_ > 0) {
    if (auto next = next_chunk(); !next) return next;
  }
  current_ = plain_.first(std::min(plain_.size(), layout_.size()));
  plain_ = plain_.subspan(current_.size());
  if (current_.size() >= layout_.timestamp_offset + sizeof time_) {
    std::memcpy(&time_, current_.data() + layout_.timestamp_offset, sizeof time_);
  }
  return {};
}

Status DatSubbuffers::next_chunk() {
  DatCursor cursor(bytes_, fmt::format("trace.dat, a chunk of CPU {} behind byte {}", cpu_, offset_));
  const auto size = cursor.number<std::uint32_t>("the compressed size of a chunk");
  const auto plain_size = cursor.number<std::uint32_t>("the size of a chunk");
  const auto bytes = cursor.bytes(size, "a chunk");
  if (plain_size > largest_chunk_) {
    cursor.fail_with(
        fmt::format("{} bytes are too many for a chunk: at most {} are read of each of so many CPUs",
                    plain_size, largest_chunk_));
  }
  if (!cursor.ok()) return cursor.status();
  chunk_.clear();  // otherwise growing would keep twice as much
  chunk_.resize(plain_size);
  if (const auto done = decompress_dat(compression_, bytes, chunk_); !done) {
    return fail(done.error().kind, fmt::format("trace.dat, a chunk of CPU {} behind byte {}: {}", cpu_,
                                               offset_, done.error().message));
  }
  plain_ = chunk_;
  bytes_ = bytes_.subspan(cursor.offset());
  --chunks_;
  return {};
}

}  // namespace netperfd::trace
