// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/text_encoding.hpp"

#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "daemon/import/file_kind.hpp"

namespace netperfd::import {
namespace {

using std::string_view_literals::operator""sv;

TEST(TextEncoding, of_utf16_is_told_by_its_mark_or_by_its_zeros) {
  EXPECT_EQ(to_utf8("\xff\xfe{\0a\0"sv), "{a");
  EXPECT_EQ(to_utf8("\xfe\xff\0{\0a"sv), "{a");
  EXPECT_EQ(to_utf8("{\0a\0b\0"sv), "{ab");
  EXPECT_EQ(to_utf8("\0{\0a\0b"sv), "{ab");
  EXPECT_EQ(to_utf8("\xef\xbb\xbf{}"sv), "{}");
  EXPECT_EQ(to_utf8("{}"sv), std::nullopt);
  EXPECT_EQ(to_utf8("\x7f"
                    "ELF\0\0\0\0"sv),
            std::nullopt);
}

TEST(TextEncoding, of_utf16_keeps_characters_of_every_plane_and_marks_halves) {
  EXPECT_EQ(to_utf8("\xff\xfe\xfc\0\xac\x20\x3d\xd8\x00\xde"sv), "\u00fc\u20ac\U0001f600");
  EXPECT_EQ(to_utf8("\xff\xfe\x3d\xd8"sv), "\ufffd") << "the second half is missing";
  EXPECT_EQ(to_utf8("\xff\xfe\x00\xde\x41\0"sv), "\ufffdA") << "the first half is missing";
  EXPECT_EQ(to_utf8("\xff\xfe\x41\0\x42"sv), "A") << "half a unit";
}

TEST(TextEncoding, is_undone_once_however_many_marks_there_are) {
  std::string marks;
  for (int i = 0; i < 1'000; ++i) marks += "\xef\xbb\xbf";
  EXPECT_EQ(to_utf8(marks + "{}"), marks.substr(3) + "{}");
  FileReaders readers;
  readers.iperf3 = [](auto) -> Result<ImportedFile> { return fail(ErrorKind::invalid_argument, "read"); };
  const std::string text = "\xef\xbb\xbf{\"start\": 1}";
  EXPECT_EQ(read_by_kind(std::as_bytes(std::span(text)), readers).error().message, "read");
}

}  // namespace
}  // namespace netperfd::import
