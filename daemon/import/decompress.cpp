// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/decompress.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace netperfd::import {
namespace {

constexpr std::string_view kGzip{"\x1f\x8b"};
constexpr std::string_view kZstd{"\x28\xb5\x2f\xfd"};
constexpr std::size_t kPiece = std::size_t{1} << 18U;

std::unexpected<Error> damaged(std::string_view format) {
  return fail(ErrorKind::invalid_argument, fmt::format("it is {}, and damaged or cut short", format));
}

// Appends up to kPiece bytes that `unpack` writes; false if that would be too much.
template <class Unpack>
bool append_piece(std::string& text, const Unpack& unpack) {
  const std::size_t before = text.size();
  if (before + kPiece > kMostUnpackedBytes) return false;
  text.resize(before + kPiece);
  text.resize(before + unpack(text.data() + before));
  return true;
}

std::unexpected<Error> too_much() {
  return fail(ErrorKind::invalid_argument,
              fmt::format("it unpacks to more than {} MiB", kMostUnpackedBytes >> 20U));
}

Result<std::string> gunzip(std::string_view bytes) {
  constexpr int kWithGzipHeader = 15 + 16;
  z_stream stream{};
  if (::inflateInit2(&stream, kWithGzipHeader) != Z_OK) return damaged("gzip");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, ::inflateEnd);
  if (bytes.size() > std::numeric_limits<uInt>::max()) return too_much();
  // zlib does not change its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  while (true) {
    int result = Z_OK;
    const bool fits = append_piece(text, [&](char* to) {
      stream.next_out = reinterpret_cast<Bytef*>(to);
      stream.avail_out = static_cast<uInt>(kPiece);
      result = ::inflate(&stream, Z_NO_FLUSH);
      return kPiece - stream.avail_out;
    });
    if (!fits) return too_much();
    if (result == Z_STREAM_END) {
      // Another member may follow; zeros are padding.
      const std::string_view rest = bytes.substr(bytes.size() - stream.avail_in);
      if (!rest.starts_with(kGzip)) return text;
      if (::inflateReset(&stream) != Z_OK) return damaged("gzip");
    } else if (result != Z_OK) {
      return damaged("gzip");
    }
  }
}

Result<std::string> unzstd(std::string_view bytes) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(::ZSTD_createDCtx(), ::ZSTD_freeDCtx);
  if (!context) return fail(ErrorKind::invalid_argument, "there is no memory to unpack it");
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::string text;
  std::size_t left = 1;  // 0 at the end of a frame
  while (in.pos < in.size || left > 0) {
    const std::size_t consumed = in.pos;
    std::size_t written = 0;
    const bool fits = append_piece(text, [&](char* to) {
      ZSTD_outBuffer out{to, kPiece, 0};
      left = ::ZSTD_decompressStream(context.get(), &out, &in);
      written = out.pos;
      return out.pos;
    });
    if (!fits) return too_much();
    if (::ZSTD_isError(left) != 0 || (written == 0 && in.pos == consumed)) return damaged("zstd");
  }
  return text;
}

}  // namespace

Result<std::optional<std::string>> decompress(std::string_view bytes) {
  const bool gzip = bytes.starts_with(kGzip);
  if (!gzip && !bytes.starts_with(kZstd)) return std::optional<std::string>();
  auto text = gzip ? gunzip(bytes) : unzstd(bytes);
  if (!text) return std::unexpected(std::move(text.error()));
  return std::optional(std::move(*text));
}

}  // namespace netperfd::import
