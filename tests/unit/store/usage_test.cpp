// SPDX-License-Identifier: GPL-2.0-or-later
// What users have stored and how long they measured.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using std::chrono::seconds;

constexpr uid_t kOwner = 1001;
constexpr uid_t kOtherOwner = 1002;

class Usage : public StoreTest {
 protected:
  Usage() { open(); }

  RunId stored_run(uid_t owner, std::size_t intervals, JobSpec spec = a_job()) {
    const auto job = must(add_job(*store, spec, owner, kMorning));
    bring_to_collecting(*store, job.runs.front());
    must(store->finish(a_record(job.runs.front(), 4, intervals)));
    return job.runs.front();
  }
  [[nodiscard]] std::uint64_t stored(uid_t owner) {
    return must(store->usage(owner, kMorning, WallTime::max())).stored_bytes;
  }
  [[nodiscard]] std::uint64_t used_bytes() const {
    return std::stoull(ask(path(),
                           "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
                           "pragma_freelist_count, pragma_page_size"));
  }
};

TEST_F(Usage, is_the_growth_of_the_database) {
  EXPECT_EQ(stored(kOwner), 0U);
  const auto before = used_bytes();
  stored_run(kOwner, 20'000);
  const auto grown = used_bytes() - before;
  EXPECT_GT(grown, 1'000'000U);
  EXPECT_NEAR(static_cast<double>(stored(kOwner)), static_cast<double>(grown), 8 * 4096.0)
      << "states and the sum itself take a few pages";
  EXPECT_EQ(stored(kOtherOwner), 0U);
}

TEST_F(Usage, of_many_small_jobs_and_runs_adds_up) {
  const auto before = used_bytes();
  auto spec = a_job();
  spec.text.assign(20'000, 'x');
  for (int i = 0; i < 30; ++i) stored_run(kOtherOwner, 20, spec);
  const auto grown = static_cast<double>(used_bytes() - before);
  EXPECT_NEAR(static_cast<double>(stored(kOtherOwner)), grown, 0.1 * grown);
}

TEST_F(Usage, counts_a_job_that_is_canceled_before_it_began) {
  auto spec = a_job();
  spec.text.assign(65'000, 'x');
  const auto job = must(add_job(*store, spec, kOwner, kMorning));
  must(store->cancel_pending(job.id, "stopped"));
  EXPECT_GE(stored(kOwner), 60'000U);
  must(store->remove(job.runs.front()));
  EXPECT_EQ(stored(kOwner), 0U);
}

TEST_F(Usage, falls_to_nothing_with_the_last_run) {
  const auto first = stored_run(kOwner, 3000);
  const auto second = stored_run(kOwner, 3000);
  const auto others = stored_run(kOtherOwner, 3000);
  const auto both = stored(kOwner);
  const auto of_other = stored(kOtherOwner);
  must(store->remove(first));
  EXPECT_LT(stored(kOwner), both * 2 / 3);
  EXPECT_GT(stored(kOwner), both / 3);
  must(store->remove(second));
  EXPECT_EQ(stored(kOwner), 0U);
  EXPECT_EQ(stored(kOtherOwner), of_other);
  must(store->remove(others));
  EXPECT_EQ(ask(path(), "SELECT sum(stored_bytes) FROM stored_by_owner"), "0");
}

// Whatever belongs to them: digests are more than a tenth of many small runs.
TEST_F(Usage, of_a_bundle_is_the_growth_of_the_database) {
  std::vector<RunId> runs;
  for (int i = 0; i < 60; ++i) runs.push_back(stored_run(kOtherOwner, 20));
  const auto content = must(store->tables(runs, std::size_t{1} << 30U));
  const auto before = used_bytes();
  must(store->add_bundle(content, kOwner, "from there", kMorning));
  const auto grown = static_cast<double>(used_bytes() - before);
  EXPECT_NEAR(static_cast<double>(stored(kOwner)), grown, 2 * 4096.0);
}

TEST_F(Usage, of_a_run_that_is_read_again_is_the_growth_of_the_database) {
  const RunId run = stored_run(kOwner, 20);
  core::RunReading reading;
  reading.report = a_record(run, 4, 20'000).workload.report;
  const auto before = used_bytes();
  const auto known = stored(kOwner);
  must(store->replace_reading(run, reading, {}));
  EXPECT_NEAR(static_cast<double>(stored(kOwner) - known), static_cast<double>(used_bytes() - before),
              2 * 4096.0);
}

TEST_F(Usage, of_time_is_of_the_runs_that_ended_since) {
  const auto run = stored_run(kOwner, 10);
  const auto row = must(store->run(run));
  const auto took = *row.ended - *row.started;
  ASSERT_GT(took, seconds{1});
  const auto running = [&](uid_t owner, WallTime since) {
    return must(store->usage(owner, since, WallTime::max())).running;
  };
  EXPECT_EQ(running(kOwner, *row.started - seconds{5}), took);
  EXPECT_EQ(running(kOwner, *row.ended - seconds{1}), seconds{1}) << "a run counts from then on";
  EXPECT_EQ(running(kOwner, *row.ended), seconds{0});
  EXPECT_EQ(running(kOtherOwner, WallTime{}), seconds{0});
  stored_run(kOwner, 10);
  EXPECT_EQ(running(kOwner, WallTime{}), 2 * took);
}

TEST_F(Usage, of_time_leaves_runs_of_the_future_out) {
  const auto ended = *must(store->run(stored_run(kOwner, 10))).ended;
  const auto running = [&](WallTime until) { return must(store->usage(kOwner, {}, until)).running; };
  EXPECT_GT(running(ended), seconds{0});
  EXPECT_EQ(running(ended - std::chrono::microseconds{1}), seconds{0});
}

TEST_F(Usage, of_time_leaves_imported_runs_out) {
  JobSpec spec = a_job();
  spec.workload = imported_files();
  stored_run(kOwner, 3000, spec);
  EXPECT_EQ(must(store->usage(kOwner, WallTime{}, WallTime::max())).running, seconds{0});
  EXPECT_GT(stored(kOwner), 0U);
}

}  // namespace
}  // namespace netperfd::store
