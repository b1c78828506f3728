// SPDX-License-Identifier: GPL-2.0-or-later
// How the loop handles sweeps. Here the loop reads all of them itself after tracing is off, since no thread
// was started.
#include "daemon/trace/drain.hpp"

#include <gmock/gmock.h>

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "tests/unit/core/fakes.hpp"
#include "tests/unit/trace/fake_rings.hpp"

namespace netperfd::trace {
namespace {

using std::chrono::milliseconds;
using test::kSmallSubbuffer;
using testing::ElementsAre;

TallySettings tally_settings() {
  TallySettings settings;
  settings.layout = test::reader_settings().layout;
  return settings;
}

class DrainTest : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::size_t> waiting() const { return {rings_[0].waiting, rings_[1].waiting}; }

  core::FakeClock clock_;
  Tally tally_{tally_settings()};
  std::array<test::Ring, 2> rings_;
  std::optional<Drain> drain_{
      std::in_place, clock_, tally_, test::pipes_of(rings_), DrainSettings{.reader = test::reader_settings()},
      IdleCpus{""}};
};

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
  EXPECT_EQ(record.cpus[0].bytes, 3 * kSmallSubbuffer);
  EXPECT_EQ(record.cpus[1].bytes, 5 * kSmallSubbuffer);
}

TEST_F(DrainTest, closes_the_pipes_before_it_is_done) {
  bool open = true;
  drain_->finish([&](const Status&) { open = rings_[0].open || rings_[1].open; });
  clock_.turn();
  EXPECT_FALSE(open);
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(DrainTest, ends_with_the_first_error_that_reading_met) {
  rings_[0].error = Error{ErrorKind::io, "cpu0: Input/output error"};
  rings_[1].waiting = 2;
  std::string error;
  drain_->finish([&](const Status& status) { error = status ? "" : status.error().message; });
  clock_.turn();
  EXPECT_EQ(error, "cpu0: Input/output error");
  EXPECT_THAT(waiting(), ElementsAre(0, 0));
}

TEST_F(DrainTest, may_be_destroyed_when_it_is_done) {
  drain_->finish([&](const Status&) { drain_.reset(); });
  clock_.turn();
  EXPECT_FALSE(drain_);
}

TEST(DecodeTime, follows_what_is_idle_up_to_one_cpu) {
  using std::chrono::microseconds;
  const DrainSettings settings{.decode = microseconds{500}, .decode_idle = microseconds{10'000}};
  EXPECT_EQ(decode_time(settings, 0), microseconds{500}) << "the workload needs the CPUs";
  EXPECT_EQ(decode_time(settings, 0.02), microseconds{500});
  EXPECT_EQ(decode_time(settings, 0.5), microseconds{5'000});
  EXPECT_EQ(decode_time(settings, 7), microseconds{10'000}) << "callers of the bus wait as long";
}

// Other callers get their turns in between.
TEST_F(DrainTest, decodes_the_rest_a_bounded_time_a_turn) {
  TallySettings with_calls = tally_settings();
  with_calls.graph = GraphFormat::make({}).value();
  Tally tally(std::move(with_calls));
  DrainSettings settings{.reader = test::reader_settings(),
                         .decode = std::chrono::microseconds{0},
                         .decode_rest = std::chrono::microseconds{0}};
  settings.reader.sweep_bytes = 100 * kSmallSubbuffer;
  Drain drain(clock_, tally, test::pipes_of(std::span(rings_).first(1)), settings, IdleCpus{""});
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
  EXPECT_GE(turns_of_others, 4) << "there is time for two sub-buffers a turn";
  EXPECT_EQ(tally.finish(Symbols::parse("", 1), "").cpus.front().bytes, 9 * kSmallSubbuffer);
}

}  // namespace
}  // namespace netperfd::trace
