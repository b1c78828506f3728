// SPDX-License-Identifier: GPL-2.0-or-later
// The controller's handling of a run's trace, with fakes for everything outside.
#include <gmock/gmock.h>

#include <algorithm>

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

const Error kRefusal{ErrorKind::unsupported, "the kernel refuses it"};

class TracedRun : public SchedulerFixture {
 protected:
  JobId submit(JobSpec spec) {
    const auto job = scheduler_.submit(std::move(spec), 1000);
    EXPECT_TRUE(job) << job.error().message;
    clock_.turn();
    return job.value_or(0);
  }
  [[nodiscard]] const RunRecord& record(RunId run = 41) const { return *store_.runs.at(run).record; }
  [[nodiscard]] RunState state_of(RunId run = 41) const { return store_.runs.at(run).state; }

  static TraceRecord three_events() {
    TraceRecord record;
    record.events.push_back({"skb:kfree_skb", "", 3, {3}});
    return record;
  }
};

TEST_F(TracedRun, traces_from_before_the_release_to_the_workloads_end_and_stores_what_was_seen) {
  submit(a_traced_job());
  EXPECT_THAT(tracer_.last().said, IsEmpty()) << "it is claimed, but nothing runs yet";
  workload_.last().become_prepared();
  EXPECT_THAT(tracer_.last().said, ElementsAre("start 4711", "mark start", "mark release"));
  EXPECT_TRUE(workload_.last().released);
  clock_.advance(seconds{2});
  EXPECT_EQ(tracer_.last().said.back(), "mark omitted part ends");

  workload_.last().end(a_measurement());
  EXPECT_THAT(tracer_.last().said, ElementsAre("start 4711", "mark start", "mark release",
                                               "mark omitted part ends", "mark end", "stop"));
  EXPECT_EQ(state_of(), RunState::collecting) << "nothing is stored before tracefs is as it was";
  tracer_.last().end(three_events(), {{"events-lost", "some"}});
  EXPECT_EQ(state_of(), RunState::finished);
  ASSERT_TRUE(record().trace);
  EXPECT_EQ(record().trace->events.at(0).count, 3U);
  EXPECT_THAT(record().flags, Contains(Field(&QualityFlag::code, "events-lost")));
  clock_.turn();
  EXPECT_EQ(tracer_.alive(), 0);
}

TEST_F(TracedRun, is_traced_and_counted_until_its_processes_end_and_not_while_their_output_is_read) {
  submit(a_traced_job());
  workload_.last().become_prepared();
  workload_.last().become_stopped();
  EXPECT_EQ(tracer_.last().said.back(), "stop");
  EXPECT_EQ(counters_.said.back(), "finish");
  EXPECT_EQ(state_of(), RunState::collecting);
  const auto stopped = clock_.now();
  clock_.advance(seconds{1});
  tracer_.last().end(three_events(), {{"events-lost", "some"}});
  EXPECT_EQ(state_of(), RunState::collecting) << "the output has not been read yet";
  workload_.last().end(a_measurement());
  EXPECT_EQ(state_of(), RunState::finished);
  EXPECT_EQ(record().ended, stopped);
  EXPECT_EQ(std::ranges::count(tracer_.last().said, "stop"), 1);
  EXPECT_EQ(record().workload.report.sums.size(), 1U);
  EXPECT_THAT(record().flags, Contains(Field(&QualityFlag::code, "events-lost")));
}

TEST_F(TracedRun, waits_for_its_trace_when_its_output_was_read_first) {
  submit(a_traced_job());
  workload_.last().become_prepared();
  workload_.last().become_stopped();
  workload_.last().end(a_measurement());
  EXPECT_EQ(state_of(), RunState::collecting);
  tracer_.last().end(three_events());
  EXPECT_EQ(state_of(), RunState::finished);
}

