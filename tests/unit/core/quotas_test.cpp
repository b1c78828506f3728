// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/quotas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/core/scheduler_fixture.hpp"

namespace netperfd::core {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;

constexpr uid_t kUser = 1001;

class QuotasTest : public SchedulerFixture {
 protected:
  QuotasTest() { scheduler_.set_queue_limit(100); }

  // Jobs of ten planned seconds for each run.
  Status submit(std::uint32_t repeat = 1, uid_t user = kUser) { return submit(a_job(repeat), user); }
  Status submit(const JobSpec& spec, uid_t user = kUser) {
    const auto job = scheduler_.submit(spec, user);
    return job ? Status{} : std::unexpected(job.error());
  }
  // The text of a refusal for the quota; empty for an accepted job.
  static std::string refusal_of(const Status& status) {
    if (status) return "";
    EXPECT_EQ(status.error().kind, ErrorKind::quota_exceeded);
    return status.error().message;
  }
  void limit(const UserLimits& limits) { scheduler_.set_user_limits(limits); }
  void run_one() {
    clock_.turn();
    workload_.last().become_prepared();
    workload_.last().end(a_measurement());
    clock_.turn();
  }

  static constexpr UserLimits kNone{
      .queue = std::nullopt, .stored_bytes = std::nullopt, .time = std::nullopt};
};

TEST_F(QuotasTest, bound_the_live_jobs_of_each_user_but_root) {
  UserLimits limits = kNone;
  limits.queue = 2;
  limit(limits);
  EXPECT_EQ(refusal_of(submit()), "");
  EXPECT_EQ(refusal_of(submit()), "");
  EXPECT_THAT(refusal_of(submit()), AllOf(HasSubstr("uid 1001 has 2 jobs that wait or run"),
                                          HasSubstr("limits.user.queue allows 2"), HasSubstr("stop one")));
  EXPECT_EQ(refusal_of(submit(1, 1002)), "") << "another user";
  for (int i = 0; i < 5; ++i) EXPECT_EQ(refusal_of(submit(1, 0)), "") << "root";
  run_one();
  EXPECT_EQ(refusal_of(submit()), "") << "an ended job counts no more";
}

TEST_F(QuotasTest, let_root_into_a_queue_that_users_have_filled) {
  limit(kNone);
  scheduler_.set_queue_limit(2);
  EXPECT_TRUE(submit());
  EXPECT_TRUE(submit(1, 1002));
  EXPECT_EQ(submit(1, 1003).error().kind, ErrorKind::busy);
  EXPECT_TRUE(submit(1, 0));
}

TEST_F(QuotasTest, refuse_a_job_of_a_user_who_has_stored_too_much) {
  UserLimits limits = kNone;
  limits.stored_bytes = 1ULL << 30U;
  limit(limits);
  store_.usages[kUser].stored_bytes = (1ULL << 30U) - 1;
  EXPECT_EQ(refusal_of(submit()), "");
  EXPECT_TRUE(scheduler_.check_stored(kUser));
  store_.usages[kUser].stored_bytes = 3ULL << 29U;
  EXPECT_THAT(refusal_of(submit()),
              AllOf(HasSubstr("uid 1001 has 1.50 GiB of runs stored"),
                    HasSubstr("limits.user.stored allows 1.00 GiB"), HasSubstr("delete")));
  EXPECT_FALSE(scheduler_.check_stored(kUser));
  store_.usages[0].stored_bytes = ~0ULL;
  EXPECT_EQ(refusal_of(submit(1, 0)), "");
  EXPECT_TRUE(scheduler_.check_stored(0));
}

TEST_F(QuotasTest, count_the_time_of_a_day_and_what_live_jobs_may_take) {
  UserLimits limits = kNone;
  limits.time = minutes{10};
  limit(limits);
  store_.usages[kUser].running = minutes{5};
  EXPECT_EQ(refusal_of(submit(12)), "");  // 2 min
  EXPECT_EQ(store_.usage_since, clock_.now() - hours{24});
  EXPECT_EQ(store_.usage_until, clock_.now() + hours{24})
      << "runs before the clock was set back are no later";
  EXPECT_EQ(refusal_of(submit(18)), "") << "3 min, which is exactly the rest";
  EXPECT_THAT(refusal_of(submit(1)),
              AllOf(HasSubstr("this job may take 1 min, live jobs 5 min"), HasSubstr("took 5 min"),
                    HasSubstr("limits.user.time allows 10 min in all")));
  store_.usages[kUser].running = minutes{4};  // the day has gone on
  EXPECT_EQ(refusal_of(submit(6)), "");
}

TEST_F(QuotasTest, count_the_deadline_of_a_run_whose_length_nobody_planned) {
  EXPECT_EQ(reserved_time(a_job(), 3), seconds{30});
  EXPECT_EQ(reserved_time(a_job_without_workload(), 2), seconds{60});
  UserLimits limits = kNone;
  limits.time = seconds{60};
  limit(limits);
  JobSpec endless = a_job_without_workload();
  endless.limits.timeout = hours{24};
  EXPECT_THAT(refusal_of(submit(endless)), HasSubstr("this job may take 24 h 0 min"));
}

TEST_F(QuotasTest, end_a_job_before_its_next_run_but_cut_no_run) {
  UserLimits limits = kNone;
  limits.stored_bytes = 1000;
  limits.time = minutes{2};
  limit(limits);
  ASSERT_TRUE(submit(3));
  ASSERT_TRUE(submit(2, 1002));
  clock_.turn();
  store_.usages[kUser].stored_bytes = 1000;  // while the first run is under way
  workload_.last().become_prepared();
  workload_.last().end(a_measurement());
  clock_.turn();
  EXPECT_EQ(store_.runs.at(41).state, RunState::finished);
  EXPECT_EQ(store_.runs.at(42).state, RunState::canceled);
  EXPECT_THAT(store_.runs.at(43).record->error, HasSubstr("limits.user.stored"));
  EXPECT_EQ(scheduler_.job(1)->state, JobState::canceled);

  store_.usages[1002].running = minutes{2};
  workload_.last().become_prepared();
  workload_.last().end(a_measurement());
  clock_.turn();
  EXPECT_EQ(store_.runs.at(44).state, RunState::finished);
  EXPECT_THAT(store_.runs.at(45).record->error, HasSubstr("limits.user.time"));
}

TEST_F(QuotasTest, of_which_none_is_set_ask_the_store_for_nothing) {
  limit(kNone);
  store_.usages[kUser] = {.stored_bytes = ~0ULL, .running = hours{1000}};
  EXPECT_EQ(refusal_of(submit()), "");
  run_one();
  EXPECT_EQ(store_.runs.at(41).state, RunState::finished);
  EXPECT_EQ(store_.usage_since, WallTime{});
}

}  // namespace
}  // namespace netperfd::core
