// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/record_storing.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/unit/core/fake_store.hpp"
#include "tests/unit/core/fakes.hpp"

namespace netperfd::core {
namespace {

constexpr std::size_t kMany = (3 * RecordStoring::kIntervalsOfPart) + 1;

class StoredRecord : public testing::Test {
 protected:
  StoredRecord() {
    run_ = store_.add_job({}, {Slot{}}, 0, {})->runs.front();
    for (const RunState state : {RunState::preparing, RunState::running, RunState::collecting})
      EXPECT_TRUE(store_.set_state(run_, state));
  }
  void begin(std::size_t intervals) {
    RunRecord record;
    record.id = run_;
    record.state = RunState::finished;
    for (std::size_t i = 0; i < intervals; ++i)
      record.workload.report.intervals.emplace_back().start_s = static_cast<double>(i);
    storing_.emplace(store_, clock_, std::move(record),
                     [this](const RunRecord& stored, const Status& status) {
                       EXPECT_EQ(stored.id, run_);
                       told_ = status;
                       storing_.reset();
                     });
    storing_->begin();
  }

  FakeStore store_;
  FakeClock clock_;
  RunId run_ = 0;
  std::optional<RecordStoring> storing_;
  std::optional<Status> told_;
};

TEST_F(StoredRecord, of_few_intervals_is_stored_at_once) {
  begin(RecordStoring::kIntervalsOfPart);
  ASSERT_TRUE(told_);
  EXPECT_TRUE(*told_);
  EXPECT_TRUE(store_.runs.at(run_).added.empty());
}

TEST_F(StoredRecord, of_many_intervals_lets_others_come_between_its_parts) {
  std::string order;
  std::vector<Timer> others;
  store_.on_added = [&] {
    order += "part ";
    others.push_back(clock_.after(std::chrono::milliseconds{0}, [&] { order += "other "; }));
  };
  begin(kMany);
  EXPECT_EQ(order, "part ");
  EXPECT_EQ(store_.runs.at(run_).added.size(), RecordStoring::kIntervalsOfPart);
  clock_.turn();
  EXPECT_EQ(order, "part other part other part other part other ");
  ASSERT_TRUE(told_);
  EXPECT_TRUE(*told_);
  const auto& run = store_.runs.at(run_);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.added, run.record->workload.report.intervals);
}

TEST_F(StoredRecord, is_tried_as_a_whole_if_a_part_is_refused) {
  store_.most_added = RecordStoring::kIntervalsOfPart;
  store_.finish_refusal = Error{ErrorKind::no_space, "the disk is full"};
  begin(kMany);
  clock_.turn();
  ASSERT_TRUE(told_);
  EXPECT_EQ(told_->error().message, "the disk is full");
}

TEST_F(StoredRecord, that_is_given_up_leaves_the_run_open) {
  begin(kMany);
  storing_.reset();
  clock_.turn();
  EXPECT_FALSE(told_);
  EXPECT_EQ(store_.runs.at(run_).state, RunState::collecting);
}

}  // namespace
}  // namespace netperfd::core
