// SPDX-License-Identifier: GPL-2.0-or-later
// Storing runs, reading them back, and refusals.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <array>

#include "daemon/store/columns.hpp"
#include "daemon/store/sqlite.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RunStore : public StoreTest {
 protected:
  RunStore() { open(); }
};

TEST_F(RunStore, gives_a_run_back_as_it_was_stored) {
  auto spec = a_job("veth-tcp", "before");
  spec.repeat = 2;
  const auto run = run_under_way(spec);
  const auto record = a_record(run);
  must(store->finish(record));

  const auto row = must(store->run(run));
  const auto& report = record.workload.report;
  EXPECT_EQ(row.id, run);
  EXPECT_EQ(row.index, 1U);
  EXPECT_EQ(row.owner, 1000U);
  EXPECT_EQ(row.state, RunState::finished);
  EXPECT_EQ(row.error, "");
  EXPECT_EQ(row.created, kMorning);
  EXPECT_EQ(row.started, record.started);
  EXPECT_EQ(row.ended, record.ended);
  EXPECT_EQ(row.iperf3_version, "3.12");
  EXPECT_EQ(row.client->host, "10.0.0.1");
  EXPECT_EQ(row.client->port, 41234);
  EXPECT_EQ(row.server->host, "10.0.0.2");
  EXPECT_EQ(row.server->port, 5201);
  EXPECT_EQ(row.mss_bytes, 1448U);
  EXPECT_EQ(row.congestion, "cubic");
  EXPECT_EQ(row.cpu_client_percent, 97.25);
  EXPECT_EQ(row.cpu_server_percent, 41.5);
  EXPECT_EQ(row.client_usage->user, record.workload.client_usage->user);
  EXPECT_EQ(row.client_usage->system, record.workload.client_usage->system);
  ASSERT_EQ(row.sums.size(), 1U);
  EXPECT_EQ(row.sums[0].stream, std::nullopt);
  EXPECT_EQ(row.sums[0], report.sums[0]);
  ASSERT_EQ(row.flags.size(), 1U);
  EXPECT_EQ(row.flags[0].code, "sum-mismatch");
  EXPECT_EQ(row.flags[0].message, record.flags[0].message);
  EXPECT_THAT(row.documents, ElementsAre("client.stdout", "client.stderr"));

  const auto streams = must(store->streams(run));
  ASSERT_EQ(streams.size(), 4U);
  EXPECT_EQ(streams[3].stream, 11);
  EXPECT_EQ(streams[3], report.streams[3]);

  const auto intervals = must(store->intervals(run, "", 0));
  ASSERT_EQ(intervals.rows.size(), report.intervals.size());
  EXPECT_EQ(intervals.next, "");
  for (std::size_t i = 0; i < report.intervals.size(); ++i) {
    EXPECT_EQ(intervals.rows[i].direction, report.intervals[i].direction);
    EXPECT_EQ(intervals.rows[i], report.intervals[i]) << i;
  }
}

