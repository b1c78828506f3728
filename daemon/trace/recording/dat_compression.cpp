// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/dat_compression.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

namespace netperfd::trace {
namespace {

Status damaged(std::size_t from, std::size_t to, std::string_view why) {
  return fail(ErrorKind::invalid_argument,
              fmt::format("{} compressed bytes that should become {} are damaged: {}", from, to, why));
}

Status inflate_zlib(std::span<const std::byte> from, std::span<std::byte> to) {
  uLongf size = to.size();
  const int code = ::uncompress(reinterpret_cast<Bytef*>(to.data()), &size,
                                reinterpret_cast<const Bytef*>(from.data()), from.size());
  if (code != Z_OK) return damaged(from.size(), to.size(), ::zError(code));
  if (size != to.size()) return damaged(from.size(), to.size(), fmt::format("{} came out", size));
  return {};
}

Status inflate_zstd(std::span<const std::byte> from, std::span<std::byte> to) {
  const std::size_t size = ZSTD_decompress(to.data(), to.size(), from.data(), from.size());
  if (ZSTD_isError(size) != 0) return damaged(from.size(), to.size(), ZSTD_getErrorName(size));
  if (size != to.size()) return damaged(from.size(), to.size(), fmt::format("{} came out", size));
  return {};
}

}  // namespace

Result<DatCompression> dat_compression_of(std::string_view name) {
  if (name == "none") return DatCompression::none;
  if (name == "zlib") return DatCompression::zlib;
  if (name == "zstd") return DatCompression::zstd;
  return fail(ErrorKind::invalid_argument,
              "trace.dat: its compression is neither none nor zlib nor zstd, the ones that can be read");
}

Status decompress_dat(DatCompression compression, std::span<const std::byte> from, std::span<std::byte> to) {
  switch (compression) {
    case DatCompression::zlib:
      return inflate_zlib(from, to);
    case DatCompression::zstd:
      return inflate_zstd(from, to);
    case DatCompression::none:
      break;
  }
  return damaged(from.size(), to.size(), "the file names no compression");
}

}  // namespace netperfd::trace
