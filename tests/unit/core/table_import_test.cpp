// SPDX-License-Identifier: GPL-2.0-or-later
// What is stored of a table of numbers.
#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/core/importer_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class TableImport : public ImporterTest {
 protected:
  // A run on a side, "a" or "b", with a figure.
  static ImportedWorkload numbers(const std::string& side, double value, std::uint32_t block = 0,
                                  const std::string& point = "") {
    ImportedWorkload run;
    run.tool = "table";
    if (!point.empty()) run.facts = {{.group = "table", .key = "point", .value = point}};
    run.figures = {{.name = "rate", .unit = "Mbit/s", .better = Better::higher, .value = value}};
    run.place = TablePlace{.point = point, .side = side, .is_b = side == "b", .block = block};
    return run;
  }
  static ImportedFile table_of(std::vector<ImportedWorkload> runs) {
    ImportedFile file;
    file.sha256 = std::string(64, 'a');
    for (ImportedWorkload& run : runs) {
      const std::string raw = "lines of " + run.place->side;
      if (!file.workload) {
        file.workload = std::move(run);
        file.raw = raw;
      } else {
        file.more.push_back({.workload = std::move(run), .raw = raw});
      }
    }
    return file;
  }
  // All runs in their order, once they are stored.
  std::vector<NewRun> imported(ImportedFile table, ImportRequest request = {}) {
    held.clear();
    const std::size_t before = results.size();
    EXPECT_TRUE(begin(one(open_file(kAnyFile, O_RDONLY), "table.csv"), std::move(request)));
    files.last().end(std::move(table));
    for (int turn = 0; turn < 20 && results.size() == before; ++turn) clock.turn();
    if (results.size() == before || !results.back()) throw std::runtime_error("not imported");
    std::vector<NewRun> runs{{.job = results.back()->job, .run = results.back()->run}};
    runs.insert(runs.end(), results.back()->more.begin(), results.back()->more.end());
    return runs;
  }
  const FakeStore::Job& job_of(const NewRun& run) { return run_store.jobs.at(run.job); }
};

TEST_F(TableImport, without_blocks_is_a_job_with_two_sides) {
  const auto runs = imported(table_of({numbers("a", 1), numbers("a", 2), numbers("b", 3)}),
                             {.name = "letter", .label = "v2", .owner = 7});
  ASSERT_THAT(runs, SizeIs(3));
  EXPECT_THAT(run_store.jobs, SizeIs(1));
  const FakeStore::Job& job = job_of(runs.front());
  EXPECT_EQ(job.owner, 7U);
  EXPECT_EQ(job.spec.name, "letter");
  EXPECT_EQ(job.spec.label, "v2");
  EXPECT_EQ(job.spec.workload.name, "table");
  EXPECT_EQ(job.spec.repeat, 3U);
  ASSERT_TRUE(job.spec.design);
  ASSERT_TRUE(job.spec.design->has_variants());
  EXPECT_EQ(job.spec.design->a->name, "a");
  EXPECT_EQ(job.spec.design->b->name, "b");
  EXPECT_TRUE(job.spec.design->seed) << "the store needs one";
  EXPECT_THAT(job.spec.figures, ElementsAre(FigureChoice{.figure = {.name = "rate"}}));
  Slot a{.block = 0, .letter = 0, .variant = 'A', .build = 0, .traced = false};
  Slot b = a;
  b.variant = 'B';
  EXPECT_THAT(job.slots, ElementsAre(a, a, b));
}

TEST_F(TableImport, keeps_of_each_run_its_figures_its_lines_and_the_file) {
  const auto runs = imported(table_of({numbers("a", 1), numbers("b", 3)}));
  const auto& stored = run_store.runs.at(runs.at(1).run);
  EXPECT_EQ(stored.states.back(), RunState::finished);
  const RunRecord& record = stored.record.value();
  EXPECT_EQ(record.figures.front().value, 3);
  EXPECT_EQ(record.files.front().name, "table.csv");
  EXPECT_EQ(record.files.front().sha256, std::string(64, 'a'));
  ASSERT_THAT(record.workload.documents, SizeIs(1));
  EXPECT_EQ(record.workload.documents.front().name, "import.1");
  EXPECT_EQ(record.workload.documents.front().bytes, "lines of b");
  EXPECT_THAT(codes_of(record), ElementsAre("imported", "further-run"));
  EXPECT_THAT(record.flags.back().message, HasSubstr("has the numbers of 2 runs, and this is number 2"));
  EXPECT_THAT(codes_of(run_store.runs.at(runs.front().run).record.value()),
              ElementsAre("imported", "several-runs"));
}

