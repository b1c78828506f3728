// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/base/document_peek.hpp"

#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace netperfctl {
namespace {

constexpr std::size_t kLookedAt = std::size_t{64} << 10U;  // bytes, of the file and of what they unpack to

// What the first bytes of a gzip or zstd file unpack to; as much as can be had if they are damaged.
std::string gunzip_begin(std::string& bytes) {
  constexpr int kWithGzipHeader = 15 + 16;
  z_stream stream{};
  if (::inflateInit2(&stream, kWithGzipHeader) != Z_OK) return {};
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, ::inflateEnd);
  std::string text(kLookedAt, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  (void)::inflate(&stream, Z_SYNC_FLUSH);
  text.resize(text.size() - stream.avail_out);
  return text;
}

std::string unzstd_begin(std::string_view bytes) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(::ZSTD_createDCtx(), ::ZSTD_freeDCtx);
  if (!context) return {};
  std::string text(kLookedAt, '\0');
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  ZSTD_outBuffer out{text.data(), text.size(), 0};
  std::size_t left = 1;
  while (left > 0 && in.pos < in.size && out.pos < out.size) {
    left = ::ZSTD_decompressStream(context.get(), &out, &in);
    if (::ZSTD_isError(left) != 0) break;
  }
  text.resize(out.pos);
  return text;
}

// The beginning of the file, unpacked; empty if it cannot be read.
std::string begin_of(int file) {
  constexpr std::string_view kGzip{"\x1f\x8b"}, kZstd{"\x28\xb5\x2f\xfd"};
  std::string begin(kLookedAt, '\0');
  const ssize_t got = ::pread(file, begin.data(), begin.size(), 0);
  if (got <= 0) return {};
  begin.resize(static_cast<std::size_t>(got));
  if (begin.starts_with(kGzip)) return gunzip_begin(begin);
  if (begin.starts_with(kZstd)) return unzstd_begin(begin);
  return begin;
}

// Whether a text has the CPU of an event, "  iperf3-312     [001] ..s1. ".
bool has_cpu_column(std::string_view text) {
  for (std::size_t at = text.find(" ["); at != std::string_view::npos; at = text.find(" [", at + 1)) {
    const std::size_t end = text.find_first_not_of("0123456789", at + 2);
    if (end != std::string_view::npos && end > at + 2 && text.substr(end).starts_with("] ")) return true;
  }
  return false;
}

}  // namespace

bool looks_like_document(int file) {
  const std::string begin = begin_of(file);
  if (begin.contains('\0')) return false;
  return begin.starts_with('{') || begin.find("\n{") != std::string::npos;
}

bool looks_like_trace(int file) {
  constexpr std::string_view kTraceDat{"\x17\x08\x44tracing"}, kBundle{"manifest.json"};
  constexpr std::string_view kSigns[] = {"# tracer:", "\ncpus=", ": cpus=", "funcgraph_",
                                         ") {",       ");",      "} /*"};
  std::string begin = begin_of(file);
  if (begin.starts_with(kTraceDat)) return true;
  if (begin.starts_with(kBundle)) return false;
  std::erase(begin, '\0');  // UTF-16 is read as well
  return begin.starts_with("cpus=") || has_cpu_column(begin) ||
         std::ranges::any_of(kSigns, [&](std::string_view sign) { return begin.contains(sign); });
}

}  // namespace netperfctl
