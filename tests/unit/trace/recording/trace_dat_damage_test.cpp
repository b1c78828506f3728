// SPDX-License-Identifier: GPL-2.0-or-later
// Files come from users: whatever their bytes are, reading ends with a record or an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "daemon/trace/recording/trace_dat.hpp"
#include "daemon/trace/recording/trace_dat_record.hpp"
#include "tests/unit/trace/recording/trace_dat_support.hpp"

namespace netperfd::trace {
namespace {

using test::as_bytes;

// In a memory block that ends exactly with the file, so that a sanitizer notices any access beyond it.
bool is_read(const std::string& file) {
  const std::string exact(file.data(), file.size());
  const auto record = record_of_trace_dat(as_bytes(exact));
  if (record) return true;
  EXPECT_EQ(record.error().kind, ErrorKind::invalid_argument);
  EXPECT_FALSE(record.error().message.empty());
  return false;
}

TEST(DamagedTraceDat, cut_off_anywhere_is_refused) {
  const std::string file = test::small_dat();
  ASSERT_TRUE(is_read(file));
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(is_read(file.substr(0, size))) << size << " of " << file.size();
  }
}

TEST(DamagedTraceDat, with_any_byte_changed_is_read_or_refused) {
  const std::string file = test::small_dat();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string changed = file;
      changed[at] = static_cast<char>(changed[at] ^ change);
      if (!is_read(changed)) ++refused;
    }
  }
  EXPECT_GT(refused, 100U);
}

class DamagedRecording : public testing::TestWithParam<const char*> {};

TEST_P(DamagedRecording, is_read_or_refused) {
  const std::string file = test::dat_file(GetParam());
  constexpr std::size_t kStep = 211;
  for (std::size_t at = 0; at < file.size(); at += kStep) {
    (void)is_read(file.substr(0, at));
    std::string changed = file;
    changed[at] = static_cast<char>(changed[at] ^ 0x5a);
    (void)is_read(changed);
  }
  // The pointers to all other parts are at the beginning and the end.
  for (std::size_t at = 0; at < 256; ++at) {
    for (const std::size_t place : {at, file.size() - 1 - at}) {
      std::string changed = file;
      changed[place] = static_cast<char>(changed[place] ^ 0xff);
      (void)is_read(changed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfTraceCmd, DamagedRecording, testing::Values("v7-zstd.dat", "v7-zlib.dat"),
                         [](const auto& name) { return std::string(name.param, 3, 4); });

// The names of functions and modules are taken into the record, which is shown on terminals.
TEST(DamagedTraceDat, whose_names_are_not_printable_has_question_marks_in_them) {
  std::string file = test::dat_file("v7-none.dat");
  const auto sound = record_of_trace_dat(as_bytes(file));
  ASSERT_TRUE(sound) << sound.error().message;
  ASSERT_TRUE(sound->profile);
  const auto called = std::ranges::find_if(
      sound->profile->functions, [](const FunctionStats& function) { return !function.module.empty(); });
  ASSERT_NE(called, sound->profile->functions.end());
  const std::size_t name = file.find(" " + called->name + "\t[" + called->module + "]");
  ASSERT_NE(name, std::string::npos);
  file[name + 2] = '\xff';
  file[name + called->name.size() + 4] = '\x1b';
  const auto record = record_of_trace_dat(as_bytes(file));
  ASSERT_TRUE(record) << record.error().message;
  ASSERT_TRUE(record->profile);
  std::string shown_name = called->name;
  std::string shown_module = called->module;
  shown_name[1] = '?';
  shown_module[1] = '?';
  EXPECT_THAT(record->profile->functions,
              testing::Contains(testing::AllOf(testing::Field(&FunctionStats::name, shown_name),
                                               testing::Field(&FunctionStats::module, shown_module))));
}

// Options that point to themselves.
TEST(DamagedTraceDat, whose_options_have_no_end_is_refused) {
  std::string file = test::dat_file("v7-none.dat");
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, file.data() + at, sizeof value);
    return value;
  };
  const std::size_t place_of_options = 12 + 6 + 5 + 1;  // after version, page size and compression
  const auto options = number(place_of_options);
  const auto size = number(options + 8);
  std::memcpy(file.data() + options + 16 + size - sizeof options, &options, sizeof options);
  const auto dat = read_trace_dat(as_bytes(file));
  ASSERT_FALSE(dat);
  EXPECT_THAT(dat.error().message, testing::HasSubstr("have no end"));
}

// A few bytes that claim to have 4 GiB when decompressed.
TEST(DamagedTraceDat, that_claims_to_become_huge_is_refused) {
  std::string file = test::dat_file("v7-zstd.dat");
  std::uint64_t options = 0;
  std::memcpy(&options, file.data() + 12 + 6 + 5 + 6, sizeof options);
  std::uint64_t header_info = 0;  // the first option
  std::memcpy(&header_info, file.data() + options + 16 + 6, sizeof header_info);
  const std::uint32_t huge = 0xffff'fff0;
  std::memcpy(file.data() + header_info + 16 + 4, &huge, sizeof huge);
  const auto dat = read_trace_dat(as_bytes(file));
  ASSERT_FALSE(dat);
  EXPECT_THAT(dat.error().message, testing::HasSubstr("are too many for the header pages"));
}

}  // namespace
}  // namespace netperfd::trace
