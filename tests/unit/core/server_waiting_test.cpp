// SPDX-License-Identifier: GPL-2.0-or-later
// Runs whose server is busy or absent for a while.
#include <gmock/gmock.h>

#include <chrono>
#include <string>

#include "tests/unit/core/design_fixture.hpp"
#include "tests/unit/core/scheduler_fixture.hpp"

namespace netperfd::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

class ServerWaiting : public SchedulerFixture {
 protected:
  void submit(JobSpec spec, seconds wait = seconds{60}) {
    spec.test.path.server_wait = wait;
    ASSERT_TRUE(scheduler_.submit(std::move(spec), 1000));
    clock_.turn();
  }

  // The current attempt begins, and takes a tenth of a second to fail.
  void meet(ServerAbsence absence) {
    workload_.last().become_prepared();
    ASSERT_TRUE(workload_.last().released);
    clock_.advance(milliseconds{100});
    WorkloadResult result = a_failure(absence == ServerAbsence::busy ? "busy" : "refused");
    result.server = absence;
    workload_.last().end(std::move(result));
    clock_.turn();
  }

  // Waits for the next attempt; false: there is none.
  [[nodiscard]] bool another() {
    const std::size_t before = attempts();
    for (int i = 0; i < 100 && attempts() == before; ++i) clock_.advance(milliseconds{100});
    return attempts() > before;
  }

  void measure() {
    workload_.last().become_prepared();
    clock_.advance(seconds{10});
    workload_.last().end(a_measurement());
    clock_.turn();
  }

  [[nodiscard]] std::size_t attempts() const { return workload_.runs.size(); }
  [[nodiscard]] const RunRecord& record(RunId run = 41) { return *store_.runs.at(run).record; }
};

TEST_F(ServerWaiting, measures_once_the_server_is_free_and_says_how_long_it_was_not) {
  submit(a_job());
  meet(ServerAbsence::busy);
  EXPECT_EQ(store_.runs.at(41).state, RunState::preparing);
  EXPECT_EQ(scheduler_.job(1)->waiting, "server busy, 1 attempt in 0 s, gives up after 60 s");
  clock_.advance(milliseconds{999});
  EXPECT_EQ(attempts(), 1U);
  clock_.advance(milliseconds{1});
  EXPECT_EQ(attempts(), 2U);
  EXPECT_EQ(scheduler_.job(1)->waiting, "") << "it tries";
  meet(ServerAbsence::busy);
  EXPECT_EQ(scheduler_.job(1)->waiting, "server busy, 2 attempts in 1 s, gives up after 60 s");
  clock_.advance(seconds{2});
  ASSERT_EQ(attempts(), 3U);
  measure();
  EXPECT_EQ(record().state, RunState::finished);
  EXPECT_EQ(record().error, "");
  ASSERT_EQ(record().flags.size(), 1U);
  EXPECT_EQ(record().flags[0].code, "server-waited");
  EXPECT_EQ(record().flags[0].message, "the server was busy: 2 attempts within 1.1 s failed");
}

TEST_F(ServerWaiting, counts_only_the_last_attempt) {
  const WallTime before = clock_.now();
  submit(a_traced_job());
  tracer_.last().said.clear();
  workload_.last().become_prepared();
  workload_.last().listener->workload_phase("load");
  clock_.advance(milliseconds{100});
  WorkloadResult busy = a_failure("busy");
  busy.server = ServerAbsence::busy;
  busy.documents.push_back({"client.stdout", "of the first attempt"});
  workload_.last().end(std::move(busy));
  clock_.advance(seconds{5});
  EXPECT_EQ(attempts(), 1U) << "the trace of the first attempt has not ended yet";
  TraceRecord first;
  first.events.push_back({.name = "skb:kfree_skb", .filter = "", .count = 7, .slices = {}});
  tracer_.last().end(std::move(first), {{"events-lost", "in the first attempt"}});
  counters_.said.clear();
  clock_.advance(seconds{1});
  ASSERT_EQ(attempts(), 2U);
  EXPECT_EQ(tracer_.traces.size(), 2U);
  EXPECT_EQ(tracer_.alive(), 1) << "the first trace is gone";
  const WallTime released = clock_.now();
  workload_.last().become_prepared();
  workload_.last().listener->workload_phase("load");
  EXPECT_THAT(counters_.said, ElementsAre("open 4711", "released", "load begun"));
  clock_.advance(seconds{12});
  workload_.last().end(a_measurement());
  TraceRecord second;
  second.events.push_back({.name = "skb:kfree_skb", .filter = "", .count = 3, .slices = {}});
  tracer_.last().end(std::move(second));
  EXPECT_EQ(record().started, released);
  EXPECT_EQ(*record().ended - *record().started, seconds{12});
  EXPECT_GT(released - before, seconds{6});
  ASSERT_EQ(record().trace->events.size(), 1U);
  EXPECT_EQ(record().trace->events[0].count, 3U);
  EXPECT_THAT(record().workload.documents, IsEmpty());
  EXPECT_THAT(record().flags, ElementsAre(Field(&QualityFlag::code, "server-waited")));
}

