// SPDX-License-Identifier: GPL-2.0-or-later
// Imports of documents with so many intervals that they are stored in parts.
#include <gtest/gtest.h>

#include "daemon/core/record_storing.hpp"
#include "tests/unit/core/importer_fixture.hpp"

namespace netperfd::core {
namespace {

using LongImport = ImporterTest;

ImportedFile a_long_document() {
  ImportedFile file = a_document();
  file.workload->report.intervals.resize(RecordStoring::kIntervalsOfPart * 3);
  return file;
}

TEST_F(LongImport, stores_a_long_document_in_parts_and_tells_of_it_at_the_end) {
  ASSERT_TRUE(begin());
  files.last().end(a_long_document());
  EXPECT_TRUE(results.empty());
  clock.turn();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(record_of(results.front()).workload.report.intervals.size(), RecordStoring::kIntervalsOfPart * 3);
  EXPECT_EQ(run_store.runs.begin()->second.added.size(), RecordStoring::kIntervalsOfPart * 3);
}

TEST_F(LongImport, stores_the_rest_of_a_long_document_whose_caller_went_away) {
  ASSERT_TRUE(begin());
  files.last().end(a_long_document());
  held.clear();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(begin());
  EXPECT_EQ(files.alive(), 1) << "what is being stored takes a place";
  clock.turn();
  EXPECT_EQ(files.alive(), 2);
  EXPECT_TRUE(results.empty());
  EXPECT_EQ(run_store.runs.begin()->second.state, RunState::finished);
}

TEST_F(LongImport, leaves_no_run_open_of_several_where_a_long_one_cannot_be_stored) {
  ASSERT_TRUE(begin());
  ImportedFile file = a_long_document();
  file.more.resize(2, {.workload = *file.workload, .raw = "{}"});
  run_store.most_added = RecordStoring::kIntervalsOfPart;
  run_store.finish_refusal = Error{ErrorKind::io, "database or disk is full"};
  files.last().end(std::move(file));
  clock.turn();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_FALSE(results.front());
  ASSERT_EQ(run_store.runs.size(), 3U);
  for (const auto& [id, run] : run_store.runs) EXPECT_EQ(run.state, RunState::failed) << id;
}

}  // namespace
}  // namespace netperfd::core
