// SPDX-License-Identifier: GPL-2.0-or-later
// What the rules of `keep` see of the store, and a removal in steps.
#include "daemon/store/removals.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr JobId kAll = 1'000'000;

class Removals : public StoreTest {
 protected:
  Removals() { open(); }

  static JobSpec repeated(const std::string& name, const std::string& label, std::uint32_t repeat) {
    JobSpec spec = a_job(name, label);
    spec.repeat = repeat;
    return spec;
  }
  // Of the newest job.
  [[nodiscard]] core::StoredJob newest() { return must(store->stored_jobs(kAll, 1)).at(0); }
  [[nodiscard]] std::vector<JobId> jobs(JobId before = kAll, std::uint32_t limit = 100) {
    std::vector<JobId> ids;
    for (const auto& job : must(store->stored_jobs(before, limit))) ids.push_back(job.id);
    return ids;
  }
  static core::RunFilter labelled(const std::string& label) {
    core::RunFilter filter;
    filter.label = label;
    return filter;
  }
  static core::RunFilter named(const std::string& scenario) {
    core::RunFilter filter;
    filter.scenario = scenario;
    return filter;
  }
  [[nodiscard]] std::vector<RunId> listed(const core::RunFilter& filter = {}) {
    std::vector<RunId> ids;
    for (const auto& run : must(store->runs(filter, "", 100)).rows) ids.push_back(run.id);
    return ids;
  }
};

TEST_F(Removals, see_each_job_as_a_whole) {
  JobSpec spec = repeated("nightly", "release", 3);
  spec.text.assign(20'000, 'x');
  const RunId last = store_job(spec);
  const core::StoredJob job = newest();
  EXPECT_EQ(job.scenario, "nightly");
  EXPECT_EQ(job.label, "release");
  EXPECT_EQ(job.runs, 3U);
  EXPECT_FALSE(job.open);
  EXPECT_EQ(fmt::format("{}", job.newest.time_since_epoch().count()),
            ask(path(), fmt::format("SELECT ended_us FROM runs WHERE id = {}", last)));
  EXPECT_EQ(
      std::to_string(job.stored_bytes),
      ask(path(), "SELECT (SELECT sum(stored_bytes) FROM jobs) + (SELECT sum(stored_bytes) FROM runs)"));
  EXPECT_GT(job.stored_bytes, 16'000U);
}

TEST_F(Removals, take_the_time_of_a_job_without_a_measurement_from_its_creation) {
  const auto job = must(add_job(*store, repeated("x", "", 2), 0, kMorning));
  EXPECT_TRUE(newest().open);
  must(store->cancel_pending(job.id, "stopped"));
  EXPECT_FALSE(newest().open);
  EXPECT_EQ(newest().newest, kMorning);
}

TEST_F(Removals, page_through_the_jobs_newest_first) {
  for (int i = 0; i < 5; ++i) store_job(a_job());
  EXPECT_THAT(jobs(), ElementsAre(5, 4, 3, 2, 1));
  EXPECT_THAT(jobs(kAll, 2), ElementsAre(5, 4));
  EXPECT_THAT(jobs(4, 2), ElementsAre(3, 2));
  EXPECT_THAT(jobs(1, 2), IsEmpty());
}

TEST_F(Removals, hide_all_runs_of_a_job_at_once_from_every_query) {
  const RunId kept = store_job(a_job("x", "a"));
  const RunId last = store_job(repeated("x", "b", 3));
  EXPECT_EQ(must(store->begin_removal(2, core::RemovalBy::user)), 3U);
  EXPECT_THAT(listed(), ElementsAre(kept));
  EXPECT_THAT(listed(labelled("b")), IsEmpty());
  EXPECT_THAT(listed(named("x")), ElementsAre(kept));
  EXPECT_EQ(must(store->run(0)).id, kept) << "the newest";
  EXPECT_EQ(store->run(last).error().kind, ErrorKind::not_found);
  EXPECT_EQ(store->runs_of_job(2).error().kind, ErrorKind::not_found);
  EXPECT_THAT(must(store->selected_runs(labelled("b"), {}, 10)), IsEmpty());
  EXPECT_THAT(must(store->selected_runs({}, {{.first = 1, .last = last}}, 10)), testing::SizeIs(1));
  EXPECT_THAT(jobs(), ElementsAre(1)) << "the rules do not count it";
}

TEST_F(Removals, go_on_with_the_next_daemon_until_nothing_is_left) {
  store_job(a_job());
  const RunId last = store_job(repeated("x", "", 3));
  EXPECT_FALSE(must(store->next_removal()));
  must(store->begin_removal(2, core::RemovalBy::user));
  EXPECT_EQ(must(store->next_removal()), (core::RunOfJob{last - 2, 2}));
  must(store->remove(last - 2));
  close();
  open();
  EXPECT_THAT(listed(), ElementsAre(1));
  EXPECT_EQ(must(store->next_removal()), (core::RunOfJob{last - 1, 2}));
  must(store->remove(last - 1));
  must(store->remove(last));
  EXPECT_FALSE(must(store->next_removal()));
  EXPECT_EQ(ask(path(), "SELECT group_concat(id) FROM jobs"), "1");
}

TEST_F(Removals, of_an_open_or_unknown_job_do_not_begin) {
  const auto job = must(add_job(*store, repeated("x", "", 2), 0, kMorning));
  bring_to_collecting(*store, job.runs[0]);
  must(store->finish(a_record(job.runs[0])));
  EXPECT_EQ(must(store->begin_removal(job.id, core::RemovalBy::user)), 0U) << "its second run is pending";
  EXPECT_EQ(must(store->begin_removal(77, core::RemovalBy::user)), 0U);
  EXPECT_FALSE(must(store->next_removal()));
  EXPECT_THAT(listed(), testing::SizeIs(2));
}

// What a damaged row says of its size or label decides about no job, and stays known as damaged.
TEST_F(Removals, of_a_rule_leave_a_job_alone_of_which_a_row_is_damaged) {
  for (int i = 0; i < 4; ++i) store_job(repeated("x", "", 2));
  damage(path(),
         "UPDATE jobs SET stored_bytes = 1 << 40 WHERE id = 2; "
         "UPDATE runs SET stored_bytes = 1 << 40 WHERE id = 6");
  std::vector<JobId> damaged;
  for (const auto& job : must(store->stored_jobs(kAll, 2))) {
    if (job.damaged) damaged.push_back(job.id);
  }
  for (const auto& job : must(store->stored_jobs(3, 2))) {
    if (job.damaged) damaged.push_back(job.id);
  }
  EXPECT_THAT(damaged, ElementsAre(3, 2));
  EXPECT_THAT(jobs(kAll, 2), ElementsAre(4, 3)) << "a page has them, or a short one would look like the last";
  for (const JobId job : damaged) EXPECT_EQ(must(store->begin_removal(job, core::RemovalBy::rule)), 0U);
  EXPECT_FALSE(must(store->next_removal()));
  const auto check = must(store->check_store());
  EXPECT_THAT(check.damaged_jobs, ElementsAre(2));
  EXPECT_THAT(check.damaged_runs, ElementsAre(6));
  EXPECT_EQ(must(store->begin_removal(1, core::RemovalBy::rule)), 2U);
  EXPECT_EQ(must(store->begin_removal(3, core::RemovalBy::user)), 2U) << "somebody wants it";
}

}  // namespace
}  // namespace netperfd::store
