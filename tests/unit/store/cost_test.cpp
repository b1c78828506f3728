// SPDX-License-Identifier: GPL-2.0-or-later
// The disk space of a run. The printed times are only for information; the tests check sizes.
#include <fmt/format.h>

#include <cstdio>

#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

class StoreCost : public StoreTest {};

TEST_F(StoreCost, of_a_usual_run_is_small) {
  open();
  close();
  const auto empty = std::filesystem::file_size(path());
  open();
  constexpr int kRuns = 50;
  double adding = 0;
  double finishing = 0;
  for (int i = 0; i < kRuns; ++i) {
    auto start = Clock::now();
    const auto job = must(add_job(*store, a_job(), 0, kMorning));
    adding += milliseconds_since(start);
    bring_to_collecting(*store, job.runs.front());
    const auto record = a_record(job.runs.front());
    start = Clock::now();
    must(store->finish(record));
    finishing += milliseconds_since(start);
  }
  close();
  const auto bytes = (std::filesystem::file_size(path()) - empty) / kRuns;
  fmt::print("4 streams, 50 intervals: add_job {:.2f} ms, finish {:.2f} ms, {} bytes a run\n", adding / kRuns,
             finishing / kRuns, bytes);
  EXPECT_LT(bytes, 10'000U);
}

TEST_F(StoreCost, of_an_interval_is_below_100_bytes) {
  open();
  store_job(a_job());
  close();
  const auto before = std::filesystem::file_size(path());

  constexpr std::size_t kRows = 100'000;
  open();
  const auto run = run_under_way(a_job());
  const auto record = a_record(run, 4, kRows);
  auto start = Clock::now();
  must(store->finish(record));
  const auto finishing = milliseconds_since(start);

  start = Clock::now();
  std::size_t rows = 0;
  std::string cursor;
  do {
    const auto page = must(store->intervals(run, cursor, 0));
    rows += page.rows.size();
    cursor = page.next;
  } while (!cursor.empty());
  const auto reading = milliseconds_since(start);
  EXPECT_EQ(rows, kRows);
  close();
  const auto bytes = static_cast<double>(std::filesystem::file_size(path()) - before) / kRows;

  open();
  start = Clock::now();
  must(store->remove(run));
  fmt::print(
      "{} intervals: finish {:.0f} ms, read in pages {:.0f} ms, remove {:.0f} ms, {:.1f} bytes an interval\n",
      kRows, finishing, reading, milliseconds_since(start), bytes);
  EXPECT_LT(bytes, 100);
}

TraceRecord a_long_trace() {
  auto trace = a_trace();
  trace.events.clear();
  trace.samples.clear();
  trace.stacks.clear();
  for (std::size_t event = 0; event < 20; ++event) {
    auto& row = trace.events.emplace_back();
    row.name = fmt::format("tcp:tcp_event_number_{}", event);
    for (std::size_t slice = 0; slice < 600; ++slice) row.slices.push_back(1000 + 7 * slice + event);
    row.count = 1'859'000;
    for (std::size_t i = 0; i < 32; ++i) {
      auto& sample = trace.samples.emplace_back();
      sample.event = row.name;
      sample.ordinal = i < 16 ? i + 1 : 1'858'984 + i;
      sample.time_ns = static_cast<std::int64_t>(1'000'003 * event + 937'000'001 * i);
      sample.pid = 4711;
      sample.task = "iperf3";
      for (int field = 0; field < 10; ++field) {
        sample.fields.push_back(
            {.name = fmt::format("field_{}", field), .value = std::int64_t{field} * 10'007, .text = ""});
      }
    }
    for (std::size_t i = 0; i < 100; ++i) {
      auto& stack = trace.stacks.emplace_back();
      stack.event = row.name;
      stack.count = 5000 - i;
      for (std::size_t frame = 0; frame < 16; ++frame) {
        stack.frames.push_back(
            fmt::format("some_kernel_function_{}+{:#x}", (i + frame) % 97, 16 + i + frame));
      }
    }
  }
  return trace;
}

TEST_F(StoreCost, of_a_long_trace_is_some_megabytes_at_most) {
  open();
  store_job(a_job());
  close();
  const auto before = std::filesystem::file_size(path());

  open();
  const auto run = run_under_way(a_job());
  auto record = a_record(run, 0, 0);
  record.trace = a_long_trace();
  auto start = Clock::now();
  must(store->finish(record));
  const auto finishing = milliseconds_since(start);

  start = Clock::now();
  EXPECT_EQ(must(store->trace(run)).events.size(), 20U);
  std::size_t rows = 0;
  std::string cursor;
  do {
    const auto page = must(store->trace_samples(run, "", cursor, 0));
    rows += page.rows.size();
    cursor = page.next;
  } while (!cursor.empty());
  do {
    const auto page = must(store->trace_stacks(run, cursor, 0));
    rows += page.rows.size();
    cursor = page.next;
  } while (!cursor.empty());
  const auto reading = milliseconds_since(start);
  EXPECT_EQ(rows, 640U + 2000U);
  close();
  const auto bytes = std::filesystem::file_size(path()) - before;

  open();
  start = Clock::now();
  must(store->remove(run));
  fmt::print(
      "20 events of 600 slices, 640 samples of 10 fields, 2000 stacks of 16 frames: finish {:.0f} ms, read "
      "{:.0f} ms, remove {:.0f} ms, {} bytes\n",
      finishing, reading, milliseconds_since(start), bytes);
  EXPECT_LT(bytes, 3'000'000U);
}

FunctionProfile a_long_profile() {
  FunctionProfile profile;
  profile.slice_ns = 100'000'000;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    auto& function = profile.functions.emplace_back();
    function.name = fmt::format("some_kernel_function_{}", i);
    function.module = i % 3 == 0 ? "hsr" : "";
    for (std::uint64_t slice = 0; slice < 400; ++slice) {
      function.slice_hits.push_back(71'000 + 7 * slice + i);
      function.slice_self_ns.push_back(7'100'000 + 701 * slice + 17 * i);
    }
    for (std::uint32_t bucket = 0; bucket < 200; ++bucket) {
      function.histogram.buckets.emplace_back(300 + bucket, 1'000 + 13 * bucket + i);
    }
    function.hits = 28'000'000;
    function.self_ns = 2'840'000'000;
    for (std::uint32_t callee = 1; callee <= 4; ++callee) {
      profile.edges.push_back(
          {.caller = i, .callee = (i + callee) % 5000, .hits = 71'000, .total_ns = 71'000'017});
    }
    auto& node = profile.tree.emplace_back();
    if (i % 10 != 0) node.parent = i - 1;
    node.function = i;
    node.hits = 71'000;
    node.total_ns = 71'000'017;
    node.self_ns = 7'100'017;
  }
  return profile;
}

// The largest profile within the limits of a trace: every function of the filter is called, in every slice.
TEST_F(StoreCost, of_the_longest_profile_is_some_tens_of_megabytes) {
  open();
  store_job(a_job());
  close();
  const auto before = std::filesystem::file_size(path());

  open();
  const auto run = run_under_way(a_job());
  auto record = a_record(run, 0, 0);
  record.trace = a_trace();
  record.trace->profile = a_long_profile();
  auto start = Clock::now();
  must(store->finish(record));
  const auto finishing = milliseconds_since(start);

  start = Clock::now();
  EXPECT_EQ(must(store->functions(run, 0, 5000, {})).rows.size(), 5000U);
  const auto listing = milliseconds_since(start);
  start = Clock::now();
  const auto whole = must(whole_profile(*store, run));
  const auto reading = milliseconds_since(start);
  EXPECT_EQ(whole.functions.at(4999).slice_hits.size(), 400U);
  EXPECT_EQ(whole.edges.size(), 20'000U);
  start = Clock::now();
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM function_overview WHERE percent IS NOT NULL"), "5000");
  const auto viewing = milliseconds_since(start);
  close();
  const auto bytes = std::filesystem::file_size(path()) - before;

  open();
  start = Clock::now();
  must(store->remove(run));
  fmt::print(
      "5000 functions of 400 slices and 200 buckets, 20000 edges, 5000 nodes: finish {:.0f} ms, read without "
      "lists {:.0f} ms, whole {:.0f} ms, function_overview {:.0f} ms, remove {:.0f} ms, {} bytes\n",
      finishing, listing, reading, viewing, milliseconds_since(start), bytes);
  EXPECT_LT(bytes, 60'000'000U);
}

TEST_F(StoreCost, of_a_recording_is_a_part_of_its_size) {
  open();
  auto record = a_record(run_under_way(a_job()), 0, 0);
  record.trace = a_trace();
  constexpr std::size_t kBytes = 64U << 20U;
  // Simulates entries and exits of calls in a sub-buffer: mostly repetitive, but with varying times and
  // addresses.
  auto& recording = record.trace->recording;
  recording.reserve(kBytes + 64);
  std::uint64_t time = 1'000'000'000;
  std::uint64_t random = 0x9e3779b97f4a7c15;
  while (recording.size() < kBytes) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    time += 100 + (random >> 56U);
    const std::uint64_t words[] = {0x0000'000b'0000'1234, 0xffff'ffff'c08a'0000 + ((random >> 40U) % 73) * 64,
                                   time, time + 90 + (random >> 57U)};
    recording.append(reinterpret_cast<const char*>(words),
                     sizeof words);  // NOLINT(*-reinterpret-cast): its bytes
  }
  recording.resize(kBytes);

  auto start = Clock::now();
  must(store->finish(record));
  const auto finishing = milliseconds_since(start);
  start = Clock::now();
  EXPECT_TRUE(must(store->document(record.id, "trace.dat")) == recording);
  const auto reading = milliseconds_since(start);
  const auto stored =
      std::stoul(ask(path(), "SELECT length(content) FROM documents WHERE name = 'trace.dat'"));
  fmt::print("a recording of {} bytes: {} bytes stored, finish {:.0f} ms, read {:.0f} ms\n", kBytes, stored,
             finishing, reading);
  EXPECT_LT(stored, kBytes / 2);
}

TEST_F(StoreCost, of_a_document_is_a_part_of_its_size) {
  open();
  const auto run = run_under_way(a_job());
  auto record = a_record(run, 0, 0);
  std::string json;
  for (int i = 0; i < 5000; ++i) {
    json += fmt::format("{{\"socket\": 5, \"start\": {}.000061, \"bytes\": {}, \"retransmits\": 0}},\n", i,
                        995'570'483 + 131'071 * i);
  }
  record.workload.documents = {{.name = "client.stdout", .bytes = json}};
  must(store->finish(record));
  const auto stored = std::stoul(ask(path(), "SELECT length(content) FROM documents"));
  fmt::print("a document of {} bytes: {} bytes stored\n", json.size(), stored);
  EXPECT_LT(stored, json.size() / 4);
}

}  // namespace
}  // namespace netperfd::store
