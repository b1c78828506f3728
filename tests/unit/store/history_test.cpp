// SPDX-License-Identifier: GPL-2.0-or-later
// The history of jobs, and the words that may change after a run has ended.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/unit/store/design_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class History : public Designs {
 protected:
  std::vector<JobId> list(const core::RunFilter& filter, std::uint32_t page_size = 0) {
    std::vector<JobId> ids;
    std::string cursor;
    do {
      const auto page = must(store->jobs(filter, cursor, page_size));
      for (const auto& row : page.rows) ids.push_back(row.id);
      cursor = page.next;
    } while (!cursor.empty());
    return ids;
  }
  JobId job_of(RunId run) { return must(store->run(run)).job; }
};

TEST_F(History, lists_jobs_newest_first_with_the_ends_of_their_runs) {
  JobSpec spec = a_job("veth-tcp", "before");
  spec.repeat = 2;
  const RunId last = store_job(spec, RunState::failed);
  JobSpec design = a_design();
  design.purpose = JobPurpose::selftest;
  const JobId newest = must(add_job(*store, design, 1000, kMorning)).id;
  const auto page = must(store->jobs({}, "", 0));
  ASSERT_EQ(page.rows.size(), 2U);
  EXPECT_EQ(page.next, "");
  const core::JobRow& open = page.rows.front();
  EXPECT_EQ(open.id, newest);
  EXPECT_EQ(open.owner, 1000U);
  EXPECT_EQ(open.purpose, JobPurpose::selftest);
  ASSERT_TRUE(open.design);
  EXPECT_EQ(open.design->a->name, "list");
  EXPECT_EQ(open.runs.front().state, RunState::pending);
  const core::JobRow& ended = page.rows.back();
  EXPECT_EQ(ended.scenario, "veth-tcp");
  EXPECT_EQ(ended.label, "before");
  EXPECT_EQ(ended.repeat, 2U);
  EXPECT_EQ(ended.created, kMorning);
  ASSERT_EQ(ended.runs.size(), 2U);
  EXPECT_EQ(ended.runs.back().id, last);
  EXPECT_EQ(ended.runs.back().state, RunState::failed);
  EXPECT_EQ(ended.runs.back().started, must(store->run(last)).started);
  EXPECT_EQ(ended.runs.back().ended, must(store->run(last)).ended);
}

TEST_F(History, is_filtered_and_paged) {
  const JobId first = job_of(store_job(a_job("a", "x")));
  const JobId second =
      job_of(store_job(a_job("b", "x"), RunState::finished, kMorning + std::chrono::hours{1}));
  const JobId third =
      job_of(store_job(a_job("a", "y"), RunState::finished, kMorning + std::chrono::hours{2}));
  EXPECT_THAT(list({}, 1), ElementsAre(third, second, first));
  core::RunFilter filter;
  filter.scenario = "a";
  EXPECT_THAT(list(filter, 1), ElementsAre(third, first));
  filter.label = "x";
  EXPECT_THAT(list(filter), ElementsAre(first));
  core::RunFilter times;
  times.since = kMorning + std::chrono::hours{1};
  times.until = kMorning + std::chrono::hours{2};
  EXPECT_THAT(list(times), ElementsAre(second));
  core::RunFilter pilots;
  pilots.purpose = JobPurpose::pilot;
  EXPECT_THAT(list(pilots), IsEmpty());
  EXPECT_EQ(store->jobs({}, "r5", 0).error().kind, ErrorKind::invalid_argument) << "a cursor of another list";
}

TEST_F(History, leaves_out_jobs_that_are_being_removed) {
  const JobId kept = job_of(store_job(a_job("a")));
  const JobId removed = job_of(store_job(a_job("b")));
  ASSERT_GT(must(store->begin_removal(removed, core::RemovalBy::user)), 0U);
  EXPECT_THAT(list({}), ElementsAre(kept));
}

TEST_F(History, a_label_changes_for_all_runs_of_a_job_that_has_ended) {
  JobSpec spec = a_job("a", "befor");
  spec.repeat = 2;
  const RunId run = store_job(spec);
  const RunId other = store_job(a_job("a", "after"));
  must(store->set_label(job_of(run), "before"));
  EXPECT_EQ(must(store->run(run)).spec.label, "before");
  EXPECT_EQ(must(store->run(run - 1)).spec.label, "before");
  EXPECT_EQ(must(store->run(other)).spec.label, "after");
  core::RunFilter filter;
  filter.label = "before";
  EXPECT_EQ(must(store->selected_runs(filter, {}, 10)).size(), 2U);
  EXPECT_EQ(store->set_label(999, "x").error().kind, ErrorKind::not_found);
  const JobId open = must(add_job(*store, a_job("a"), 0, kMorning)).id;
  EXPECT_EQ(store->set_label(open, "x").error().kind, ErrorKind::busy);
}

TEST_F(History, a_note_is_of_one_run_and_outlives_the_daemon) {
  JobSpec spec = a_job("a");
  spec.repeat = 2;
  const RunId run = store_job(spec);
  EXPECT_EQ(must(store->run(run)).note, "");
  must(store->set_note(run, "it's \"cable\" 2"));
  close();
  open();
  EXPECT_EQ(must(store->run(run)).note, "it's \"cable\" 2");
  EXPECT_EQ(must(store->runs({}, "", 1)).rows.front().note, "it's \"cable\" 2");
  EXPECT_EQ(must(store->run(run - 1)).note, "");
  must(store->set_note(run, ""));
  EXPECT_EQ(must(store->run(run)).note, "");
  EXPECT_EQ(store->set_note(999, "x").error().kind, ErrorKind::not_found);
  ASSERT_GT(must(store->begin_removal(job_of(run), core::RemovalBy::user)), 0U);
  EXPECT_EQ(store->set_note(run, "x").error().kind, ErrorKind::not_found) << "it is being removed";
}

}  // namespace
}  // namespace netperfd::store