TEST_F(RunStore, gives_back_what_the_job_asked_for) {
  auto spec = a_job("udp-both", "after");
  spec.repeat = 3;
  spec.test.traffic.protocol = Protocol::udp;
  spec.test.traffic.direction = Direction::both;
  spec.test.traffic.duration.reset();
  spec.test.traffic.bytes = 1'073'741'824;
  const auto job = must(add_job(*store, spec, 4'294'967'294, kMorning));

  const auto rows = must(store->runs_of_job(job.id));
  ASSERT_EQ(rows.size(), 3U);
  const auto& kept = rows[2].spec;
  EXPECT_EQ(rows[2].index, 3U);
  EXPECT_EQ(rows[2].job, job.id);
  EXPECT_EQ(rows[2].state, RunState::pending);
  EXPECT_EQ(rows[2].owner, 4'294'967'294);
  EXPECT_EQ(kept.name, "udp-both");
  EXPECT_EQ(kept.description, spec.description);
  EXPECT_EQ(kept.label, "after");
  EXPECT_EQ(kept.repeat, 3U);
  EXPECT_EQ(kept.text, "");
  EXPECT_EQ(kept.test.traffic.protocol, Protocol::udp);
  EXPECT_EQ(kept.test.traffic.direction, Direction::both);
  EXPECT_EQ(kept.test.traffic.streams, 4U);
  EXPECT_EQ(kept.test.traffic.duration, std::nullopt);
  EXPECT_EQ(kept.test.traffic.bytes, 1'073'741'824U);
  EXPECT_EQ(kept.test.traffic.omit, std::chrono::seconds{1});
  EXPECT_EQ(kept.test.path.server, "10.0.0.2");
  EXPECT_EQ(kept.test.path.netns, "left");
  ASSERT_TRUE(kept.test.path.local);
  EXPECT_EQ(kept.test.path.local->netns, "right");
  EXPECT_EQ(kept.test.path.local->bind, "10.0.0.2");
  EXPECT_EQ(ask(path(), "SELECT text FROM jobs"), spec.text);
}

TEST_F(RunStore, keeps_unknown_figures_unknown) {
  auto spec = a_job();
  spec.test.path.local.reset();
  const auto run = run_under_way(spec);
  RunRecord record;
  record.id = run;
  record.state = RunState::failed;
  record.error = "connection refused";
  record.workload.report.sums.emplace_back().direction = Direction::receive;
  record.workload.report.intervals.emplace_back().direction = Direction::receive;
  record.workload.report.intervals.back().sender = false;
  must(store->finish(record));

  const auto row = must(store->run(run));
  EXPECT_EQ(row.error, "connection refused");
  EXPECT_EQ(row.started, std::nullopt);
  EXPECT_EQ(row.ended, std::nullopt);
  EXPECT_FALSE(row.client || row.server || row.mss_bytes || row.cpu_client_percent || row.client_usage);
  EXPECT_FALSE(row.spec.test.path.local);
  EXPECT_EQ(row.sums.at(0).direction, Direction::receive);
  EXPECT_EQ(row.sums.at(0), record.workload.report.sums[0]);
  const auto interval = must(store->intervals(run, "", 0)).rows.at(0);
  EXPECT_EQ(interval.direction, Direction::receive);
  EXPECT_EQ(interval, record.workload.report.intervals[0]);
}

TEST_F(RunStore, gives_documents_back_byte_for_byte) {
  const auto run = run_under_way(a_job());
  auto record = a_record(run);
  std::string bytes;
  for (int i = 0; i < 200'000; ++i) bytes += static_cast<char>(i % 97 * (i % 89) % 251);
  record.workload.documents = {{.name = "server.stdout", .bytes = bytes},
                               {.name = "client.stderr", .bytes = ""}};
  must(store->finish(record));

  EXPECT_EQ(must(store->document(run, "server.stdout")), bytes);
  EXPECT_EQ(must(store->document(run, "client.stderr")), "");
  const auto absent = store->document(run, "client.stdout");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::not_found);
  EXPECT_LT(std::stoul(ask(path(), "SELECT length(content) FROM documents WHERE size > 0")),
            bytes.size() / 10);
}

TEST_F(RunStore, reports_a_damaged_document) {
  const auto run = run_under_way(a_job());
  must(store->finish(a_record(run)));
  close();
  {
    auto connection = must(Connection::open(path(), SQLITE_OPEN_READWRITE));
    must(connection.execute("UPDATE documents SET content = zeroblob(20) WHERE name = 'client.stdout'"));
  }
  open();
  const auto damaged = store->document(run, "client.stdout");
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().kind, ErrorKind::io);
  EXPECT_THAT(damaged.error().message, HasSubstr(path()));
}

TEST_F(RunStore, refuses_a_second_finish) {
  const auto run = run_under_way(a_job());
  must(store->finish(a_record(run)));
  auto second = a_record(run);
  second.state = RunState::failed;
  second.error = "again";
  second.workload.report.intervals.clear();

  const auto refused = store->finish(second);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::internal);
  EXPECT_EQ(refused.error().message, fmt::format("run {}: it is finished and cannot become failed", run));
  EXPECT_EQ(must(store->run(run)).state, RunState::finished);
  EXPECT_EQ(must(store->intervals(run, "", 0)).rows.size(), 50U);
}

TEST_F(RunStore, refuses_a_record_of_an_unknown_run) {
  const auto refused = store->finish(a_record(41));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::not_found);
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM sums"), "0");
}

TEST_F(RunStore, refuses_a_record_that_is_not_of_an_end) {
  const auto run = run_under_way(a_job());
  auto record = a_record(run);
  record.state = RunState::running;
  EXPECT_FALSE(store->finish(record));
  EXPECT_EQ(must(store->run(run)).state, RunState::collecting);
}

TEST_F(RunStore, stores_nothing_of_a_record_that_it_cannot_store_whole) {
  const auto run = run_under_way(a_job());
  auto record = a_record(run);
  record.workload.documents.push_back(record.workload.documents.front());  // the same name twice
  ASSERT_FALSE(store->finish(record));
  EXPECT_EQ(must(store->run(run)).state, RunState::collecting);
  for (const auto* table : {"sums", "streams", "intervals", "flags", "documents"}) {
    EXPECT_EQ(ask(path(), fmt::format("SELECT count(*) FROM {}", table)), "0") << table;
  }
  must(store->finish(a_record(run)));
}

TEST_F(RunStore, refuses_a_number_beyond_63_bits) {
  auto spec = a_job();
  spec.test.traffic.bytes = ~std::uint64_t{0};
  const auto refused = add_job(*store, spec, 0, kMorning);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument);
  EXPECT_THAT(refused.error().message, HasSubstr("18446744073709551615"));
}

