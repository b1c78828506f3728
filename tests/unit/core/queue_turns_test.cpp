// SPDX-License-Identifier: GPL-2.0-or-later
// Users who share the machine take turns, job by job.
#include <gmock/gmock.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/unit/core/scheduler_fixture.hpp"

namespace netperfd::core {
namespace {

constexpr uid_t kAnn = 1000, kBen = 2000, kCem = 3000;

class QueueTurns : public SchedulerFixture {
 protected:
  QueueTurns() { scheduler_.set_queue_limit(100); }

  void submit_of(uid_t owner, int jobs = 1) {
    for (int i = 0; i < jobs; ++i) ASSERT_TRUE(scheduler_.submit(a_job(), owner));
  }
  // Runs the job that is under way to its end; returns its owner.
  uid_t end_next() {
    clock_.turn();
    uid_t owner = 0;
    for (const JobStatus& job : scheduler_.jobs()) {
      if (job.state == JobState::running) owner = job.owner;
    }
    workload_.last().become_prepared();
    workload_.last().end(a_measurement());
    clock_.turn();
    return owner;
  }
  std::vector<uid_t> end_all(std::size_t jobs) {
    std::vector<uid_t> owners;
    while (owners.size() < jobs) owners.push_back(end_next());
    return owners;
  }
};

TEST_F(QueueTurns, alternate_however_many_jobs_one_user_has_added) {
  submit_of(kAnn, 5);
  clock_.turn();
  submit_of(kBen, 2);
  submit_of(kCem);
  EXPECT_EQ(end_all(8), (std::vector<uid_t>{kAnn, kBen, kCem, kAnn, kBen, kAnn, kAnn, kAnn}));
}

TEST_F(QueueTurns, give_nobody_more_who_adds_a_job_at_each_end) {
  submit_of(kAnn, 4);
  clock_.turn();
  std::vector<uid_t> owners;
  for (int i = 0; i < 8; ++i) {
    if (i < 4) submit_of(kBen);
    owners.push_back(end_next());
  }
  EXPECT_EQ(owners, (std::vector<uid_t>{kAnn, kBen, kAnn, kBen, kAnn, kBen, kAnn, kBen}));
}

TEST_F(QueueTurns, leave_the_jobs_of_one_user_in_their_order_and_the_first_one_where_it_is) {
  submit_of(kAnn, 3);
  submit_of(kBen);
  std::vector<std::uint32_t> places;
  for (const JobStatus& job : scheduler_.jobs()) places.push_back(job.queue_position);
  EXPECT_EQ(places, (std::vector<std::uint32_t>{0, 2, 3, 1})) << "of jobs 1 to 4";
}

TEST_F(QueueTurns, that_move_waiting_jobs_are_told) {
  submit_of(kAnn, 2);
  clock_.turn();
  (void)seen_.take();
  submit_of(kBen);
  EXPECT_THAT(seen_.take(), testing::Contains(testing::HasSubstr("job 2"))) << "it waits for one more";
}

}  // namespace
}  // namespace netperfd::core