TEST_F(TracedRun, stores_what_its_profile_is_divided_by) {
  packets_.counted =
      PacketCount{.device = "hsr0", .netns = "ring-a", .sent = true, .packets = 70, .bytes = 7'000};
  submit(a_traced_job());
  EXPECT_THAT(packets_.workloads, IsEmpty());
  workload_.last().become_prepared();
  EXPECT_THAT(packets_.workloads, ElementsAre(std::vector<pid_t>{4711}));
  auto measured = a_measurement();
  measured.report.sums.front().received_bytes = 6'000;
  workload_.last().end(std::move(measured));
  tracer_.last().end(three_events());
  ASSERT_TRUE(record().traffic.packets);
  EXPECT_EQ(record().traffic.packets->packets, 70U);
  EXPECT_EQ(record().traffic.goodput_bytes, 6'000U);
}

TEST_F(TracedRun, is_counted_from_before_the_trace_to_the_workloads_end) {
  counters_.counted.deltas = {{"snmp", "ring-a", "TcpRetransSegs", 3, ""}};
  submit(a_traced_job());
  EXPECT_THAT(counters_.said, IsEmpty());
  workload_.last().become_prepared();
  EXPECT_THAT(counters_.said, ElementsAre("open 4711", "released"));
  workload_.last().end(a_measurement());
  EXPECT_EQ(counters_.said.back(), "finish") << "before the trace is drained";
  tracer_.last().end(three_events());
  EXPECT_EQ(record().counters, counters_.counted);
}

TEST_F(TracedRun, that_never_let_its_client_go_has_no_counters) {
  tracer_.start_refusal = kRefusal;
  submit(a_traced_job());
  workload_.last().become_prepared();
  workload_.last().end(a_failure("interrupted"));
  EXPECT_THAT(counters_.said, ElementsAre("open 4711"));
  EXPECT_FALSE(record().counters);
}

TEST_F(TracedRun, is_refused_up_front_where_the_kernel_cannot) {
  tracer_.check_refusal = kRefusal;
  const auto job = scheduler_.submit(a_traced_job(), 1000);
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(store_.runs, IsEmpty());
}

TEST_F(TracedRun, is_measured_without_where_it_is_optional_and_says_so) {
  tracer_.check_refusal = kRefusal;
  tracer_.refusal = kRefusal;
  submit(a_traced_job(true));
  workload_.last().become_prepared();
  workload_.last().end(a_measurement());
  EXPECT_EQ(state_of(), RunState::finished);
  ASSERT_TRUE(record().trace);
  EXPECT_EQ(record().trace->skipped, "the kernel refuses it");
  EXPECT_THAT(record().flags, ElementsAre(Field(&QualityFlag::code, "trace-skipped")));
}

TEST_F(TracedRun, has_its_wrong_names_refused_also_where_it_is_optional) {
  tracer_.check_refusal = Error{ErrorKind::invalid_argument, "no event skb:kfree_skp"};
  EXPECT_FALSE(scheduler_.submit(a_traced_job(true), 1000));
}

TEST_F(TracedRun, fails_where_tracefs_cannot_be_claimed_and_starts_no_workload) {
  tracer_.refusal = Error{ErrorKind::busy, "trace-cmd (pid 7) is tracing"};
  submit(a_traced_job());
  EXPECT_EQ(state_of(), RunState::failed);
  EXPECT_EQ(record().error, "trace-cmd (pid 7) is tracing");
  EXPECT_THAT(workload_.runs, IsEmpty());
}

TEST_F(TracedRun, restores_tracefs_where_the_workload_cannot_be_prepared) {
  workload_.refusal = Error{ErrorKind::not_found, "no iperf3 here"};
  submit(a_traced_job());
  EXPECT_EQ(state_of(), RunState::failed);
  ASSERT_EQ(tracer_.traces.size(), 1U);
  EXPECT_EQ(tracer_.alive(), 0);
}

TEST_F(TracedRun, fails_where_tracing_cannot_be_switched_on) {
  tracer_.start_refusal = Error{ErrorKind::io, "tracing_on: Input/output error"};
  submit(a_traced_job());
  workload_.last().become_prepared();
  EXPECT_FALSE(workload_.last().released);
  EXPECT_TRUE(workload_.last().stop_asked);
  EXPECT_EQ(tracer_.alive(), 0);
  workload_.last().end(a_failure("interrupted"));
  EXPECT_EQ(state_of(), RunState::failed);
  EXPECT_THAT(record().error, HasSubstr("tracing_on"));
}

TEST_F(TracedRun, goes_on_without_where_tracing_cannot_be_switched_on_and_is_optional) {
  tracer_.start_refusal = Error{ErrorKind::io, "tracing_on: Input/output error"};
  submit(a_traced_job(true));
  workload_.last().become_prepared();
  EXPECT_TRUE(workload_.last().released);
  clock_.advance(seconds{2});  // the omitted part ends, but there is no trace to mark it in
  workload_.last().end(a_measurement());
  EXPECT_EQ(state_of(), RunState::finished);
  EXPECT_EQ(record().trace->skipped, "tracing_on: Input/output error");
}

TEST_F(TracedRun, does_not_measure_beside_a_tracefs_that_could_not_be_put_back) {
  tracer_.start_refusal = Error{ErrorKind::io, "tracing_on: Input/output error"};
  tracer_.restore_failure = Error{ErrorKind::busy, "instances/netperfd-7: Device or resource busy"};
  submit(a_traced_job(true));
  workload_.last().become_prepared();
  EXPECT_FALSE(workload_.last().released);
  workload_.last().end(a_failure("interrupted"));
  EXPECT_EQ(state_of(), RunState::failed);
  EXPECT_THAT(record().flags, ElementsAre(Field(&QualityFlag::code, "tracefs-not-restored")));
}

TEST_F(TracedRun, fails_where_the_kernel_finds_the_callers_words_wrong_also_where_it_is_optional) {
  tracer_.refusal = Error{ErrorKind::invalid_argument, "filter: Field not found"};
  submit(a_traced_job(true));
  EXPECT_EQ(state_of(), RunState::failed);
  EXPECT_EQ(record().error, "filter: Field not found");
}

TEST_F(TracedRun, ends_once_where_the_store_refuses_the_step) {
  const JobId job = submit(a_job_without_workload());
  workload_.last().become_prepared();
  store_.refusal = Error{ErrorKind::io, "disk on fire"};
  workload_.last().end({});
  workload_.last().stop_asked = false;
  EXPECT_TRUE(scheduler_.stop(job, "canceled by its caller"));
  clock_.advance(seconds{30});
  EXPECT_FALSE(workload_.last().stop_asked) << "there is nothing left to stop";
  EXPECT_EQ(scheduler_.mark(job, "x").error().kind, ErrorKind::not_running);
  tracer_.last().end({});
  EXPECT_EQ(scheduler_.job(job)->state, JobState::failed);
}

TEST_F(TracedRun, keeps_what_was_traced_of_a_canceled_run) {
  const JobId job = submit(a_traced_job());
  workload_.last().become_prepared();
  ASSERT_TRUE(scheduler_.stop(job, "canceled by its caller"));
  workload_.last().end(a_failure("interrupted"));
  tracer_.last().end(three_events());
  EXPECT_EQ(state_of(), RunState::canceled);
  EXPECT_EQ(record().trace->events.size(), 1U);
}

TEST_F(TracedRun, is_canceled_before_it_was_prepared_and_restores_tracefs_all_the_same) {
  const JobId job = submit(a_traced_job());
  ASSERT_TRUE(scheduler_.stop(job, "canceled by its caller"));
  workload_.last().end(a_failure("interrupted"));
  EXPECT_EQ(tracer_.last().said.back(), "stop");
  tracer_.last().end({});
  EXPECT_EQ(state_of(), RunState::canceled);
  clock_.turn();
  EXPECT_EQ(tracer_.alive(), 0);
}

TEST_F(TracedRun, without_a_workload_is_finished_by_its_stop) {
  const JobId job = submit(a_job_without_workload());
  workload_.last().become_prepared();
  ASSERT_TRUE(scheduler_.stop(job, "canceled by its caller"));
  EXPECT_TRUE(workload_.last().stop_asked);
  workload_.last().end({});
  tracer_.last().end(three_events());
  EXPECT_EQ(state_of(), RunState::finished);
  EXPECT_EQ(scheduler_.job(job)->state, JobState::finished);
}

TEST_F(TracedRun, without_a_workload_is_finished_by_the_deadline) {
  submit(a_job_without_workload());
  workload_.last().become_prepared();
  clock_.advance(seconds{30});
  EXPECT_TRUE(workload_.last().stop_asked);
  workload_.last().end({});
  tracer_.last().end(three_events());
  EXPECT_EQ(state_of(), RunState::finished);
}

TEST_F(TracedRun, marks_its_phases_and_tells_the_counters_once_that_the_load_has_begun_and_ended) {
  submit(a_traced_job());
  workload_.last().become_prepared();
  const auto begun = [this] { return std::ranges::count(counters_.said, "load begun"); };
  workload_.last().listener->workload_phase("idle");
  EXPECT_EQ(begun(), 0);
  workload_.last().listener->workload_phase("omitted");
  workload_.last().listener->workload_phase("load");
  EXPECT_EQ(begun(), 1);
  EXPECT_EQ(tracer_.last().said.back(), "mark phase load");
  workload_.last().listener->workload_phase("ending");
  EXPECT_EQ(counters_.said.back(), "load ended");
  workload_.last().listener->workload_phase("after");
  EXPECT_EQ(std::ranges::count(counters_.said, "load ended"), 1);
}

TEST_F(TracedRun, tells_the_counters_that_the_test_of_its_client_has_begun) {
  submit(a_traced_job());
  workload_.last().become_prepared();
  workload_.last().listener->workload_begun();
  EXPECT_EQ(counters_.said.back(), "test begun");
}

TEST_F(TracedRun, takes_marks_of_its_caller_only_while_it_is_traced) {
  const JobId job = submit(a_traced_job());
  EXPECT_EQ(scheduler_.mark(99, "x").error().kind, ErrorKind::not_found);
  EXPECT_EQ(scheduler_.mark(job, "too early").error().kind, ErrorKind::not_running);
  workload_.last().become_prepared();
  ASSERT_TRUE(scheduler_.mark(job, "phase two"));
  EXPECT_EQ(tracer_.last().said.back(), "user mark phase two");
  workload_.last().end(a_measurement());
  EXPECT_EQ(scheduler_.mark(job, "too late").error().kind, ErrorKind::not_running);
  tracer_.last().end({});
  clock_.turn();
  EXPECT_EQ(scheduler_.mark(job, "over").error().kind, ErrorKind::not_running);
}

TEST_F(TracedRun, takes_no_mark_where_nothing_is_traced) {
  const JobId job = submit(a_job());
  workload_.last().become_prepared();
  EXPECT_EQ(scheduler_.mark(job, "x").error().kind, ErrorKind::not_running);
}

TEST_F(TracedRun, tells_observers_what_is_happening) {
  submit(a_traced_job());
  workload_.last().become_prepared();
  (void)seen_.take();
  tracer_.last().listener->trace_progress({1.0, {{"skb:kfree_skb", 7}}, 2, {}});
  EXPECT_THAT(seen_.take(), ElementsAre("job 1 run 41 trace 1.0 s, 1 events, 2 lost"));
}

}  // namespace
}  // namespace netperfd::core
