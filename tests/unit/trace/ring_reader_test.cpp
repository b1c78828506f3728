// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring_reader.hpp"

#include <gmock/gmock.h>

#include <array>

#include "tests/unit/trace/fake_rings.hpp"

namespace netperfd::trace {
namespace {

using test::kSmallSubbuffer;
using testing::ElementsAre;
using testing::IsEmpty;

class RingReaderTest : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::size_t> waiting() const { return {rings_[0].waiting, rings_[1].waiting}; }
  // The CPUs of the sub-buffers that a sweep read.
  static std::vector<std::uint32_t> cpus_of(const Sweep& sweep) {
    std::vector<std::uint32_t> cpus;
    for (const RawSubbuffer& subbuffer : sweep.subbuffers) cpus.push_back(subbuffer.cpu);
    return cpus;
  }

  std::array<test::Ring, 2> rings_;
  RingReader reader_{test::pipes_of(rings_), test::reader_settings()};
};

TEST_F(RingReaderTest, gives_the_bytes_of_every_cpu) {
  rings_[0].waiting = 1;
  rings_[1].waiting = 2;
  const Sweep sweep = reader_.sweep();
  EXPECT_THAT(cpus_of(sweep), ElementsAre(0, 1, 1));
  EXPECT_EQ(sweep.bytes, 3 * kSmallSubbuffer);
  EXPECT_THAT(sweep.behind, IsEmpty());
  std::vector<std::byte> full(kSmallSubbuffer);
  test::fill(full, true);
  EXPECT_EQ(sweep.subbuffers.front().bytes, full);
}

TEST_F(RingReaderTest, reads_a_bounded_amount_and_says_who_is_behind) {
  rings_[0].waiting = 6;
  rings_[1].waiting = 1;
  EXPECT_THAT(reader_.sweep().behind, ElementsAre(0, 1));
  EXPECT_THAT(waiting(), ElementsAre(2, 1));
}

TEST_F(RingReaderTest, begins_where_a_full_sweep_ended) {
  rings_[0].waiting = 3;
  rings_[1].waiting = 100;
  EXPECT_THAT(cpus_of(reader_.sweep()), ElementsAre(0, 0, 0, 1));
  rings_[0].waiting = 100;
  const Sweep second = reader_.sweep();
  EXPECT_THAT(cpus_of(second), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(second.behind, ElementsAre(1, 0));
}

TEST_F(RingReaderTest, has_caught_up_where_a_subbuffer_is_not_half_full) {
  rings_[0].endless = true;  // reading causes events, as when tracing system calls
  rings_[0].waiting = 1;
  rings_[0].full = false;
  EXPECT_THAT(reader_.sweep().behind, IsEmpty());
  EXPECT_EQ(rings_[0].reads, 2U) << "the rest is for the next sweep";
  EXPECT_THAT(reader_.sweep().behind, IsEmpty());
  EXPECT_EQ(rings_[0].reads, 4U);
}

TEST_F(RingReaderTest, goes_on_behind_the_rest_of_a_subbuffer) {
  rings_[0].waiting = 3;
  rings_[0].rest_first = true;
  EXPECT_EQ(reader_.sweep().subbuffers.size(), 3U);
  EXPECT_THAT(waiting(), ElementsAre(0, 0));
}

TEST_F(RingReaderTest, reads_the_other_cpus_where_one_fails_and_says_so) {
  rings_[0].error = Error{ErrorKind::io, "cpu0: Input/output error"};
  rings_[1].waiting = 2;
  const Sweep sweep = reader_.sweep();
  ASSERT_TRUE(sweep.error);
  EXPECT_EQ(sweep.error->message, "cpu0: Input/output error");
  EXPECT_THAT(cpus_of(sweep), ElementsAre(1, 1));
}

TEST_F(RingReaderTest, reads_to_the_end_once_tracing_is_off) {
  rings_[0].full = false;
  rings_[0].waiting = 4;
  reader_.tracing_is_off();
  EXPECT_EQ(reader_.sweep().subbuffers.size(), 4U);
  EXPECT_THAT(waiting(), ElementsAre(0, 0));
}

TEST_F(RingReaderTest, ends_where_events_still_come_after_tracing_was_switched_off) {
  rings_[0].endless = true;
  rings_[0].waiting = 1;
  reader_.tracing_is_off();
  Sweep sweep = reader_.sweep();
  for (int i = 0; i < 100 && !sweep.behind.empty(); ++i) sweep = reader_.sweep();
  ASSERT_TRUE(sweep.error);
  EXPECT_THAT(sweep.error->message, testing::HasSubstr("after tracing was switched off"));
  EXPECT_EQ(rings_[0].reads, 21U);
}

TEST_F(RingReaderTest, closes_the_pipes) {
  reader_.close();
  EXPECT_FALSE(rings_[0].open || rings_[1].open);
  EXPECT_THAT(reader_.sweep().subbuffers, IsEmpty());
}

}  // namespace
}  // namespace netperfd::trace
