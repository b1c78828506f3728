// SPDX-License-Identifier: GPL-2.0-or-later
// Listings, their filters and pages, and their cost.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/store/job_listing.hpp"
#include "daemon/store/run_listing.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Sets a part of a filter.
using Set = std::function<void(core::RunFilter&)>;
Set job(JobId id) {
  return [id](core::RunFilter& filter) { filter.job = id; };
}
Set scenario(const std::string& name) {
  return [name](core::RunFilter& filter) { filter.scenario = name; };
}
Set label(const std::string& text) {
  return [text](core::RunFilter& filter) { filter.label = text; };
}
Set state(RunState value) {
  return [value](core::RunFilter& filter) { filter.state = value; };
}
Set since(WallTime time) {
  return [time](core::RunFilter& filter) { filter.since = time; };
}
Set until(WallTime time) {
  return [time](core::RunFilter& filter) { filter.until = time; };
}

Set purpose(JobPurpose value) {
  return [value](core::RunFilter& filter) { filter.purpose = value; };
}
Set variant(const std::string& name) {
  return [name](core::RunFilter& filter) { filter.variant = name; };
}
Set owner(uid_t uid) {
  return [uid](core::RunFilter& filter) { filter.owner = uid; };
}
Set traced(bool value) {
  return [value](core::RunFilter& filter) { filter.traced = value; };
}

core::RunFilter filter_of(const std::vector<Set>& parts) {
  core::RunFilter filter;
  for (const auto& set : parts) set(filter);
  return filter;
}

class RunQueries : public StoreTest {
 protected:
  RunQueries() { open(); }

  std::vector<RunId> list(const std::vector<Set>& parts, std::uint32_t page_size = 0) {
    const auto filter = filter_of(parts);
    std::vector<RunId> ids;
    std::string cursor;
    do {
      const auto page = must(store->runs(filter, cursor, page_size));
      for (const auto& row : page.rows) ids.push_back(row.id);
      cursor = page.next;
    } while (!cursor.empty());
    return ids;
  }

  // SQLite's query plan, one line per step.
  std::string plan(const core::RunFilter& filter) {
    auto connection = must(Connection::open(path(), SQLITE_OPEN_READONLY));
    const auto listing = list_runs(filter, 1000, 100);
    auto explain = must(connection.prepare("EXPLAIN QUERY PLAN " + listing.sql));
    explain.bind(listing.parameters);
    std::string steps;
    while (must(explain.step())) {
      std::int64_t number = 0;
      std::string step;
      must(explain.read(number, number, number, step));
      steps += step + "\n";
    }
    return steps;
  }
};

TEST_F(RunQueries, lists_the_newest_first) {
  auto spec = a_job();
  spec.repeat = 2;
  store_job(spec);
  store_job(spec);
  EXPECT_THAT(list({}), ElementsAre(4, 3, 2, 1));
}

TEST_F(RunQueries, lists_runs_that_have_not_ended) {
  must(add_job(*store, a_job(), 0, kMorning));
  EXPECT_THAT(list({state(RunState::pending)}), ElementsAre(1));
}

TEST_F(RunQueries, filters_by_each_property_and_by_several) {
  using std::chrono::hours;
  store_job(a_job("veth-tcp", "before"));
  store_job(a_job("veth-tcp", "after"), RunState::failed, kMorning + hours{1});
  store_job(a_job("hsr-ring", "before"), RunState::finished, kMorning + hours{2});
  store_job(a_job("veth-tcp", "before"), RunState::canceled, kMorning + hours{3});

  EXPECT_THAT(list({job(2)}), ElementsAre(2));
  EXPECT_THAT(list({scenario("veth-tcp")}), ElementsAre(4, 2, 1));
  EXPECT_THAT(list({label("before")}), ElementsAre(4, 3, 1));
  EXPECT_THAT(list({state(RunState::finished)}), ElementsAre(3, 1));
  EXPECT_THAT(list({since(kMorning + hours{1})}), ElementsAre(4, 3, 2)) << "since is inclusive";
  EXPECT_THAT(list({until(kMorning + hours{2})}), ElementsAre(2, 1)) << "until is exclusive";
  EXPECT_THAT(list({since(kMorning + hours{1}), until(kMorning + hours{3})}), ElementsAre(3, 2));
  EXPECT_THAT(list({scenario("veth-tcp"), label("before")}), ElementsAre(4, 1));
  EXPECT_THAT(list({scenario("veth-tcp"), state(RunState::failed), since(kMorning)}), ElementsAre(2));
  EXPECT_THAT(list({job(1), label("after")}), IsEmpty());
  EXPECT_THAT(list({scenario("veth-%")}), IsEmpty());
}

TEST_F(RunQueries, lists_by_number_where_the_clock_was_set_back) {
  store_job(a_job(), RunState::finished, kMorning + std::chrono::hours{1});
  store_job(a_job(), RunState::finished, kMorning);
  EXPECT_THAT(list({since(kMorning)}, 1), ElementsAre(2, 1));
}

