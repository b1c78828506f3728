// SPDX-License-Identifier: GPL-2.0-or-later
// Storing a trace and reading it back, and jobs without a workload.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <limits>
#include <set>

#include "daemon/store/sqlite.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kTraceTables[] = {
    "traces",       "trace_missing_functions", "trace_only_cpus",     "trace_cpus",   "trace_events",
    "trace_slices", "trace_samples",           "trace_sample_fields", "trace_stacks", "trace_drops",
    "trace_marks"};

class TraceStore : public StoreTest {
 protected:
  TraceStore() { open(); }

  RunId store_trace(const TraceRecord& trace) {
    const auto run = run_under_way(a_job());
    auto record = a_record(run, 1, 2);
    record.trace = trace;
    must(store->finish(record));
    return run;
  }

  std::string rows_of(const std::string& table) {
    return ask(path(), fmt::format("SELECT count(*) FROM {}", table));
  }
};

TEST_F(TraceStore, gives_a_trace_back_as_it_was_stored) {
  const auto expected = a_trace();
  const auto run = store_trace(expected);
  const auto trace = must(store->trace(run));

  EXPECT_THAT(trace.cpus, SizeIs(2));
  EXPECT_THAT(trace.events, SizeIs(2));
  EXPECT_THAT(trace.drops, SizeIs(2));
  EXPECT_THAT(trace.marks, SizeIs(2));
  auto without_long_parts = expected;
  without_long_parts.samples.clear();
  without_long_parts.stacks.clear();
  without_long_parts.profile.reset();
  without_long_parts.recording.clear();
  EXPECT_TRUE(trace == without_long_parts);
}

TEST_F(TraceStore, keeps_no_row_for_a_slice_without_events) {
  store_trace(a_trace());
  EXPECT_EQ(rows_of("trace_slices"), "2");
}

TEST_F(TraceStore, gives_samples_by_time_and_of_one_event) {
  const auto expected = a_trace();
  const auto run = store_trace(expected);
  const auto all = must(store->trace_samples(run, "", "", 0));
  EXPECT_EQ(all.next, "");
  EXPECT_THAT(all.rows, SizeIs(3));
  EXPECT_TRUE(all.rows == expected.samples);

  const auto one = must(store->trace_samples(run, "skb:kfree_skb", "", 1));
  ASSERT_EQ(one.rows.size(), 1U);
  EXPECT_EQ(one.rows[0].ordinal, 1U);
  const auto next = must(store->trace_samples(run, "skb:kfree_skb", one.next, 1));
  ASSERT_EQ(next.rows.size(), 1U);
  EXPECT_EQ(next.rows[0].ordinal, 90U);
  EXPECT_EQ(next.next, "");
  EXPECT_THAT(must(store->trace_samples(run, "skb:%", "", 0)).rows, IsEmpty());
}

TEST_F(TraceStore, gives_stacks_in_their_order_and_pages) {
  const auto expected = a_trace();
  const auto run = store_trace(expected);
  const auto first = must(store->trace_stacks(run, "", 1));
  ASSERT_EQ(first.rows.size(), 1U);
  EXPECT_EQ(first.rows[0].event, "skb:kfree_skb");
  EXPECT_EQ(first.rows[0].count, 80U);
  EXPECT_EQ(first.rows[0].frames, expected.stacks[0].frames);
  const auto second = must(store->trace_stacks(run, first.next, 1));
  ASSERT_EQ(second.rows.size(), 1U);
  EXPECT_EQ(second.rows[0].count, 10U);
  EXPECT_THAT(second.rows[0].frames, IsEmpty());
  EXPECT_EQ(second.next, "");
}

