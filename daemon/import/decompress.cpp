// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/decompress.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>

namespace netperfd::import {
namespace {

constexpr std::string_view kGzip{"\x1f\x8b"};
constexpr std::string_view kZstd{"\x28\xb5\x2f\xfd"};
constexpr std::size_t kPiece = std::size_t{1} << 18U;

std::unexpected<Error> damaged(std::string_view format) {
  return fail(ErrorKind::invalid_argument, fmt::format("it is {}, and damaged or cut short", format));
}

// The unpacked text. It grows by pieces, and only when it is full: a member without content costs no piece.
class Text {
 public:
  // Room for more bytes; none if it would be too much.
  std::span<char> room() {
    if (used_ == text_.size()) text_.resize(std::min(used_ + kPiece, kMostUnpackedBytes + 1));
    return std::span(text_).subspan(used_);
  }
  void add(std::size_t bytes) { used_ += bytes; }
  [[nodiscard]] bool is_too_long() const { return used_ > kMostUnpackedBytes; }
  [[nodiscard]] std::string take() {
    text_.resize(used_);
    return std::move(text_);
  }

 private:
  std::string text_;
  std::size_t used_ = 0;
};

std::unexpected<Error> too_much() {
  return fail(ErrorKind::invalid_argument,
              fmt::format("it is too large: it unpacks to more than {} MiB", kMostUnpackedBytes >> 20U));
}

std::unexpected<Error> too_many(std::string_view members) {
  return fail(
      ErrorKind::invalid_argument,
      fmt::format("it is too large: it has more than {} {}, each of which costs time whatever it unpacks to",
                  kMostMembers, members));
}

std::unexpected<Error> no_memory() {
  return fail(ErrorKind::invalid_argument, "it is too large: there is no memory to unpack it");
}

Result<std::string> gunzip(std::string_view bytes) {
  constexpr int kWithGzipHeader = 15 + 16;
  z_stream stream{};
  if (::inflateInit2(&stream, kWithGzipHeader) != Z_OK) return no_memory();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, ::inflateEnd);
  if (bytes.size() > std::numeric_limits<uInt>::max()) return too_much();
  // zlib does not change its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(bytes.size());
  Text text;
  for (std::size_t members = 1;;) {
    const std::span<char> to = text.room();
    stream.next_out = reinterpret_cast<Bytef*>(to.data());
    stream.avail_out = static_cast<uInt>(to.size());
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    text.add(to.size() - stream.avail_out);
    if (text.is_too_long()) return too_much();
    if (result == Z_STREAM_END) {
      // Another member may follow; zeros are padding.
      const std::string_view rest = bytes.substr(bytes.size() - stream.avail_in);
      if (!rest.starts_with(kGzip)) return text.take();
      if (++members > kMostMembers) return too_many("members of gzip");
      if (::inflateReset(&stream) != Z_OK) return damaged("gzip");
    } else if (result == Z_MEM_ERROR) {
      return no_memory();
    } else if (result != Z_OK) {
      return damaged("gzip");
    }
  }
}

Result<std::string> unzstd(std::string_view bytes) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(::ZSTD_createDCtx(), ::ZSTD_freeDCtx);
  if (!context) return no_memory();
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  Text text;
  std::size_t frames = 0;
  std::size_t left = 1;  // 0 at the end of a frame
  while (in.pos < in.size || left > 0) {
    const std::size_t consumed = in.pos;
    const std::span<char> to = text.room();
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    left = ::ZSTD_decompressStream(context.get(), &out, &in);
    text.add(out.pos);
    if (text.is_too_long()) return too_much();
    if (::ZSTD_isError(left) != 0 && ::ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
      return no_memory();
    if (::ZSTD_isError(left) != 0 || (out.pos == 0 && in.pos == consumed)) return damaged("zstd");
    if (left == 0 && ++frames > kMostMembers) return too_many("frames of zstd");
  }
  return text.take();
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