TEST_F(RunQueries, find_the_runs_of_a_time_among_numbers_of_other_times) {
  using std::chrono::hours;
  for (const int hour : {5, 1, 4, 2, 3, 9}) store_job(a_job(), RunState::finished, kMorning + hours{hour});
  EXPECT_THAT(list({since(kMorning + hours{2}), until(kMorning + hours{4})}), ElementsAre(5, 4));
  EXPECT_THAT(list({since(kMorning + hours{4})}, 1), ElementsAre(6, 3, 1));
  EXPECT_THAT(list({until(kMorning + hours{3})}, 1), ElementsAre(4, 2));
  EXPECT_THAT(list({since(kMorning + hours{6}), until(kMorning + hours{8})}), IsEmpty());
}

TEST_F(RunQueries, pages_hold_every_run_once_whatever_the_filter) {
  for (int i = 0; i < 4; ++i) {
    auto spec = a_job(i % 2 == 0 ? "even" : "odd", "x");
    spec.repeat = 3;
    store_job(spec);
  }
  const auto all = ElementsAre(12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
  for (const std::uint32_t size : {1U, 2U, 5U, 11U, 12U, 13U}) {
    EXPECT_THAT(list({}, size), all) << size;
    EXPECT_THAT(list({label("x")}, size), all) << size;
    EXPECT_THAT(list({state(RunState::finished)}, size), all) << size;
    EXPECT_THAT(list({since(kMorning)}, size), all) << size;
    EXPECT_THAT(list({scenario("odd")}, size), ElementsAre(12, 11, 10, 6, 5, 4)) << size;
    EXPECT_THAT(list({job(2)}, size), ElementsAre(6, 5, 4)) << size;
  }
}

TEST_F(RunQueries, a_page_follows_though_its_cursors_run_was_removed) {
  auto spec = a_job();
  spec.repeat = 4;
  store_job(spec);
  const auto first = must(store->runs(filter_of({scenario(spec.name)}), "", 2));
  must(store->remove(first.rows.back().id));
  const auto second = must(store->runs(filter_of({scenario(spec.name)}), first.next, 2));
  ASSERT_EQ(second.rows.size(), 2U);
  EXPECT_EQ(second.rows[0].id, 2);
  EXPECT_EQ(second.next, "");
}

TEST_F(RunQueries, caps_the_rows_of_a_page) {
  auto spec = a_job();
  spec.repeat = 501;
  const auto job = must(add_job(*store, spec, 0, kMorning));
  for (const std::uint32_t limit : {0U, 501U, 4'000'000'000U}) {
    EXPECT_EQ(must(store->runs({}, "", limit)).rows.size(), 500U);
  }
  EXPECT_EQ(must(store->runs_of_job(job.id)).size(), 501U);

  bring_to_collecting(*store, job.runs[0]);
  must(store->finish(a_record(job.runs[0], 4, 4001)));
  auto page = must(store->intervals(job.runs[0], "", 0));
  EXPECT_EQ(page.rows.size(), 2000U);
  page = must(store->intervals(job.runs[0], page.next, 9999));
  EXPECT_EQ(page.rows.size(), 2000U);
  page = must(store->intervals(job.runs[0], page.next, 2000));
  EXPECT_EQ(page.rows.size(), 1U);
  EXPECT_EQ(page.next, "");
}

TEST_F(RunQueries, refuses_a_cursor_that_it_did_not_give) {
  const auto run = store_job(a_job());
  for (const auto* cursor :
       {"r", "7", "r7x", "r-7", "r 7", "i7", "r99999999999999999999", "; DROP TABLE runs"}) {
    const auto refused = store->runs({}, cursor, 0);
    ASSERT_FALSE(refused) << cursor;
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument) << cursor;
  }
  const auto refused = store->intervals(run, "r7", 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument);
}

TEST_F(RunQueries, knows_run_0_as_the_newest_that_has_ended) {
  const auto none = store->run(0);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::not_found);
  store_job(a_job());
  const auto newest = store_job(a_job(), RunState::failed);
  must(add_job(*store, a_job(), 0, kMorning));
  run_under_way(a_job());
  EXPECT_EQ(must(store->run(0)).id, newest);
}

TEST_F(RunQueries, says_what_is_unknown) {
  for (const auto kind :
       {store->run(7).error().kind, store->streams(7).error().kind, store->intervals(7, "", 0).error().kind,
        store->document(7, "client.stdout").error().kind, store->runs_of_job(7).error().kind}) {
    EXPECT_EQ(kind, ErrorKind::not_found);
  }
}