TEST_F(ServerWaiting, gives_up_with_one_more_attempt_when_its_time_is_over) {
  submit(a_job(), seconds{10});
  do meet(ServerAbsence::busy);
  while (another() && attempts() < 20);
  EXPECT_EQ(record().state, RunState::failed);
  EXPECT_EQ(record().error, "busy; the server was busy: 5 attempts within 10.1 s failed");
  EXPECT_EQ(attempts(), 5U) << "after 1, 2 and 4 s, and when the 10 s were over";
  EXPECT_THAT(record().flags, ElementsAre(Field(&QualityFlag::code, "server-waited")));
  EXPECT_EQ(clock_.waiting(), 1U) << "only the ended job lingers";
}

TEST_F(ServerWaiting, of_no_time_fails_at_once) {
  submit(a_job(), seconds{0});
  meet(ServerAbsence::absent);
  EXPECT_EQ(record().state, RunState::failed);
  EXPECT_EQ(record().error, "refused");
  EXPECT_THAT(record().flags, IsEmpty());
  EXPECT_EQ(attempts(), 1U);
}

TEST_F(ServerWaiting, ends_at_once_when_the_job_is_stopped) {
  submit(a_job(2));
  meet(ServerAbsence::busy);
  ASSERT_TRUE(scheduler_.stop(1, "stopped by uid 1000"));
  EXPECT_FALSE(store_.runs.at(41).record) << "not from inside the call";
  clock_.turn();
  EXPECT_EQ(record().state, RunState::canceled);
  EXPECT_EQ(record().error, "stopped by uid 1000");
  EXPECT_FALSE(record().started) << "nothing was measured";
  EXPECT_EQ(store_.runs.at(42).state, RunState::canceled);
  clock_.advance(seconds{120});
  EXPECT_EQ(attempts(), 1U);
}

TEST_F(ServerWaiting, ends_with_the_attempt_that_a_stop_meets) {
  submit(a_job());
  meet(ServerAbsence::busy);
  clock_.advance(seconds{1});
  workload_.last().become_prepared();
  ASSERT_TRUE(scheduler_.stop(1, "stopped"));
  EXPECT_TRUE(workload_.last().stop_asked);
  WorkloadResult busy = a_failure("busy");
  busy.server = ServerAbsence::busy;
  workload_.last().end(std::move(busy));
  clock_.advance(seconds{120});
  EXPECT_EQ(record().state, RunState::canceled);
  EXPECT_EQ(attempts(), 2U);
}

TEST_F(ServerWaiting, does_not_count_towards_the_deadline) {
  JobSpec spec = a_job();
  spec.limits.timeout = seconds{12};
  submit(spec);
  for (int i = 0; i < 6; ++i) {
    meet(ServerAbsence::busy);
    ASSERT_TRUE(another());
  }
  measure();
  EXPECT_EQ(record().state, RunState::finished) << record().error;
}

TEST_F(ServerWaiting, ends_a_job_whose_server_was_never_there) {
  submit(a_job(3), seconds{2});
  do meet(ServerAbsence::absent);
  while (another() && attempts() < 20);
  EXPECT_EQ(record().state, RunState::failed);
  EXPECT_THAT(record().error, HasSubstr("the server was absent: 3 attempts within 2."));
  for (const RunId later : {42, 43}) EXPECT_EQ(store_.runs.at(later).state, RunState::canceled) << later;
}

