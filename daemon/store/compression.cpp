// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/compression.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <cstddef>

namespace netperfd::store {

Result<std::string> compress(std::string_view bytes, int level) {
  // The bound is larger than the bytes themselves. The part that zstd does not write is never touched, so it
  // takes no memory.
  std::string frame;
  std::size_t size = 0;
  frame.resize_and_overwrite(ZSTD_compressBound(bytes.size()), [&](char* data, std::size_t capacity) {
    size = ZSTD_compress(data, capacity, bytes.data(), bytes.size(), level);
    return ZSTD_isError(size) != 0 ? 0 : size;
  });
  if (ZSTD_isError(size) != 0) {
    return fail(ErrorKind::internal, fmt::format("zstd: {}", ZSTD_getErrorName(size)));
  }
  return frame;
}

Result<std::string> decompress(std::string_view frame, std::uint64_t size) {
  // Also prevents a damaged size from causing a huge allocation.
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != size) {
    return fail(ErrorKind::io,
                fmt::format("the compressed bytes are damaged: they do not hold {} bytes", size));
  }
  std::string bytes;
  std::size_t got = 0;
  bytes.resize_and_overwrite(size, [&](char* data, std::size_t capacity) {
    got = ZSTD_decompress(data, capacity, frame.data(), frame.size());
    return ZSTD_isError(got) != 0 ? 0 : got;
  });
  if (ZSTD_isError(got) != 0) {
    return fail(ErrorKind::io, fmt::format("the compressed bytes are damaged: {}", ZSTD_getErrorName(got)));
  }
  return bytes;
}

}  // namespace netperfd::store
