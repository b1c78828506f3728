// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class UnfinishedJobs : public StoreTest {
 protected:
  UnfinishedJobs() { open(); }
};

JobSpec a_built_design() {
  JobSpec spec = a_job();
  spec.repeat = 2;
  spec.label = "overnight";
  spec.purpose = JobPurpose::selftest;
  spec.text = "name: built\n";
  spec.tied = true;
  spec.design.emplace();
  spec.design->a = Variant{.name = "list", .apply = {}, .verify = {}, .builds = {"l1", "l2"}};
  spec.design->b = Variant{.name = "hash", .apply = {}, .verify = {}, .builds = {"h1", "h2"}};
  spec.design->sweep = {{.key = "streams", .values = {"4", "16", "64"}}};
  spec.design->seed = 18'446'744'073'709'551'615U;
  return spec;
}

TEST_F(UnfinishedJobs, come_back_as_they_were_accepted) {
  const JobSpec spec = a_built_design();
  const auto slots = draw_slots(spec, *spec.design->seed);
  const auto job = must(store->add_job(spec, slots, 1234, kMorning));
  const auto found = must(store->unfinished_jobs());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().id, job.id);
  EXPECT_EQ(found.front().owner, 1234U);
  EXPECT_TRUE(found.front().tied);
  EXPECT_EQ(found.front().text, "name: built\n");
  EXPECT_EQ(found.front().options.label, "overnight");
  EXPECT_EQ(found.front().options.repeat, 2U);
  EXPECT_EQ(found.front().options.purpose, JobPurpose::selftest);
  EXPECT_EQ(found.front().seed, 18'446'744'073'709'551'615U);
  ASSERT_EQ(found.front().runs.size(), slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const core::StoredRun& run = found.front().runs[i];
    EXPECT_EQ(run.id, job.runs[i]);
    EXPECT_EQ(run.index, i + 1);
    EXPECT_EQ(run.state, RunState::pending);
    EXPECT_EQ(run.build, spec.design->build_name(slots[i].variant, slots[i].build));
    EXPECT_EQ(run.point_name, spec.design->point_name(slots[i].point));
    Slot without_build = slots[i];
    without_build.build = 0;
    EXPECT_EQ(run.slot, without_build);
  }
}

TEST_F(UnfinishedJobs, keep_their_pending_runs_over_a_restart_and_lose_the_one_under_way) {
  JobSpec spec = a_job();
  spec.repeat = 3;
  const auto job = must(add_job(*store, spec, 0, kMorning));
  must(store->set_state(job.runs[0], RunState::preparing));
  must(store->set_state(job.runs[0], RunState::running));
  close();
  open();
  EXPECT_EQ(store->interrupted_runs(), 1U);
  const auto found = must(store->unfinished_jobs());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found.front().tied);
  EXPECT_FALSE(found.front().seed);
  EXPECT_EQ(found.front().runs[0].state, RunState::interrupted);
  EXPECT_EQ(found.front().runs[0].error, "netperfd ended while this run was running.");
  EXPECT_EQ(found.front().runs[1].state, RunState::pending);
}

TEST_F(UnfinishedJobs, are_not_those_without_a_pending_run) {
  const auto job = must(add_job(*store, a_job(), 0, kMorning));
  must(store->cancel_pending(job.id, "stopped"));
  EXPECT_THAT(must(store->unfinished_jobs()), IsEmpty());
}

TEST_F(UnfinishedJobs, of_which_a_row_is_damaged_say_so_and_leave_the_others_as_they_were) {
  const JobSpec spec = a_built_design();
  const auto slots = draw_slots(spec, *spec.design->seed);
  for (int i = 0; i < 2; ++i) {
    const auto job = must(store->add_job(spec, slots, 1234, kMorning));
    must(store->set_budget(job.id, {.budget = {.asked = 0.1, .predicted = {}, .window_s = {}, .failure = {}},
                                    .functions = {{.function = "xmit"}}}));
  }
  struct Damage {
    const char* table;
    const char* change;
    const char* back;
  };
  for (const Damage& each : {Damage{"jobs", "owner_uid = 0", "owner_uid = 1234"},
                             {"jobs", "tied = 0", "tied = 1"},
                             {"jobs", "held = 1", "held = 0"},
                             {"jobs", "text = 'name: forged'", "text = 'name: built' || char(10)"},
                             {"jobs", "label = 'day'", "label = 'overnight'"},
                             {"jobs", "repeat = 9", "repeat = 2"},
                             {"jobs", "purpose = 'measurement'", "purpose = 'selftest'"},
                             {"jobs", "seed = '7'", "seed = '18446744073709551615'"},
                             {"budgets", "asked = 0.9", "asked = 0.1"},
                             {"budget_functions", "function = 'recv'", "function = 'xmit'"}}) {
    SCOPED_TRACE(fmt::format("{}: {}", each.table, each.change));
    const auto set = [&](const char* value) {
      damage(path(), fmt::format("UPDATE {0} SET {1} WHERE {2} = 1", each.table, value,
                                 each.table == std::string_view{"jobs"} ? "id" : "job"));
    };
    set(each.change);
    const auto found = must(store->unfinished_jobs());
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].id, 1);
    EXPECT_THAT(found[0].damage, HasSubstr(fmt::format("job 1: table {} is damaged", each.table)));
    EXPECT_EQ(found[0].text, "");
    EXPECT_EQ(found[1].damage, "");
    EXPECT_EQ(found[1].owner, 1234U);
    EXPECT_TRUE(found[1].budget);
    set(each.back);
    EXPECT_EQ(must(store->unfinished_jobs())[0].damage, "") << "it is as it was";
  }
}

TEST_F(UnfinishedJobs, with_a_damaged_run_or_of_which_only_runs_are_left_say_so) {
  const RunId run = must(add_job(*store, a_job(), 0, kMorning)).runs[0];
  must(add_job(*store, a_job(), 0, kMorning));
  damage(path(),
         fmt::format("UPDATE runs SET variant = 'B' WHERE id = {}; DELETE FROM jobs WHERE id = 2", run));
  const auto found = must(store->unfinished_jobs());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].damage, HasSubstr("run 1: table runs is damaged"));
  EXPECT_THAT(found[1].damage, HasSubstr("job 2: table "));
  for (const auto& job : found) must(store->cancel_pending(job.id, job.damage));
  EXPECT_THAT(must(store->unfinished_jobs()), IsEmpty());
  EXPECT_THAT(must(store->check_store()).damaged_runs, testing::Contains(run)) << "it stays known";
}

}  // namespace
}  // namespace netperfd::store
