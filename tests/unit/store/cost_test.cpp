// What a run costs on the disk. The times it prints are for people; only sizes are judged.
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
  constexpr int kRuns = 50;
  double adding = 0;
  double finishing = 0;
  for (int i = 0; i < kRuns; ++i) {
    auto start = Clock::now();
    const auto job = must(store->add_job(a_job(), 0, kMorning));
    adding += milliseconds_since(start);
    bring_to_collecting(*store, job.runs.front());
    const auto record = a_record(job.runs.front());
    start = Clock::now();
    must(store->finish(record));
    finishing += milliseconds_since(start);
  }
  close();
  const auto bytes = std::filesystem::file_size(path()) / kRuns;
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