TEST_F(TraceStore, keeps_the_type_and_every_bit_of_a_field) {
  using Limits = std::numeric_limits<std::int64_t>;
  const std::vector<decltype(EventField::value)> values{
      std::int64_t{0},
      Limits::min(),
      Limits::max(),
      std::uint64_t{0},
      std::uint64_t{Limits::max()},
      std::uint64_t{Limits::max()} + 1,
      std::numeric_limits<std::uint64_t>::max(),
      std::string{},
      std::string{"18446744073709551615"},
      std::string{"12"},
      std::string{"a\0b\xff", 4},
  };
  auto trace = a_trace();
  trace.samples[0].fields.clear();
  for (const auto& value : values)
    trace.samples[0].fields.push_back({.name = "v", .value = value, .text = ""});
  const auto run = store_trace(trace);

  const auto fields = must(store->trace_samples(run, "", "", 1)).rows.at(0).fields;
  ASSERT_EQ(fields.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(fields[i].value, values[i]) << i;
  EXPECT_EQ(ask(path(), "SELECT value FROM trace_sample_fields WHERE position = 6"), "18446744073709551615");
}

TEST_F(TraceStore, survives_counts_that_no_kernel_can_mean) {
  auto trace = a_trace();
  trace.cpus[0].overrun = ~std::uint64_t{0};  // a count that fell below 0
  trace.cpus[1].dropped_events = ~std::uint64_t{0};
  const auto run = store_trace(trace);
  constexpr auto kLargest = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(must(store->trace(run)).cpus[0].overrun, kLargest);
  EXPECT_EQ(must(store->run(run)).trace->lost, kLargest);
}

TEST_F(TraceStore, adds_up_what_is_told_of_one_cpu_twice) {
  auto trace = a_trace();
  TraceCpu more;
  more.cpu = 3;
  more.records = 4;
  more.bytes = 1;
  more.lost_events = 2;
  more.overrun = 3;
  more.commit_overrun = ~std::uint64_t{0};
  more.dropped_events = 5;
  more.damaged = 6;
  trace.cpus.insert(trace.cpus.begin(), more);
  const auto run = store_trace(trace);

  auto expected = a_trace().cpus[1];
  expected.records = 25;
  expected.bytes = 4097;
  expected.lost_events = 2;
  expected.overrun = 3;
  expected.commit_overrun = std::numeric_limits<std::int64_t>::max();
  expected.dropped_events = 35;
  expected.damaged = 10;
  const auto cpus = must(store->trace(run)).cpus;
  ASSERT_EQ(cpus.size(), 2U);
  EXPECT_EQ(cpus[0].records, 210U) << "by number, however they came";
  EXPECT_TRUE(cpus[1] == expected);
}

// Overwritten records are counted in two ways and the larger one is used: once per CPU, not once per part.
TEST_F(TraceStore, counts_as_lost_what_the_stored_rows_say) {
  auto trace = a_trace();
  TraceCpu more;
  more.cpu = 0;
  more.lost_events = 7;
  trace.cpus.push_back(more);
  const auto run = store_trace(trace);
  std::uint64_t lost = 0;
  for (const TraceCpu& cpu : must(store->trace(run)).cpus) lost += lost_of(cpu);
  EXPECT_EQ(lost, 9U + 1 + 30);
  EXPECT_EQ(must(store->run(run)).trace->lost, lost);
}

TEST_F(TraceStore, takes_a_cpu_that_was_asked_for_twice) {
  auto trace = a_trace();
  trace.only_cpus = {1, 1};
  EXPECT_THAT(must(store->trace(store_trace(trace))).only_cpus, ElementsAre(1, 1));
  trace.only_cpus.clear();
  EXPECT_THAT(must(store->trace(store_trace(trace))).only_cpus, IsEmpty());
  EXPECT_EQ(ask(path(), "SELECT group_concat(cpus, ' ') FROM trace_overview"), "1,1 all");
}

TEST_F(TraceStore, tells_of_a_trace_in_the_row_of_its_run) {
  const auto run = store_trace(a_trace());
  const auto row = must(store->run(run));
  ASSERT_TRUE(row.trace);
  EXPECT_EQ(row.trace->events, 91U) << "what the rings held beside events does not count";
  EXPECT_EQ(row.trace->lost, 7U + 1 + 30);
  EXPECT_EQ(row.trace->skipped, "");
  EXPECT_EQ(row.trace->broken, "module hsr was unloaded");
  EXPECT_TRUE(must(store->runs({}, "", 0)).rows.at(0).trace);
}

TEST_F(TraceStore, keeps_a_trace_that_was_skipped) {
  TraceRecord trace;
  trace.skipped = "the kernel is locked down";
  const auto run = store_trace(trace);
  EXPECT_EQ(must(store->trace(run)).skipped, "the kernel is locked down");
  EXPECT_EQ(must(store->run(run)).trace->skipped, "the kernel is locked down");
  EXPECT_THAT(must(store->trace_samples(run, "", "", 0)).rows, IsEmpty());
  EXPECT_EQ(ask(path(), "SELECT events IS NULL AND lost IS NULL FROM trace_overview"), "1");
}

TEST_F(TraceStore, knows_a_run_without_a_trace_from_an_unknown_run) {
  const auto run = store_job(a_job());
  EXPECT_FALSE(must(store->run(run)).trace);
  for (const RunId asked : {run, run + 1}) {
    const auto expected = fmt::format("run {}: {}", asked, asked == run ? "it has no trace" : "no such run");
    for (const auto& error : {store->trace(asked).error(), store->trace_samples(asked, "", "", 0).error(),
                              store->trace_stacks(asked, "", 0).error()}) {
      EXPECT_EQ(error.kind, ErrorKind::not_found);
      EXPECT_EQ(error.message, expected);
    }
  }
}

TEST_F(TraceStore, refuses_a_cursor_of_another_listing) {
  const auto run = store_trace(a_trace());
  const auto sample = must(store->trace_samples(run, "", "", 1)).next;
  const auto stack = must(store->trace_stacks(run, "", 1)).next;
  EXPECT_EQ(store->trace_stacks(run, sample, 1).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(store->trace_samples(run, "", stack, 1).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(store->intervals(run, sample, 1).error().kind, ErrorKind::invalid_argument);
}

TEST_F(TraceStore, caps_the_rows_of_a_page) {
  auto trace = a_trace();
  trace.samples.resize(501);
  trace.stacks.resize(501);
  const auto run = store_trace(trace);
  const auto samples = must(store->trace_samples(run, "", "", 4'000'000'000U));
  EXPECT_EQ(samples.rows.size(), 500U);
  EXPECT_EQ(must(store->trace_samples(run, "", samples.next, 0)).rows.size(), 1U);
  const auto stacks = must(store->trace_stacks(run, "", 0));
  EXPECT_EQ(stacks.rows.size(), 500U);
  EXPECT_EQ(must(store->trace_stacks(run, stacks.next, 0)).rows.size(), 1U);
}

TEST_F(TraceStore, is_written_whole_with_its_run_or_not_at_all) {
  const auto run = run_under_way(a_job());
  auto record = a_record(run);
  record.trace = a_trace();
  record.trace->marks.push_back({.time_ns = 1, .text = "late", .user = false});
  record.trace->drops.back().count = ~std::uint64_t{0};  // more than fits into the database
  ASSERT_FALSE(store->finish(record));
  for (const auto* table : kTraceTables) EXPECT_EQ(rows_of(table), "0") << table;
  EXPECT_EQ(rows_of("sums"), "0");
  record.trace->drops.back().count = 1;
  must(store->finish(record));
  EXPECT_EQ(rows_of("trace_marks"), "3");
}

TEST_F(TraceStore, goes_with_its_run) {
  const auto kept = store_trace(a_trace());
  const auto removed = store_trace(a_trace());
  must(store->remove(removed));
  for (const auto* table : kTraceTables) {
    EXPECT_EQ(ask(path(), fmt::format("SELECT count(*) FROM {} WHERE run = {}", table, removed)), "0")
        << table;
    EXPECT_NE(ask(path(), fmt::format("SELECT count(*) FROM {} WHERE run = {}", table, kept)), "0") << table;
  }
}

TEST_F(TraceStore, views_show_it_to_people) {
  store_trace(a_trace());
  const auto line = [&](const std::string& columns, const std::string& rest) {
    return ask(path(), fmt::format("SELECT concat_of FROM (SELECT {} AS concat_of FROM {})", columns, rest));
  };
  EXPECT_EQ(line("events || ' ' || events_lost", "run_overview"), "91 38");
  EXPECT_EQ(
      line("scenario || ' ' || events || ' ' || lost || ' ' || damaged_sub_buffers || ' ' || functions || "
           "' ' || buffer_kib || ' ' || tasks || ' ' || cpus || ' ' || broken",
           "trace_overview"),
      "veth-tcp 91 38 4 73 8192 workload 3,0 module hsr was unloaded");
  EXPECT_EQ(line("event || ' ' || count || ' ' || peak_per_second || ' ' || peak_at_s",
                 "event_overview WHERE peak_at_s IS NOT NULL"),
            "skb:kfree_skb 90 490.0 0.3");
  EXPECT_EQ(line("group_concat(ifnull(filter, 'none'))", "event_overview"), "reason != 'CONSUMED',none");
  EXPECT_EQ(line("group_concat(start_s || ':' || count)", "slice_overview"), "0.1:40,0.3:49");
  EXPECT_EQ(line("reason || ' ' || location || ' ' || count || ' ' || percent", "drop_overview LIMIT 1"),
            "NO_SOCKET tcp_v4_rcv 60 66.7");
  EXPECT_EQ(line("event || ' ' || time_s || ' ' || fields", "sample_overview LIMIT 1"),
            "skb:kfree_skb -0.000002 reason=NOT_SPECIFIED location=tcp_v4_rcv+0x1c");
}

// ---- Jobs without a workload ------------------------------------------------------------------------------

TEST_F(TraceStore, gives_a_job_without_a_workload_back) {
  const auto job = must(add_job(*store, a_watching_job(), 1000, kMorning));
  const auto row = must(store->run(job.runs.at(0)));
  EXPECT_EQ(row.spec.name, "watch");
  EXPECT_EQ(row.spec.workload.name, "none");
  EXPECT_EQ(row.spec.test, TestSpec{});
  EXPECT_EQ(ask(path(), "SELECT workload FROM jobs"), "none");
  EXPECT_EQ(ask(path(),
                "SELECT coalesce(protocol, direction, streams, duration_ms, bytes, omit_ms, server, "
                "local_server, client_netns, server_netns, 'nothing') FROM jobs"),
            "nothing");

  store_job(a_job());
  EXPECT_EQ(must(store->run(0)).spec.workload.name, "iperf3");
}

TEST_F(TraceStore, takes_a_run_without_a_workload) {
  const auto run = run_under_way(a_watching_job());
  RunRecord record;
  record.id = run;
  record.state = RunState::finished;
  record.trace = a_trace();
  must(store->finish(record));
  EXPECT_EQ(must(store->run(run)).trace->events, 91U);
  EXPECT_EQ(
      ask(path(), "SELECT state || ' ' || events || ' ' || (received_mbit_s IS NULL) FROM run_overview"),
      "finished 91 1");
}

// ---- Traces of files --------------------------------------------------------------------------------------

JobSpec an_imported_job() {
  JobSpec spec;
  spec.name = "import";
  spec.label = "before";
  spec.workload = imported_files();
  return spec;
}

TEST_F(TraceStore, gives_a_job_of_an_imported_file_back) {
  const auto job = must(add_job(*store, an_imported_job(), 1000, kMorning));
  const auto row = must(store->run(job.runs.at(0)));
  EXPECT_EQ(row.spec, an_imported_job());
  EXPECT_EQ(row.owner, 1000U);
  EXPECT_EQ(ask(path(), "SELECT workload || ' ' || (protocol IS NULL AND server IS NULL) FROM jobs"),
            "import 1");
}

TEST_F(TraceStore, takes_a_run_of_an_imported_file) {
  RunRecord record;
  record.id = run_under_way(an_imported_job());
  record.state = RunState::finished;
  record.trace = a_trace();
  record.trace->profile = a_profile();
  must(store->finish(record));
  const auto row = must(store->run(0));
  EXPECT_EQ(row.id, record.id);
  EXPECT_EQ(row.state, RunState::finished);
  EXPECT_EQ(row.trace->events, 91U);
  EXPECT_EQ(must(store->profile(record.id)).functions, 3U);

  core::RunFilter filter;
  filter.scenario = "import";
  filter.label = "before";
  const auto listed = must(store->runs(filter, "", 0)).rows;
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].spec.workload.name, "import");
  EXPECT_EQ(ask(path(), "SELECT scenario || ' ' || state || ' ' || events FROM run_overview"),
            "import finished 91");
  must(store->remove(record.id));
  EXPECT_EQ(rows_of("jobs"), "0");
}

}  // namespace
}  // namespace netperfd::store
