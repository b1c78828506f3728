#include "daemon/store/compression.hpp"

#include <fmt/format.h>
#include <zstd.h>

namespace netperfd::store {

Result<std::string> compress(std::string_view bytes) {
  constexpr int kLevel = 3;
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const auto size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), kLevel);
  if (ZSTD_isError(size) != 0) {
    return fail(ErrorKind::internal, fmt::format("zstd: {}", ZSTD_getErrorName(size)));
  }
  frame.resize(size);
  return frame;
}

Result<std::string> decompress(std::string_view frame, std::uint64_t size) {
  // Also keeps a damaged size from becoming an allocation.
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != size) {
    return fail(ErrorKind::io,
                fmt::format("the compressed bytes are damaged: they do not hold {} bytes", size));
  }
  std::string bytes(size, '\0');
  const auto got = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0) {
    return fail(ErrorKind::io, fmt::format("the compressed bytes are damaged: {}", ZSTD_getErrorName(got)));
  }
  return bytes;
}

}  // namespace netperfd::store
