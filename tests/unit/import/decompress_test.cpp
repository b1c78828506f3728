// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/decompress.hpp"

#include <gmock/gmock.h>
#include <zlib.h>
#include <zstd.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "daemon/import/file_kind.hpp"

namespace netperfd::import {
namespace {

using testing::HasSubstr;

std::string gzip(std::string_view text) {
  z_stream stream{};
  if (::deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string packed(::deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = ::deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("deflate");
  return packed;
}

std::string zstd(std::string_view text) {
  std::string packed(::ZSTD_compressBound(text.size()), '\0');
  packed.resize(::ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  return packed;
}

std::string unpacked(std::string_view bytes) {
  const auto text = decompress(bytes);
  if (!text) return "! " + text.error().message;
  return text->value_or("not compressed");
}

TEST(Decompress, undoes_gzip_and_zstd_of_one_and_of_several_members) {
  const std::string text(1'000'000, 'x');
  EXPECT_EQ(unpacked(gzip(text)), text);
  EXPECT_EQ(unpacked(zstd(text)), text);
  EXPECT_EQ(unpacked(gzip("one ") + gzip("two")), "one two");
  EXPECT_EQ(unpacked(zstd("one ") + zstd("two")), "one two");
  EXPECT_EQ(unpacked("{}"), "not compressed");
}

TEST(Decompress, of_damaged_and_of_cut_bytes_says_so) {
  for (const std::string& packed : {gzip("some text that is long enough"), zstd("some text, long enough")}) {
    EXPECT_THAT(unpacked(packed.substr(0, packed.size() - 3)), HasSubstr("damaged or cut short"));
    std::string changed = packed;
    changed[packed.size() / 2] = static_cast<char>(~changed[packed.size() / 2]);
    changed[4] = static_cast<char>(~changed[4]);
    EXPECT_THAT(unpacked(changed.substr(0, changed.size() - 1)), HasSubstr("damaged or cut short"));
  }
}

TEST(Decompress, of_a_bomb_ends_at_its_limit) {
  const std::string zeros(kMostUnpackedBytes + 1, '\0');
  EXPECT_THAT(unpacked(gzip(zeros)), HasSubstr("more than 128 MiB"));
  EXPECT_THAT(unpacked(zstd(zeros)), HasSubstr("more than 128 MiB"));
}

// Each of them costs time, and unpacks to nothing.
TEST(Decompress, of_too_many_empty_members_ends_at_its_limit) {
  const std::string member = gzip(""), frame = zstd("");
  std::string members, frames, padding;
  for (std::size_t i = 0; i < kMostMembers; ++i) {
    members += member;
    frames += frame;
    padding += std::string("\x50\x2a\x4d\x18\0\0\0\0", 8);  // a frame of zstd to be skipped
  }
  EXPECT_EQ(unpacked(members), "");
  EXPECT_EQ(unpacked(frames), "");
  EXPECT_THAT(unpacked(members + gzip("text")),
              HasSubstr("too large: it has more than 20000 members of gzip"));
  EXPECT_THAT(unpacked(frames + zstd("text")), HasSubstr("too large: it has more than 20000 frames of zstd"));
  EXPECT_THAT(unpacked(zstd("text") + padding),
              HasSubstr("too large: it has more than 20000 frames of zstd"));
}

TEST(Decompress, comes_before_the_file_is_recognized_and_once) {
  FileReaders readers;
  readers.iperf3 = [](std::span<const std::byte> file) -> Result<ImportedFile> {
    return fail(ErrorKind::invalid_argument,
                std::string(reinterpret_cast<const char*>(file.data()), file.size()));
  };
  const auto read = [&](const std::string& bytes) {
    return read_by_kind(std::as_bytes(std::span(bytes)), readers).error().message;
  };
  EXPECT_EQ(read(gzip("{\"start\": 1}")), "{\"start\": 1}");
  EXPECT_EQ(read(zstd("\xef\xbb\xbf{\"start\": 1}")), "{\"start\": 1}");
  EXPECT_THAT(read(gzip(gzip(std::string(100, '\0')))), HasSubstr("no text and no trace.dat"));
}

}  // namespace
}  // namespace netperfd::import
