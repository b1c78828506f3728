#include "daemon/trace/drain.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>

#include "tests/unit/core/fakes.hpp"

namespace netperfd::trace {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

constexpr std::size_t kSubbuffer = 64;

// What one CPU's pipe holds, seen from outside.
struct Ring {
  std::size_t waiting = 0;  // sub-buffers
  std::size_t reads = 0;
  std::optional<Error> error;  // of the next read
  bool open = true;
  bool full = true;         // each of them
  bool rest_first = false;  // the next one is the rest of what was read while it was written
  bool endless = false;     // reading makes none of them go
};

// A sub-buffer with events up to its end, or with none.
void fill(std::span<std::byte> out, bool full) {
  std::ranges::fill(out, std::byte{0});
  if (!full) return;
  constexpr std::size_t kHeader = 16;
  constexpr std::uint32_t kWords = 8 / 4;  // of the record's data, as type_len says it
  std::uint64_t committed = 0;
  for (std::size_t at = kHeader; at + 4 + 8 <= out.size(); at += 4 + 8, committed += 4 + 8) {
    std::memcpy(out.data() + at, &kWords, sizeof kWords);
  }
  std::memcpy(out.data() + 8, &committed, sizeof committed);
}

class RingFile final : public TracefsFile {
 public:
  explicit RingFile(Ring& ring) : ring_(ring) {}
  ~RingFile() override { ring_.open = false; }
  Result<std::size_t> read(std::span<std::byte> out) override {
    ++ring_.reads;
    if (ring_.error) return std::unexpected(*std::exchange(ring_.error, {}));
    if (ring_.waiting == 0) return 0;
    if (!ring_.endless) --ring_.waiting;
    fill(out, ring_.full && !std::exchange(ring_.rest_first, false));
    return out.size();
  }
  Status write(const std::string&) override { return fail(ErrorKind::io, "not for writing"); }

 private:
  Ring& ring_;
};

class DrainTest : public testing::Test {
 protected:
  DrainTest() {
    std::vector<RingPipe> pipes;
    for (std::uint32_t cpu = 0; cpu < 2; ++cpu)
      pipes.push_back({cpu, std::make_unique<RingFile>(rings_[cpu])});
    drain_.emplace(clock_, tally_, std::move(pipes),
                   DrainSettings{.subbuffer_bytes = kSubbuffer,
                                 .period = milliseconds{25},
                                 .turn_bytes = 4 * kSubbuffer,
                                 .rest_bytes = 20 * kSubbuffer});
  }
  [[nodiscard]] std::vector<std::size_t> waiting() const { return {rings_[0].waiting, rings_[1].waiting}; }

