// SPDX-License-Identifier: GPL-2.0-or-later
// The figures that a workload brings, on their way into the record of its run.
#include <gmock/gmock.h>

#include <limits>

#include "tests/unit/core/scheduler_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const NamedFigure kCalls{.name = "calls", .unit = "per second", .better = Better::higher, .value = 811.5};

class OwnFigures : public SchedulerFixture {
 protected:
  // The record of a run whose workload brought them.
  const RunRecord& ended_with(std::vector<NamedFigure> figures) {
    submit();
    clock_.turn();
    workload_.last().become_prepared();
    WorkloadResult result = a_measurement();
    result.figures = std::move(figures);
    workload_.last().end(std::move(result));
    return *store_.runs.at(41).record;
  }
};

TEST_F(OwnFigures, of_a_workload_are_those_of_the_run) {
  const RunRecord& record = ended_with({kCalls});
  EXPECT_EQ(record.state, RunState::finished);
  EXPECT_THAT(record.figures, ElementsAre(kCalls));
  EXPECT_THAT(record.workload.figures, IsEmpty());
}

TEST_F(OwnFigures, that_cannot_be_stored_make_the_run_fail_and_keep_the_rest) {
  NamedFigure endless = kCalls;
  endless.value = std::numeric_limits<double>::infinity();
  const RunRecord& record = ended_with({endless});
  EXPECT_EQ(record.state, RunState::failed);
  EXPECT_THAT(record.error, HasSubstr("the value of the figure calls: expected is a finite number"));
  EXPECT_THAT(record.figures, IsEmpty());
  EXPECT_THAT(record.workload.report.sums, testing::SizeIs(1));
}

}  // namespace
}  // namespace netperfd::core
