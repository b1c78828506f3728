// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/subbuffer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/trace/ring/recorded_ring.hpp"

namespace netperfd::trace {
namespace {

using test::recorded_ring;
using test::RecordedRing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ByteSpan = std::span<const std::byte>;

constexpr std::uint32_t kPadding = 29;
constexpr std::uint32_t kTimeExtend = 30;
constexpr std::uint32_t kTimeStamp = 31;

// A sub-buffer built word by word, as a little-endian 64-bit kernel writes it.
class Maker {
 public:
  explicit Maker(std::uint64_t time)
      : words_{static_cast<std::uint32_t>(time), static_cast<std::uint32_t>(time >> 32U), 0, 0} {}

  Maker& head(std::uint32_t type, std::uint32_t delta) { return word(type | delta << 5U); }
  Maker& word(std::uint32_t value) {
    words_.push_back(value);
    return *this;
  }
  // Completes it: `flags` of the commit word, then the words after the events.
  std::vector<std::byte> done(std::uint32_t flags = 0, std::vector<std::uint32_t> behind = {}) {
    words_[2] = static_cast<std::uint32_t>((words_.size() - 4) * 4) | flags;
    if (flags != 0) words_[3] = 0xFFFF'FFFF;  // the kernel adds the flags as negative ints
    words_.insert(words_.end(), behind.begin(), behind.end());
    const auto bytes = std::as_bytes(std::span(words_));
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::vector<std::uint32_t> words_;
};

struct Walked {
  std::vector<RawRecord> records;
  std::uint64_t lost = 0;
  bool lost_unknown = false;
  std::string damage;
};

Walked walk(ByteSpan bytes, const SubbufferLayout& layout = {}) {
  SubbufferWalk steps(bytes, layout);
  Walked result;
  for (RawRecord record; steps.next(record);) {
    EXPECT_GE(record.data.data(), bytes.data());
    EXPECT_LE(record.data.data() + record.data.size(), bytes.data() + bytes.size());
    result.records.push_back(record);
    if (result.records.size() > bytes.size()) {
      ADD_FAILURE() << "more records than bytes";
      break;
    }
  }
  result.lost = steps.lost_events();
  result.lost_unknown = steps.lost_unknown();
  result.damage = steps.damage();
  return result;
}

// A stamp as printed in the file `trace`.
std::string seconds(std::uint64_t nanoseconds) {
  const std::uint64_t microseconds = (nanoseconds + 500) / 1000;
  return fmt::format("{}.{:06}", microseconds / 1'000'000, microseconds % 1'000'000);
}

std::int32_t common_pid(ByteSpan record) {
  std::int32_t pid = 0;
  std::memcpy(&pid, record.data() + 4, sizeof pid);
  return pid;
}

void expect_as_the_kernel_says(const std::string& name) {
  SCOPED_TRACE(name);
  const RecordedRing ring = recorded_ring(name);
  ASSERT_FALSE(ring.cpus.empty());
  for (const auto& [number, cpu] : ring.cpus) {
    SCOPED_TRACE(number);
    std::size_t line = 0;
    for (const ByteSpan subbuffer : ring.subbuffers(number)) {
      const Walked walked = walk(subbuffer, ring.layout);
      EXPECT_THAT(walked.damage, IsEmpty());
      for (const RawRecord& record : walked.records) {
        ASSERT_LT(line, cpu.lines.size());
        EXPECT_EQ(seconds(record.time), cpu.lines[line].time) << "event " << line;
        EXPECT_EQ(common_pid(record.data), cpu.lines[line].pid) << "event " << line;
        ++line;
      }
    }
    EXPECT_EQ(line, cpu.lines.size());
    EXPECT_EQ(line, cpu.entries);
  }
}

TEST(Subbuffer, gives_number_time_and_task_of_the_kernels_own_text) {
  expect_as_the_kernel_says("traffic");
  expect_as_the_kernel_says("losses");
  expect_as_the_kernel_says("losses_uncounted");
}

TEST(Subbuffer, of_four_pages_is_walked_whole) {
  expect_as_the_kernel_says("large");
  EXPECT_EQ(recorded_ring("large").cpus.begin()->second.bytes.size(), 16'384U);
}

TEST(Subbuffer, tells_how_many_events_were_lost_before_it) {
  const RecordedRing ring = recorded_ring("losses");
  ASSERT_EQ(ring.cpus.size(), 1U);
  const auto& [number, cpu] = *ring.cpus.begin();
  ASSERT_GT(cpu.overrun, 0U);
  std::uint64_t lost = 0;
  for (const ByteSpan subbuffer : ring.subbuffers(number)) {
    const Walked walked = walk(subbuffer, ring.layout);
    lost += walked.lost;
    EXPECT_FALSE(walked.lost_unknown);
  }
  EXPECT_EQ(lost, cpu.overrun);
}

TEST(Subbuffer, that_is_full_tells_only_that_events_were_lost) {
  const RecordedRing ring = recorded_ring("losses_uncounted");
  ASSERT_EQ(ring.cpus.size(), 1U);
  const std::vector<ByteSpan> subbuffers = ring.subbuffers(ring.cpus.begin()->first);
  EXPECT_TRUE(walk(subbuffers.at(0), ring.layout).lost_unknown);
  EXPECT_EQ(walk(subbuffers.at(0), ring.layout).lost, 0U);
  EXPECT_FALSE(walk(subbuffers.at(1), ring.layout).lost_unknown);
}

TEST(Subbuffer, takes_a_lost_number_only_where_there_is_room_for_it) {
  const auto with = Maker(1).head(1, 0).word(7).done(3U << 30U, {5, 0});
  EXPECT_EQ(walk(with).lost, 5U);
  EXPECT_FALSE(walk(with).lost_unknown);
  const auto without = Maker(1).head(1, 0).word(7).done(3U << 30U, {5});
  EXPECT_EQ(walk(without).lost, 0U);
  EXPECT_TRUE(walk(without).lost_unknown);
  EXPECT_EQ(walk(without).records.size(), 1U);
}

TEST(Subbuffer, adds_up_times_and_time_extends) {
  const auto bytes = Maker(1000)
                         .head(1, 5)
                         .word(0)
                         .head(kTimeExtend, 7)
                         .word(3)  // 3 << 27
                         .head(2, 1)
                         .word(0)
                         .word(0)
                         .done();
  const Walked walked = walk(bytes);
  ASSERT_EQ(walked.records.size(), 2U);
  EXPECT_EQ(walked.records[0].time, 1005U);
  EXPECT_EQ(walked.records[0].data.size(), 4U);
  EXPECT_EQ(walked.records[1].time, 1005U + 7 + (3U << 27U) + 1);
  EXPECT_EQ(walked.records[1].data.size(), 8U);
}

TEST(Subbuffer, completes_an_absolute_stamp_by_the_upper_bits_of_the_time_before) {
  constexpr std::uint64_t kUpper = 5ULL << 59U;
  const auto low = Maker(1000).head(kTimeStamp, 9).word(2).head(1, 1).word(0).done();
  EXPECT_EQ(walk(low).records.at(0).time, (2ULL << 27U) + 9 + 1);
  const auto high = Maker(kUpper + 1000).head(kTimeStamp, 9).word(2).head(1, 1).word(0).done();
  EXPECT_EQ(walk(high).records.at(0).time, kUpper + (2ULL << 27U) + 9 + 1);
  const auto over = Maker(kUpper + (9ULL << 27U)).head(kTimeStamp, 9).word(2).head(1, 1).word(0).done();
  EXPECT_EQ(walk(over).records.at(0).time, (6ULL << 59U) + (2ULL << 27U) + 9 + 1);
}

TEST(Subbuffer, reads_the_length_of_a_long_event_from_its_second_word) {
  const auto bytes = Maker(0).head(0, 1).word(12).word(1).word(2).head(1, 1).word(3).done();
  const Walked walked = walk(bytes);
  ASSERT_EQ(walked.records.size(), 2U);
  EXPECT_EQ(walked.records[0].data.size(), 8U);
  EXPECT_EQ(walked.records[0].data.data(), bytes.data() + 24);
  EXPECT_EQ(walked.records[1].time, 2U);
}

TEST(Subbuffer, skips_an_event_that_was_taken_back_and_keeps_its_time) {
  const auto bytes = Maker(0).head(kPadding, 40).word(8).word(1).head(1, 2).word(3).done();
  EXPECT_EQ(walk(bytes).records.at(0).time, 42U);
  const auto filled = Maker(0).head(kPadding, 1).word(8).word(1).head(1, 2).word(3).done();
  EXPECT_EQ(walk(filled).records.at(0).time, 2U);
}

TEST(Subbuffer, ends_at_padding_without_a_time) {
  const auto bytes = Maker(0).head(1, 1).word(3).head(kPadding, 0).head(0, 0).word(77).done();
  const Walked walked = walk(bytes);
  EXPECT_EQ(walked.records.size(), 1U);
  EXPECT_THAT(walked.damage, IsEmpty());
}

TEST(Subbuffer, without_events_is_no_damage) {
  const Walked walked = walk(Maker(0).done());
  EXPECT_THAT(walked.records, IsEmpty());
  EXPECT_THAT(walked.damage, IsEmpty());
}

TEST(Subbuffer, says_what_is_wrong_and_where_and_gives_what_stood_before) {
  const auto past = Maker(0).head(1, 1).word(3).head(5, 1).word(3).done();
  EXPECT_EQ(walk(past).records.size(), 1U);
  EXPECT_EQ(walk(past).damage, "at offset 24: an event of 20 bytes where 4 are left");
  EXPECT_THAT(walk(Maker(0).head(0, 1).done()).damage, HasSubstr("the second word of an event"));
  EXPECT_THAT(walk(Maker(0).head(kTimeExtend, 1).done()).damage, HasSubstr("the second word of an event"));
  EXPECT_THAT(walk(Maker(0).head(0, 1).word(3).word(0).done()).damage, HasSubstr("a long event of 3 bytes"));
  EXPECT_THAT(walk(Maker(0).head(0, 1).word(6).word(0).done()).damage, HasSubstr("a long event of 6 bytes"));
  EXPECT_THAT(walk(Maker(0).head(0, 1).word(0xFFFF'FFFC).word(0).done()).damage, HasSubstr("a long event"));
  EXPECT_THAT(walk(Maker(0).head(kPadding, 1).word(0).word(0).done()).damage, HasSubstr("a long event of 0"));
}

TEST(Subbuffer, with_a_header_that_promises_too_much_is_damaged) {
  auto bytes = Maker(0).head(1, 1).word(3).done();
  bytes.pop_back();
  EXPECT_THAT(walk(bytes).damage, HasSubstr("the header says 8 bytes of events, there is room for 7"));
  EXPECT_THAT(walk(ByteSpan(bytes).first(15)).damage, HasSubstr("15 bytes are no sub-buffer"));
  EXPECT_THAT(walk({}).damage, HasSubstr("0 bytes are no sub-buffer"));
}

// Copied to its own memory, so that a sanitizer notices an access outside.
Walked walk_copy(ByteSpan bytes, const SubbufferLayout& layout) {
  const auto copy = std::make_unique<std::byte[]>(bytes.size());
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  Walked walked = walk({copy.get(), bytes.size()}, layout);
  for (RawRecord& record : walked.records) record.data = {};
  return walked;
}

// The sub-buffers of the CPU with the most of them.
std::vector<ByteSpan> busiest(const RecordedRing& ring) {
  std::vector<ByteSpan> most;
  for (const auto& [number, cpu] : ring.cpus) {
    if (std::vector<ByteSpan> its = ring.subbuffers(number); its.size() > most.size()) most = std::move(its);
  }
  return most;
}

TEST(Subbuffer, that_is_cut_off_anywhere_is_damaged) {
  const RecordedRing ring = recorded_ring("traffic");
  const ByteSpan whole = busiest(ring).at(0);
  std::uint32_t committed = 0;
  std::memcpy(&committed, whole.data() + ring.layout.commit_offset, sizeof committed);
  for (std::size_t size = 0; size < ring.layout.data_offset + committed; ++size) {
    ASSERT_FALSE(walk_copy(whole.first(size), ring.layout).damage.empty()) << "cut to " << size << " bytes";
  }
}

TEST(Subbuffer, with_any_byte_wrong_never_leads_outside_and_never_spoils_the_next) {
  const RecordedRing ring = recorded_ring("traffic");
  const std::vector<ByteSpan> subbuffers = busiest(ring);
  const std::size_t next_records = walk(subbuffers.at(1), ring.layout).records.size();
  std::vector<std::byte> wrong(subbuffers.at(0).begin(), subbuffers.at(0).end());
  std::size_t damaged = 0;
  std::size_t changed = 0;
  const std::size_t right_records = walk(subbuffers.at(0), ring.layout).records.size();
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    for (const unsigned flip : {0x01U, 0x1FU, 0x80U, 0xFFU}) {
      wrong[i] ^= std::byte(flip);
      const Walked walked = walk_copy(wrong, ring.layout);
      if (!walked.damage.empty()) ++damaged;
      if (walked.records.size() != right_records) ++changed;
      wrong[i] ^= std::byte(flip);
    }
    ASSERT_EQ(walk(subbuffers.at(1), ring.layout).records.size(), next_records);
  }
  EXPECT_GT(damaged, right_records);  // at least those in which a header's type was made too long
  EXPECT_GT(changed, right_records);
}

TEST(HeaderPage, of_this_kernel_kind_is_read) {
  const auto layout = parse_header_page(test::recorded_file("header_page"));
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->timestamp_offset, 0U);
  EXPECT_EQ(layout->commit_offset, 8U);
  EXPECT_EQ(layout->commit_size, 8U);
  EXPECT_EQ(layout->data_offset, 16U);
  EXPECT_EQ(layout->data_size, 4080U);
  EXPECT_EQ(layout->size(), 4096U);
}

constexpr std::string_view kNarrow =
    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
    "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
    "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n";

TEST(HeaderPage, of_a_32_bit_kernel_has_a_commit_word_of_four_bytes) {
  const auto layout = parse_header_page(kNarrow);
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->commit_size, 4U);
  EXPECT_EQ(layout->data_offset, 12U);

  const std::vector<std::uint32_t> words{9, 0, 8U | 3U << 30U, 1U | 4U << 5U, 77, 6};
  const Walked walked = walk(std::as_bytes(std::span(words)), *layout);
  ASSERT_EQ(walked.records.size(), 1U);
  EXPECT_EQ(walked.records[0].time, 13U);
  EXPECT_EQ(walked.lost, 6U);
}

TEST(HeaderPage, that_cannot_be_one_is_refused) {
  const auto changed = [](std::string_view from, std::string_view to) {
    std::string text(kNarrow);
    text.replace(text.find(from), from.size(), to);
    return parse_header_page(text);
  };
  EXPECT_FALSE(parse_header_page(""));
  EXPECT_FALSE(changed("timestamp", "stamp"));
  EXPECT_FALSE(changed("size:4;", "size:3;"));
  EXPECT_FALSE(changed("offset:12", "offset:9"));
  EXPECT_FALSE(changed("offset:12", "offset:twelve"));
  EXPECT_FALSE(changed("offset:8", "offset:3"));  // overlaps the time stamp
  EXPECT_FALSE(changed("size:4084", "size:99999999999999999999"));
  EXPECT_THAT(changed("commit", "omit").error().message, HasSubstr("no field \"commit\""));
}

}  // namespace
}  // namespace netperfd::trace