TEST_F(ServerWaiting, goes_on_with_a_design_whose_server_went_away_after_the_first_side) {
  JobSpec spec = a_design();
  for (auto* side : {&*spec.design->a, &*spec.design->b}) side->apply = side->verify = {};
  submit(spec, seconds{2});
  measure();
  do meet(ServerAbsence::absent);
  while (store_.runs.at(42).state != RunState::failed && another());
  EXPECT_EQ(store_.runs.at(42).state, RunState::failed);
  EXPECT_EQ(store_.runs.at(43).state, RunState::preparing) << "it may come back";
}

TEST_F(ServerWaiting, of_one_outage_is_paid_once_and_again_after_a_measurement) {
  submit(a_job(4), seconds{2});
  for (int i = 0; i < 3; ++i) {
    meet(ServerAbsence::busy);
    ASSERT_TRUE(i == 2 || another());
  }
  ASSERT_EQ(record().state, RunState::failed);
  ASSERT_EQ(attempts(), 4U) << "the first one of the next run";
  meet(ServerAbsence::busy);
  EXPECT_EQ(record(42).state, RunState::failed) << "it does not wait again";
  measure();
  ASSERT_EQ(record(43).state, RunState::finished);
  meet(ServerAbsence::busy);
  EXPECT_FALSE(store_.runs.at(44).record) << "it waits";
}

TEST_F(ServerWaiting, keeps_a_run_of_a_design_in_its_block) {
  JobSpec spec = a_design();
  for (auto* side : {&*spec.design->a, &*spec.design->b}) side->apply = side->verify = {};
  submit(spec);
  const auto slots = scheduler_.job(1)->slots;
  const std::size_t runs = slots.size();
  ASSERT_GE(runs, 4U);
  measure();
  meet(ServerAbsence::busy);
  EXPECT_EQ(scheduler_.job(1)->current_run, scheduler_.job(1)->runs.at(1));
  EXPECT_EQ(scheduler_.job(1)->runs_ended, 1U);
  clock_.advance(seconds{1});
  for (std::size_t run = 1; run < runs; ++run) measure();
  EXPECT_EQ(scheduler_.job(1)->state, JobState::finished);
  EXPECT_EQ(scheduler_.job(1)->runs_finished, runs);
  EXPECT_EQ(scheduler_.job(1)->slots, slots);
}

TEST_F(ServerWaiting, is_no_reason_to_try_on_a_machine_that_was_not_restored) {
  submit(a_traced_job());
  meet(ServerAbsence::busy);
  tracer_.last().end({}, {{"tracefs-not-restored", "still tracing"}});
  clock_.advance(seconds{60});
  EXPECT_EQ(attempts(), 1U);
  EXPECT_EQ(record().state, RunState::failed);
}

TEST_F(ServerWaiting, ends_with_the_daemon) {
  submit(a_job());
  meet(ServerAbsence::absent);
  bool done = false;
  scheduler_.shut_down("netperfd is stopping", [&] { done = true; });
  clock_.turn();
  EXPECT_TRUE(done);
  EXPECT_EQ(attempts(), 1U);
}

TEST_F(ServerWaiting, is_reserved_once_in_the_time_of_a_user) {
  JobSpec spec = a_job(3);
  const milliseconds without = reserved_time(spec, 3);
  spec.test.path.server_wait = seconds{60};
  EXPECT_EQ(reserved_time(spec, 3) - without, seconds{60});
}

// ---- Live rates that are not the workload's

TEST_F(ServerWaiting, has_live_rates_of_the_attempt_that_counts) {
  submit(a_job());
  workload_.last().reports_intervals = false;
  meet(ServerAbsence::busy);
  clock_.advance(seconds{1});
  workload_.last().reports_intervals = false;
  workload_.last().become_prepared();
  (void)seen_.take();
  ASSERT_TRUE(counters_.live);
  Interval interval;
  interval.end_s = 2;
  counters_.live(interval);
  EXPECT_THAT(seen_.take(), ElementsAre("job 1 run 41 interval 2.0"));
}

TEST_F(ServerWaiting, asks_for_no_rates_beside_those_of_the_workload) {
  submit(a_job());
  workload_.last().become_prepared();
  EXPECT_FALSE(counters_.live);
}

}  // namespace
}  // namespace netperfd::core