TEST_F(TableImport, in_blocks_numbers_the_letters_of_each) {
  const auto runs = imported(table_of({numbers("a", 1, 1), numbers("b", 2, 1), numbers("b", 3, 1),
                                       numbers("a", 4, 1), numbers("b", 5, 2), numbers("a", 6, 2)}));
  const FakeStore::Job& job = job_of(runs.front());
  EXPECT_EQ(job.spec.repeat, 2U) << "blocks";
  std::vector<std::string> slots;
  for (const Slot& slot : job.slots)
    slots.push_back(fmt::format("{}.{}{}", slot.block, slot.letter, slot.variant));
  EXPECT_THAT(slots, ElementsAre("1.1A", "1.2B", "1.3B", "1.4A", "2.1B", "2.2A"));
}

TEST_F(TableImport, has_a_job_with_a_label_for_each_point) {
  const auto runs = imported(table_of({numbers("a", 1, 0, "64B"), numbers("b", 2, 0, "64B"),
                                       numbers("a", 3, 0, "1500B"), numbers("b", 4, 0, "1500B")}),
                             {.name = "import", .label = "v2", .owner = 0});
  ASSERT_THAT(runs, SizeIs(4));
  EXPECT_EQ(runs[0].job, runs[1].job);
  EXPECT_EQ(runs[2].job, runs[3].job);
  EXPECT_NE(runs[0].job, runs[2].job);
  EXPECT_EQ(job_of(runs[0]).spec.label, "v2 64B");
  EXPECT_EQ(job_of(runs[2]).spec.label, "v2 1500B");
  EXPECT_EQ(job_of(runs[2]).spec.description, "imported from table.csv, point 1500B");
  const auto& fingerprint = run_store.runs.at(runs[3].run).record->fingerprint;
  ASSERT_TRUE(fingerprint);
  EXPECT_THAT(fingerprint->facts, Contains(Fact{"table", "point", "1500B"}));
  const auto unlabelled = imported(table_of({numbers("a", 1, 0, "64B"), numbers("b", 2, 0, "64B")}));
  EXPECT_EQ(job_of(unlabelled[0]).spec.label, "64B");
  const auto long_label = imported(table_of({numbers("a", 1, 0, "64B"), numbers("b", 2, 0, "64B")}),
                                   {.name = "import", .label = std::string(64, 'x'), .owner = 0});
  EXPECT_EQ(job_of(long_label[0]).spec.label, std::string(64, 'x'));
}

TEST_F(TableImport, judges_the_figures_of_all_runs_but_eight_at_most) {
  std::vector<ImportedWorkload> table{numbers("a", 1), numbers("b", 2)};
  for (int i = 0; i < 9; ++i) {
    NamedFigure figure = table[1].figures.front();
    figure.name = fmt::format("f{}", i);
    table[1].figures.push_back(figure);
  }
  const auto runs = imported(table_of(std::move(table)));
  const auto& figures = job_of(runs.front()).spec.figures;
  ASSERT_THAT(figures, SizeIs(kMostFigures));
  EXPECT_EQ(figures.front().figure.name, "rate");
  EXPECT_EQ(figures.back().figure.name, "f6");
}

TEST_F(TableImport, that_is_refused_stores_nothing) {
  ASSERT_TRUE(begin());
  files.last().end(fail(ErrorKind::invalid_argument, "line 3: column value: expected is a number"));
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results.front().error().message, "file: line 3: column value: expected is a number");
  EXPECT_THAT(run_store.jobs, IsEmpty());
}

}  // namespace
}  // namespace netperfd::core
