// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/deferred_ends.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/core/fakes.hpp"

namespace netperfd::core {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

class DeferredEndsTest : public testing::Test {
 protected:
  static Error full() { return {ErrorKind::no_space, "the disk is full"}; }

  // The runs of a new job, the first of them at `collecting`.
  std::vector<RunId> runs_under_way(std::uint32_t repeat = 1) {
    const auto job = ends_.add_job(a_job(repeat), std::vector<Slot>(repeat), 1000, clock_.now());
    EXPECT_TRUE(job);
    for (const RunState state : {RunState::preparing, RunState::running, RunState::collecting}) {
      EXPECT_TRUE(ends_.set_state(job->runs.front(), state));
    }
    return job->runs;
  }
  static RunRecord record_of(RunId run) {
    RunRecord record;
    record.id = run;
    record.state = RunState::finished;
    record.started = WallTime{seconds{1'700'000'001}};
    record.ended = WallTime{seconds{1'700'000'011}};
    record.workload = a_measurement();
    return record;
  }
  [[nodiscard]] const FakeStore::Run& stored(RunId run) const { return store_.runs.at(run); }

  FakeClock clock_;
  FakeStore store_;
  DeferredEnds ends_{store_, clock_};
};

TEST_F(DeferredEndsTest, a_record_that_fits_goes_to_the_store) {
  const RunId run = runs_under_way().front();
  EXPECT_TRUE(ends_.finish(record_of(run)));
  EXPECT_EQ(stored(run).record->workload.report.sums.size(), 1U);
  EXPECT_EQ(ends_.waiting(), 0U);
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(DeferredEndsTest, a_record_that_is_refused_leaves_a_failed_run_with_the_reason) {
  const RunId run = runs_under_way().front();
  store_.finish_refusal = full();
  const Status refused = ends_.finish(record_of(run));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the disk is full");
  EXPECT_EQ(stored(run).state, RunState::failed);
  EXPECT_EQ(stored(run).record->error, "the run could not be stored: the disk is full");
  EXPECT_EQ(stored(run).record->started, record_of(run).started);
  EXPECT_TRUE(stored(run).record->workload.report.sums.empty());
  EXPECT_EQ(ends_.waiting(), 0U);
}

TEST_F(DeferredEndsTest, keep_an_end_that_the_disk_refuses_until_a_retry_stores_it) {
  const RunId run = runs_under_way().front();
  store_.refusal = full();
  EXPECT_FALSE(ends_.finish(record_of(run)));
  EXPECT_EQ(stored(run).state, RunState::collecting);
  EXPECT_EQ(ends_.waiting(), 1U);
  clock_.advance(seconds{30});
  EXPECT_EQ(ends_.waiting(), 1U);
  store_.refusal.reset();
  clock_.advance(DeferredEnds::kLongestRetry);
  EXPECT_EQ(stored(run).state, RunState::failed);
  EXPECT_EQ(ends_.waiting(), 0U);
  EXPECT_EQ(clock_.waiting(), 0U) << "nothing is left to be tried";
}

TEST_F(DeferredEndsTest, are_stored_before_the_next_action) {
  const RunId run = runs_under_way().front();
  store_.refusal = full();
  EXPECT_FALSE(ends_.finish(record_of(run)));
  store_.refusal.reset();
  EXPECT_TRUE(ends_.add_job(a_job(), std::vector<Slot>(1), 1000, clock_.now()));
  EXPECT_EQ(stored(run).state, RunState::failed);
}

TEST_F(DeferredEndsTest, a_cancellation_that_the_disk_refuses_is_done_later) {
  const auto runs = runs_under_way(3);
  store_.refusal = full();
  EXPECT_FALSE(ends_.finish(record_of(runs[0])));
  EXPECT_TRUE(ends_.cancel_pending(stored(runs[0]).job, "stopped by uid 7"));
  EXPECT_EQ(ends_.waiting(), 2U);
  EXPECT_EQ(stored(runs[2]).state, RunState::pending);
  store_.refusal.reset();
  EXPECT_TRUE(ends_.expect_room());
  EXPECT_EQ(stored(runs[2]).state, RunState::canceled);
  EXPECT_EQ(stored(runs[2]).record->error, "stopped by uid 7");
}

TEST_F(DeferredEndsTest, a_run_that_cannot_be_deleted_for_its_stored_state_tells_of_the_disk) {
  const RunId run = runs_under_way().front();
  store_.refusal = full();
  EXPECT_FALSE(ends_.finish(record_of(run)));
  store_.removal_refusal = Error{ErrorKind::busy, "run 41: it is collecting; stop its job first"};
  const Status refused = ends_.remove(run);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_space);
  EXPECT_THAT(refused.error().message, HasSubstr("the disk is full"));
  EXPECT_THAT(store_.removed, testing::IsEmpty());
  store_.refusal.reset();
  store_.removal_refusal.reset();
  EXPECT_TRUE(ends_.remove(run));
  EXPECT_THAT(store_.removed, ElementsAre(run));
  EXPECT_EQ(stored(run).state, RunState::failed) << "its end was stored first";
}

TEST_F(DeferredEndsTest, a_second_end_of_a_run_is_refused_and_does_not_wait) {
  const RunId run = runs_under_way().front();
  EXPECT_TRUE(ends_.finish(record_of(run)));
  EXPECT_FALSE(ends_.finish(record_of(run)));
  EXPECT_EQ(ends_.waiting(), 0U);
  EXPECT_EQ(stored(run).state, RunState::finished);
}

TEST_F(DeferredEndsTest, an_error_of_the_run_itself_is_kept_beside_the_disks) {
  RunRecord record;
  record.error = "iperf3 says no";
  EXPECT_EQ(end_without_record(record, full()).error,
            "iperf3 says no; the run could not be stored: the disk is full");
}

}  // namespace
}  // namespace netperfd::core