// A list that finds nothing would look at every run or job if it went by number, or by a part of what is
// asked. An index of all of it has no row to look at.
TEST_F(RunQueries, that_find_nothing_look_at_no_row) {
  const std::vector<std::pair<std::vector<Set>, std::string>> searches{
      {{traced(true)}, "runs_by_traced (traced=? AND rowid<?)"},
      {{traced(false), purpose(JobPurpose::measurement)}, "runs_by_traced (traced=? AND rowid<?)"},
      {{state(RunState::failed)}, "runs_by_state (state=? AND rowid<?)"},
      {{traced(true), state(RunState::failed)},
       "runs_by_traced_and_state (traced=? AND state=? AND rowid<?)"},
      {{job(7), traced(true)}, "runs_by_job (job=? AND rowid<?)"},
      {{owner(1234)}, "jobs_by_owner (owner_uid=? AND rowid<?)"},
      {{scenario("a"), label("b")}, "jobs_by_name_and_label (name=? AND label=? AND rowid<?)"},
  };
  for (const auto& [parts, search] : searches) {
    EXPECT_THAT(plan(filter_of(parts)), HasSubstr(search));
  }
}

// Steps of SQLite's machine to list jobs.
std::int64_t steps_to_list(Connection& connection, const core::RunFilter& filter) {
  std::int64_t steps = 0;
  const auto count = [](void* counter) { return ++*static_cast<std::int64_t*>(counter), 0; };
  sqlite3_progress_handler(connection.raw(), 1, count, &steps);
  const auto page = must(read_jobs(connection, filter, "", 0));
  sqlite3_progress_handler(connection.raw(), 0, nullptr, nullptr);
  EXPECT_THAT(page.rows, IsEmpty());
  return steps;
}

TEST_F(RunQueries, of_jobs_that_find_nothing_look_at_no_job) {
  const std::vector<std::vector<Set>> searches{
      {scenario("none")}, {label("none")}, {owner(1234)}, {scenario("veth-tcp"), label("none")}};
  std::vector<std::int64_t> steps;
  for (const int jobs : {2, 40}) {
    for (int i = 0; i < jobs; ++i) store_job(a_job("veth-tcp", "before"));
    auto connection = must(Connection::open(path(), SQLITE_OPEN_READONLY));
    for (const auto& parts : searches) steps.push_back(steps_to_list(connection, filter_of(parts)));
  }
  for (std::size_t i = 0; i < searches.size(); ++i) EXPECT_EQ(steps[i], steps[i + searches.size()]) << i;
}

TEST_F(RunQueries, use_an_index_for_every_filter) {
  const std::vector<std::vector<Set>> filters{
      {},
      {job(1)},
      {scenario("a")},
      {label("a")},
      {state(RunState::finished)},
      {scenario("a"), label("b")},
      {scenario("a"), state(RunState::finished)},
      {label("a"), since(kMorning)},
      {since(kMorning)},
      {until(kMorning)},
      {state(RunState::finished), since(kMorning), until(kMorning)},
      {state(RunState::finished), purpose(JobPurpose::measurement)},
      {state(RunState::finished), purpose(JobPurpose::measurement), traced(false)},
      {variant("a"), purpose(JobPurpose::measurement)},
      {variant("a"), scenario("b")},
      {scenario("a"), purpose(JobPurpose::selftest)},
  };
  for (const auto& parts : filters) {
    const auto filter = filter_of(parts);
    const auto steps = plan(filter);
    EXPECT_THAT(steps, HasSubstr("SEARCH"));
    EXPECT_THAT(steps, Not(HasSubstr("SCAN")));
    EXPECT_THAT(steps, Not(HasSubstr("TEMP B-TREE"))) << "sorts all that fits, however few rows a page has";
    // To find the numbers of the jobs of a time reads no job.
    if ((filter.since || filter.until) && !filter.scenario && !filter.label) {
      EXPECT_THAT(steps, HasSubstr("COVERING INDEX jobs_by_created_us"));
    }
  }
}

TEST_F(RunQueries, views_show_a_run_and_its_intervals_to_people) {
  const auto run = run_under_way(a_job("veth-tcp", "before"));
  must(store->finish(a_record(run)));
  EXPECT_EQ(ask(path(),
                "SELECT concat_of FROM (SELECT scenario || ' ' || label || ' ' || state || ' ' || "
                "received_mbit_s || ' ' || "
                "sent_mbit_s || ' ' || retransmits || ' ' || flags AS concat_of FROM run_overview)"),
            "veth-tcp before finished 31842.12 31857.58 17 sum-mismatch");
  EXPECT_EQ(ask(path(),
                "SELECT started = strftime('%Y-%m-%d %H:%M:%S', 1750000001, 'unixepoch', 'localtime') FROM "
                "run_overview"),
            "1");
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM interval_overview WHERE stream = 'sum'"), "10");
  EXPECT_EQ(
      ask(path(), "SELECT omitted || ' ' || counted_by || ' ' || mbit_s FROM interval_overview LIMIT 1"),
      "yes sender 7964.59");
}

}  // namespace
}  // namespace netperfd::store
