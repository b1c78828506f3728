// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/sampling/records.hpp"

#include <gmock/gmock.h>

#include "tests/unit/sampling/ring_bytes.hpp"

namespace netperfd::sampling {
namespace {

using testing::ElementsAre;

std::vector<std::string> heard_of(std::span<const std::byte> bytes) {
  Heard heard;
  read_records(bytes, heard);
  return heard.words;
}

TEST(Records, are_read_with_the_innermost_address_first_and_without_the_kernels_markers) {
  EXPECT_THAT(
      heard_of(RecordBytes{}
                   .sample(40, {11, 12, 13})
                   .name(40, 40, "iperf3")
                   .sample(41, {}, kUserMode)
                   .sample(0, {}, kGuestKernelMode)
                   .bytes),
      ElementsAre("sample of 40 kernel 11 12 13", "40 is iperf3", "sample of 41 user", "sample of 0 guest"));
}

TEST(Records, of_loss_of_throttling_and_of_unknown_types_are_told_apart) {
  EXPECT_THAT(heard_of(RecordBytes{}.lost(5).throttle().other().lost_samples(7).sample(1, {2}).bytes),
              ElementsAre("lost 5", "throttled", "lost 7", "sample of 1 kernel 2"));
}

// Any CPU can run it, so it is told before the samples of all of them.
TEST(Records, of_code_that_is_loaded_are_read_for_themselves) {
  const auto bytes = RecordBytes{}
                         .sample(1, {2})
                         .code(0x4000, 64, "bpf_prog_6deef7357e7b4530_count")
                         .code(0x5000, 32, "kprobe_optinsn_page", false)
                         .code(0x4000, 64, "bpf_prog_6deef7357e7b4530_count", true, true)
                         .bytes;
  Heard heard;
  read_loaded_code(bytes, heard);
  EXPECT_THAT(heard.words, ElementsAre("bpf_prog_6deef7357e7b4530_count of BPF at 16384 + 64",
                                       "kprobe_optinsn_page at 20480 + 32"));
  EXPECT_THAT(heard_of(bytes), ElementsAre("sample of 1 kernel 2")) << "and no other way";
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Heard cut;
    read_loaded_code(std::span(bytes).first(size), cut);
    EXPECT_LE(cut.words.size(), 2U) << size;
  }
}

TEST(Records, name_a_process_by_its_first_thread_only) {
  EXPECT_THAT(heard_of(RecordBytes{}.name(40, 43, "worker").name(43, 43, "other").bytes),
              ElementsAre("43 is other"));
}

TEST(Records, that_were_cut_off_anywhere_keep_those_before_and_tell_of_the_damage) {
  const auto whole = RecordBytes{}.sample(1, {2}).bytes;
  const auto both = RecordBytes{}.sample(1, {2}).sample(3, {4, 5}).bytes;
  for (std::size_t size = whole.size() + 1; size < both.size(); ++size) {
    EXPECT_THAT(heard_of(std::span(both).first(size)), ElementsAre("sample of 1 kernel 2", "damaged"))
        << size;
  }
}

TEST(Records, that_claim_a_wrong_length_end_the_walk) {
  for (const int size : {0, 7, 16, 65'535}) {
    EXPECT_THAT(heard_of(RecordBytes{}.sample(1, {2}).header(static_cast<std::uint16_t>(size)).bytes),
                ElementsAre("sample of 1 kernel 2", "damaged"))
        << size;
  }
}

TEST(Records, that_claim_more_addresses_than_they_have_are_damaged) {
  for (const unsigned count : {3U, 200U}) {
    auto bytes = RecordBytes{}.sample(1, {2}).bytes;
    bytes[16] = static_cast<std::byte>(count);
    EXPECT_THAT(heard_of(bytes), ElementsAre("damaged"));
  }
}

TEST(Records, of_a_ring_are_the_same_wherever_the_ring_begins_anew) {
  const auto wanted = RecordBytes{}.sample(40, {11, 12, 13}).lost(3).name(40, 40, "iperf3").bytes;
  constexpr std::size_t kRing = 256;
  ASSERT_LT(wanted.size(), kRing);
  for (std::uint64_t tail = 5 * kRing; tail <= 6 * kRing; tail += 8) {
    std::vector<std::byte> ring(kRing, std::byte{0xEE});
    for (std::size_t i = 0; i < wanted.size(); ++i) ring[(tail + i) % kRing] = wanted[i];
    std::vector<std::byte> out;
    ASSERT_TRUE(copy_out(ring, tail, tail + wanted.size(), out)) << tail;
    ASSERT_EQ(out, wanted) << tail;
  }
}

TEST(Records, of_a_full_ring_are_all_of_its_bytes_and_more_cannot_be_there) {
  std::vector<std::byte> ring(64);
  for (std::size_t i = 0; i < ring.size(); ++i) ring[i] = static_cast<std::byte>(i);
  std::vector<std::byte> out;
  ASSERT_TRUE(copy_out(ring, 72, 136, out));
  ASSERT_EQ(out.size(), 64U);
  EXPECT_EQ(out.front(), std::byte{8});
  EXPECT_EQ(out.back(), std::byte{7});
  EXPECT_FALSE(copy_out(ring, 72, 137, out));
  EXPECT_TRUE(out.empty());
  EXPECT_FALSE(copy_out(ring, 72, 71, out)) << "the head cannot be before the tail";
  EXPECT_TRUE(copy_out(ring, 72, 72, out));
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace netperfd::sampling
