// SPDX-License-Identifier: GPL-2.0-or-later
// Figures that a workload or a scenario brings, and workloads that this netperfd does not know.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/unit/store/stored_bundle.hpp"

namespace netperfd::store {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const NamedFigure kCalls{.name = "calls", .unit = "per second", .better = Better::higher, .value = 811.5};
const NamedFigure kDelay{.name = "delay.p99", .unit = "", .better = Better::lower, .value = -0.25};

class NamedFigures : public StoreTest {
 protected:
  NamedFigures() { open(); }

  Status finish(RunId run, std::vector<NamedFigure> figures) {
    RunRecord record = a_record(run, 1, 2);
    record.figures = std::move(figures);
    return store->finish(record);
  }
  RunId stored(std::vector<NamedFigure> figures) {
    const RunId run = run_under_way(a_job());
    must(finish(run, std::move(figures)));
    return run;
  }
};

TEST_F(NamedFigures, have_a_column_each_and_come_back_by_name) {
  const RunId run = stored({kDelay, kCalls});
  const auto of = [&](const char* column, const char* name) {
    return ask(path(),
               fmt::format("SELECT {} FROM run_figures WHERE run = {} AND name = '{}'", column, run, name));
  };
  EXPECT_EQ(of("unit", "calls"), "per second");
  EXPECT_EQ(of("better", "calls"), "higher");
  EXPECT_EQ(of("value", "calls"), "811.5");
  EXPECT_EQ(of("unit", "delay.p99"), "");
  EXPECT_EQ(of("better", "delay.p99"), "lower");
  EXPECT_EQ(of("value", "delay.p99"), "-0.25");
  EXPECT_THAT(must(store->named_figures(run)), ElementsAre(kCalls, kDelay));
  EXPECT_THAT(must(store->named_figures(stored({}))), IsEmpty());
  EXPECT_EQ(store->named_figures(99).error().kind, ErrorKind::not_found);
}

TEST_F(NamedFigures, that_the_job_judges_come_first_in_its_order) {
  JobSpec job = a_job();
  job.figures = {{.figure = {.name = "z"}}, {.figure = {.name = "m"}}};
  const RunId run = run_under_way(job);
  std::vector<NamedFigure> figures;
  for (const char* name : {"a", "m", "z", "b"})
    figures.push_back({.name = name, .unit = "s", .better = Better::lower, .value = 1});
  must(finish(run, figures));
  std::vector<std::string> names;
  for (const NamedFigure& figure : must(store->named_figures(run))) names.push_back(figure.name);
  EXPECT_THAT(names, ElementsAre("z", "m", "a", "b"));
  EXPECT_EQ(must(store->run(run)).figure, figures[2]);
  EXPECT_EQ(must(store->run(stored({kDelay}))).figure, std::nullopt);
}

TEST_F(NamedFigures, are_refused_with_the_record_that_has_them_if_they_are_none) {
  const RunId run = run_under_way(a_job());
  const auto refusal = [&](const std::vector<NamedFigure>& figures) {
    const Status refused = finish(run, figures);
    return refused ? "they were stored" : refused.error().message;
  };
  const auto with = [](auto change) {
    NamedFigure figure = kCalls;
    change(figure);
    return std::vector{figure};
  };
  const std::vector<std::string> names{"",   "two words", "9lives", "latency.p99",       "received",
                                       "-o", "n\u00e9",   "a\nb",   std::string(65, 'a')};
  for (const std::string& name : names)
    EXPECT_THAT(refusal(with([&](NamedFigure& it) { it.name = name; })), HasSubstr("the name of a figure"))
        << name;
  const std::vector<std::string> units{"a\nb", "\u202e", std::string(33, 'a')};
  for (const std::string& unit : units)
    EXPECT_THAT(refusal(with([&](NamedFigure& it) { it.unit = unit; })),
                HasSubstr("the unit of the figure calls"));
  for (const double value :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(refusal(with([&](NamedFigure& it) { it.value = value; })), HasSubstr("a finite number"));
  EXPECT_THAT(refusal({kCalls, kCalls}), HasSubstr("calls is there twice"));
  std::vector<NamedFigure> many;
  for (int i = 0; i < 65; ++i) many.push_back({.name = fmt::format("f{}", i), .unit = "", .value = 1});
  EXPECT_THAT(refusal(many), AllOf(HasSubstr("65 figures"), HasSubstr("at most 64")));
  many.pop_back();
  EXPECT_EQ(refusal(many), "they were stored") << "and the run has not ended before";
}

TEST_F(NamedFigures, are_among_what_a_comparison_reads) {
  const RunId with = stored({kCalls, kDelay});
  auto compared = must(store->compared_runs({with, stored({})}, core::ComparedParts::all));
  must(store->read_figures({Figure{}}, compared));
  EXPECT_THAT(compared[0].own_figures, ElementsAre(kCalls, kDelay));
  EXPECT_THAT(compared[1].own_figures, IsEmpty());
  damage(path(), "UPDATE run_figures SET unit = 'per hour'");
  EXPECT_FALSE(store->read_figures({Figure{}}, compared));
}

TEST_F(NamedFigures, go_with_their_run) {
  const RunId run = stored({kCalls});
  must(store->remove(run));
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM run_figures"), "0");
}

TEST_F(NamedFigures, that_changed_on_the_disk_are_damaged) {
  const RunId run = stored({kCalls});
  damage(path(), "UPDATE run_figures SET value = 811.25");
  const auto damaged = store->named_figures(run);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().kind, ErrorKind::io);
  EXPECT_THAT(must(store->check_store()).problems,
              ElementsAre(HasSubstr(fmt::format("run {}: table run_figures is not as it was stored", run))));
}

// ---- In bundles

class NamedFiguresInBundles : public BundleStore {};

TEST_F(NamedFiguresInBundles, are_there_for_the_importer) {
  must(other_->add_bundle(content(), kImporter, "flag", kLater));
  EXPECT_THAT(must(store->named_figures(kMeasured)), testing::SizeIs(2));
  EXPECT_EQ(must(other_->named_figures(kMeasured)), must(store->named_figures(kMeasured)));
}

// Each value has its rule in bundle_rules_test.cpp; their number has none.
TEST_F(NamedFiguresInBundles, are_no_more_than_a_run_may_have) {
  EXPECT_EQ(refusal([](StoredTables& content) {
              StoredTable& table = table_in(content, "run_figures");
              ASSERT_THAT(table.columns, ElementsAre("run", "name", "unit", "better", "value"));
              table.values.clear();
              for (int i = 0; i < 65; ++i) {
                table.add(std::int64_t{kMeasured});
                table.add(fmt::format("f{}", i));
                table.add(std::string{});
                table.add(std::string{"higher"});
                table.add(1.5);
              }
            }),
            "table run_figures: a run has 65 figures; at most 64 are stored");
}

TEST_F(NamedFiguresInBundles, of_a_workload_that_nobody_here_knows_are_imported_with_its_word) {
  EXPECT_THAT(refusal([](StoredTables& it) { set_first(it, "jobs", "workload", std::string{"tele port"}); }),
              HasSubstr("column workload: expected is a word"));
  StoredTables changed = content();
  set_first(changed, "jobs", "workload", std::string{"teleport"});
  const auto jobs = must(other_->add_bundle(changed, kImporter, "flag", kLater));
  EXPECT_EQ(must(other_->run(jobs[0].runs[0])).spec.workload.name, "teleport");
}

// ---- A word that only a later netperfd knows

TEST_F(NamedFigures, of_an_unknown_workload_are_those_of_a_run_that_can_be_read_and_removed) {
  const RunId run = stored({kCalls});
  const RunId known = stored({});
  forge(path(), fmt::format("UPDATE jobs SET workload = 'teleport', protocol = NULL, direction = NULL, "
                            "server = NULL WHERE id = (SELECT job FROM runs WHERE id = {})",
                            run));
  const core::RunRow row = must(store->run(run));
  EXPECT_EQ(row.spec.workload.name, "teleport");
  EXPECT_FALSE(row.spec.workload.makes_traffic || row.spec.workload.measures_path)
      << "nothing of iperf3 is said of it";
  EXPECT_EQ(row.spec.test.path.server, "");
  EXPECT_FALSE(row.spec.test.traffic.duration);
  EXPECT_EQ(must(store->run(known)).spec.workload.name, "iperf3");
  EXPECT_THAT(must(store->named_figures(run)), ElementsAre(kCalls));
  EXPECT_THAT(must(store->runs({}, "", 0)).rows, testing::SizeIs(2));
  EXPECT_THAT(must(store->check_store()).problems, IsEmpty());
  must(store->remove(run));
}

TEST_F(NamedFigures, with_an_unknown_word_for_what_is_better_cannot_be_read) {
  const RunId run = stored({kCalls});
  forge(path(), "PRAGMA ignore_check_constraints = ON; UPDATE run_figures SET better = 'sideways'");
  const auto read = store->named_figures(run);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("\"sideways\" is none of its words"));
}

}  // namespace
}  // namespace netperfd::store