  core::FakeClock clock_;
  static TallySettings settings() {
    TallySettings settings;
    settings.layout.data_size = kSubbuffer - 16;
    return settings;
  }
  Tally tally_{settings()};
  std::array<Ring, 2> rings_;
  std::optional<Drain> drain_;
};

TEST_F(DrainTest, looks_once_a_period_and_not_at_once) {
  rings_[0].waiting = 1;
  clock_.advance(milliseconds{24});
  EXPECT_EQ(rings_[0].reads, 0U);
  clock_.advance(milliseconds{1});
  EXPECT_THAT(waiting(), ElementsAre(0, 0));
  const std::size_t reads = rings_[0].reads;
  clock_.advance(milliseconds{24});
  EXPECT_EQ(rings_[0].reads, reads) << "an empty ring is left alone until the next period";
}

TEST_F(DrainTest, reads_a_bounded_amount_a_turn_and_lets_others_have_theirs) {
  rings_[0].waiting = 6;
  rings_[1].waiting = 6;
  drain_->finish([](const Status&) {});
  std::vector<std::size_t> between;
  const auto other = clock_.after(milliseconds{0}, [&] { between = waiting(); });
  clock_.turn();
  EXPECT_THAT(between, ElementsAre(2, 6));
  EXPECT_THAT(waiting(), ElementsAre(0, 0));
}

TEST_F(DrainTest, counts_what_each_cpu_had) {
  rings_[0].waiting = 3;
  rings_[1].waiting = 5;
  bool done = false;
  drain_->finish([&](const Status& status) { done = status.has_value(); });
  EXPECT_FALSE(done) << "not from inside the call";
  clock_.turn();
  EXPECT_TRUE(done);
  const TraceRecord record = tally_.finish(Symbols::parse("", 1), "");
  ASSERT_EQ(record.cpus.size(), 2U);
  EXPECT_EQ(record.cpus[0].bytes, 3 * kSubbuffer);
  EXPECT_EQ(record.cpus[1].bytes, 5 * kSubbuffer);
}

TEST_F(DrainTest, closes_the_pipes_before_it_is_done) {
  bool open = true;
  drain_->finish([&](const Status&) { open = rings_[0].open || rings_[1].open; });
  clock_.turn();
  EXPECT_FALSE(open);
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(DrainTest, reads_the_other_cpus_where_one_fails_and_says_so) {
  rings_[0].error = Error{ErrorKind::io, "cpu0: Input/output error"};
  rings_[1].waiting = 2;
  std::string error;
  drain_->finish([&](const Status& status) { error = status ? "" : status.error().message; });
  clock_.turn();
  EXPECT_EQ(error, "cpu0: Input/output error");
  EXPECT_THAT(waiting(), ElementsAre(0, 0));
}

TEST_F(DrainTest, has_caught_up_where_a_subbuffer_is_not_half_full) {
  rings_[0].endless = true;  // reading makes events, as tracing system calls does
  rings_[0].waiting = 1;
  rings_[0].full = false;
  clock_.advance(milliseconds{25});
  EXPECT_EQ(rings_[0].reads, 2U) << "the rest is for the next period";
  clock_.advance(milliseconds{25});
  EXPECT_EQ(rings_[0].reads, 4U);
}

TEST_F(DrainTest, goes_on_behind_the_rest_of_a_subbuffer) {
  rings_[0].waiting = 3;
  rings_[0].rest_first = true;
  clock_.advance(milliseconds{25});
  EXPECT_THAT(waiting(), ElementsAre(0, 0));
}

TEST_F(DrainTest, ends_where_events_still_come_after_tracing_was_switched_off) {
  rings_[0].endless = true;
  rings_[0].waiting = 1;
  std::string error;
  drain_->finish([&](const Status& status) { error = status ? "" : status.error().message; });
  clock_.turn();
  EXPECT_THAT(error, testing::HasSubstr("after tracing was switched off"));
  EXPECT_EQ(rings_[0].reads, 21U);
}

TEST_F(DrainTest, may_be_destroyed_when_it_is_done) {
  drain_->finish([&](const Status&) { drain_.reset(); });
  clock_.turn();
  EXPECT_FALSE(drain_);
}

// Other callers have their turns meanwhile.
TEST_F(DrainTest, decodes_the_rest_a_bounded_time_a_turn) {
  TallySettings with_calls = settings();
  with_calls.graph = GraphFormat::make({}).value();
  Tally tally(std::move(with_calls));
  std::vector<RingPipe> pipes;
  pipes.push_back({0, std::make_unique<RingFile>(rings_[0])});
  Drain drain(clock_, tally, std::move(pipes),
              DrainSettings{.subbuffer_bytes = kSubbuffer,
                            .decode = std::chrono::microseconds{0},
                            .decode_rest = std::chrono::microseconds{0}});
  rings_[0].waiting = 9;
  bool done = false;
  drain.finish([&](const Status&) { done = true; });
  int turns_of_others = 0;
  core::Timer other;
  const std::function<void()> take_turn = [&] {
    EXPECT_FALSE(rings_[0].open) << "nothing more is to be read";
    ++turns_of_others;
    if (!done) other = clock_.after(milliseconds{0}, take_turn);
  };
  other = clock_.after(milliseconds{0}, take_turn);
  clock_.turn();
  EXPECT_TRUE(done);
  EXPECT_GE(turns_of_others, 4) << "where there is time for two sub-buffers a turn";
  EXPECT_EQ(tally.finish(Symbols::parse("", 1), "").cpus.front().bytes, 9 * kSubbuffer);
}

}  // namespace
}  // namespace netperfd::trace
