// SPDX-License-Identifier: GPL-2.0-or-later
// Damage that hides runs from a selection or from their job: of their rows, or of an index.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

class HiddenRuns : public StoreTest {
 protected:
  void SetUp() override { open(); }
  // What `change` does, the index does not follow.
  template <class Change>
  void without_index(const std::string& name, Change change) {
    close();
    const std::string is_it = fmt::format("type = 'index' AND name = '{}'", name);
    const std::string row = ask(path(), fmt::format("SELECT quote(type) || ',' || quote(name) || ',' || "
                                                    "quote(tbl_name) || ',' || rootpage || ',' || quote(sql) "
                                                    "FROM sqlite_schema WHERE {}",
                                                    is_it));
    damage(path(), "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE " + is_it);
    change();
    damage(path(), fmt::format("PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ({})", row));
    open();
  }
  static core::RunFilter finished() {
    core::RunFilter filter;
    filter.state = RunState::finished;
    return filter;
  }
};

// Whatever hides a damaged run: nobody learns that the newest ones are not those that were asked for.
TEST_F(HiddenRuns, are_missed_by_no_selection_of_the_newest) {
  std::vector<RunId> runs;
  for (int i = 0; i < 3; ++i) runs.push_back(store_job(a_job("veth-tcp", "before")));
  for (int i = 0; i < 5; ++i) store_job(a_job("veth-tcp", "before"), RunState::failed);
  core::RunFilter filter = finished();
  filter.label = "before";
  const auto newest = [&](const std::vector<core::RunRange>& ranges) {
    return store->selected_runs(filter, ranges, 1);
  };
  for (const char* change : {"state = 'failed'", "removing = 1"}) {
    SCOPED_TRACE(change);
    damage(path(), fmt::format("UPDATE runs SET {} WHERE id = {}", change, runs[1]));
    EXPECT_EQ(must(newest({})).at(0).id, runs[2]) << "an older run is of no interest";
    EXPECT_EQ(must(newest({{.first = 1, .last = 100}})).at(0).id, runs[2]);
    damage(path(), fmt::format("UPDATE runs SET state = 'finished', removing = 0 WHERE id = {}", runs[1]));
    damage(path(), fmt::format("UPDATE runs SET {} WHERE id = {}", change, runs[2]));
    EXPECT_FALSE(newest({}));
    EXPECT_FALSE(newest({{.first = 1, .last = 100}}));
    damage(path(), fmt::format("UPDATE runs SET state = 'finished', removing = 0 WHERE id = {}", runs[2]));
    EXPECT_TRUE(newest({})) << "it is as it was";
  }
}

// An index says what its table does not, as when bytes of it have changed on the disk.
TEST_F(HiddenRuns, of_a_damaged_index_are_missed_by_no_selection_by_name) {
  store_job(a_job("veth-tcp", "before"));
  store_job(a_job("veth-tcp", "other"));
  core::RunFilter by_scenario = finished(), by_label = finished();
  by_scenario.scenario = "veth-tcp";
  by_label.label = "before";
  struct Index {
    const char* name;
    const char* table;
    const char* change;
    const char* back;
    core::RunFilter filter;
  };
  for (const Index& index : {Index{"jobs_by_name", "jobs", "name = 'veth'", "name = 'veth-tcp'", by_scenario},
                             {"jobs_by_label", "jobs", "label = 'after'", "label = 'before'", by_label},
                             {"runs_by_job", "runs", "job = 2", "job = 1", by_label}}) {
    SCOPED_TRACE(index.name);
    const auto set = [&](const char* value) {
      damage(path(), fmt::format("UPDATE {} SET {} WHERE id = 1", index.table, value));
    };
    ASSERT_TRUE(store->selected_runs(index.filter, {}, 10));
    set(index.change);
    without_index(index.name, [&] { set(index.back); });
    const auto refused = store->selected_runs(index.filter, {}, 10);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("an index of runs or jobs is damaged"));
    damage(path(), fmt::format("REINDEX {}", index.name));
  }
}

TEST_F(HiddenRuns, of_a_damaged_index_are_missed_by_no_job) {
  JobSpec spec = a_job();
  spec.repeat = 3;
  store_job(a_job());
  const RunId last = store_job(spec);
  store_job(a_job());
  const JobId job = must(store->run(last)).job;
  for (const RunId hidden : {last - 2, last - 1, last}) {
    SCOPED_TRACE(hidden);
    EXPECT_TRUE(store->runs_of_job(job));
    const auto set = [&](JobId of) {
      damage(path(), fmt::format("UPDATE runs SET job = {} WHERE id = {}", of, hidden));
    };
    set(1);
    without_index("runs_by_job", [&] { set(job); });
    for (const JobId each : {JobId{1}, job}) {
      const auto refused = store->runs_of_job(each);
      ASSERT_FALSE(refused);
      EXPECT_THAT(refused.error().message, testing::HasSubstr("the index of its runs is damaged"));
    }
    EXPECT_TRUE(store->runs_of_job(job + 1));
    const auto listed = must(store->jobs({}, "", 0)).rows;
    EXPECT_EQ(listed[1].scenario, "(damaged)");
    EXPECT_EQ(listed[0].scenario, "veth-tcp");
    damage(path(), "REINDEX runs_by_job");
  }
}

TEST_F(HiddenRuns, of_a_job_whose_name_is_damaged_are_missed_by_no_selection_by_number) {
  const RunId run = store_job(a_job("veth-tcp", "before"));
  core::RunFilter filter = finished();
  filter.label = "before";
  EXPECT_TRUE(store->selected_runs(filter, {{.first = run, .last = run}}, 10));
  without_index("jobs_by_label", [&] { damage(path(), "UPDATE jobs SET label = 'after' WHERE id = 1"); });
  EXPECT_FALSE(store->selected_runs(filter, {{.first = run, .last = run}}, 10));
}

}  // namespace
}  // namespace netperfd::store