TEST_F(RunStore, lets_states_follow_only_as_the_model_says) {
  const auto job = must(add_job(*store, a_job(), 0, kMorning));
  const auto run = job.runs.front();
  EXPECT_FALSE(store->set_state(run, RunState::running));
  must(store->set_state(run, RunState::preparing));
  EXPECT_FALSE(store->set_state(run, RunState::failed)) << "an end needs its record";
  EXPECT_EQ(must(store->run(run)).state, RunState::preparing);
  const auto unknown = store->set_state(run + 1, RunState::preparing);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::not_found);
}

TEST_F(RunStore, cancels_only_the_pending_runs_of_a_job) {
  auto spec = a_job();
  spec.repeat = 3;
  const auto job = must(add_job(*store, spec, 0, kMorning));
  const auto other = must(add_job(*store, spec, 0, kMorning));
  must(store->set_state(job.runs[0], RunState::preparing));
  must(store->cancel_pending(job.id, "stopped by uid 1000"));

  EXPECT_EQ(must(store->run(job.runs[0])).state, RunState::preparing);
  EXPECT_EQ(must(store->run(job.runs[1])).state, RunState::canceled);
  EXPECT_EQ(must(store->run(job.runs[2])).error, "stopped by uid 1000");
  EXPECT_EQ(must(store->run(other.runs[0])).state, RunState::pending);
}

TEST_F(RunStore, refuses_a_job_below_the_floor_of_free_space) {
  open(std::uint64_t{1} << 62);
  const auto refused = add_job(*store, a_job(), 0, kMorning);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_space);
  EXPECT_THAT(refused.error().message, HasSubstr(path()));
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM jobs"), "0");
}

TEST_F(RunStore, refuses_a_job_without_runs) {
  auto spec = a_job();
  spec.repeat = 0;
  EXPECT_FALSE(add_job(*store, spec, 0, kMorning));
}

TEST_F(RunStore, removes_a_run_with_all_its_parts) {
  auto spec = a_job();
  spec.repeat = 2;
  const auto last = store_job(spec);
  must(store->remove(last));
  const auto absent = store->run(last);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::not_found);
  for (const auto* table : {"sums", "streams", "intervals", "flags", "documents"}) {
    EXPECT_EQ(ask(path(), fmt::format("SELECT count(*) FROM {} WHERE run = {}", table, last)), "0") << table;
    EXPECT_NE(ask(path(), fmt::format("SELECT count(*) FROM {} WHERE run = {}", table, last - 1)), "0")
        << table;
  }
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM jobs"), "1");

  must(store->remove(last - 1));
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM jobs"), "0");
}

TEST_F(RunStore, refuses_to_remove_what_has_not_ended_or_is_unknown) {
  const auto run = run_under_way(a_job());
  const auto busy = store->remove(run);
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().kind, ErrorKind::busy);
  const auto unknown = store->remove(run + 1);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::not_found);
}

TEST_F(RunStore, never_gives_a_number_twice) {
  const auto before = store_job(a_job());
  const auto job = must(store->run(before)).job;
  must(store->remove(before));
  open();
  const auto after = must(add_job(*store, a_job(), 0, kMorning));
  EXPECT_GT(after.runs.front(), before);
  EXPECT_GT(after.id, job);
}

TEST_F(RunStore, gives_the_space_of_a_removed_run_back_to_the_disk) {
  const auto run = run_under_way(a_job());
  must(store->finish(a_record(run, 4, 20'000)));
  open();  // closing merges the write-ahead log into the file
  const auto full = std::filesystem::file_size(path());
  ASSERT_GT(full, 1'000'000U);
  must(store->remove(run));
  EXPECT_LT(std::filesystem::file_size(path()), full / 4);
}

}  // namespace
}  // namespace netperfd::store
