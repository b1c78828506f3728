// SPDX-License-Identifier: GPL-2.0-or-later
// Which runs the controller samples, and when.
#include <gmock/gmock.h>

#include "tests/unit/core/scheduler_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

JobSpec a_sampled_job(std::uint32_t rate = 99) {
  JobSpec spec = a_job();
  spec.sample = SampleSpec{.rate = rate, .asked = true};
  return spec;
}

class SampledRun : public SchedulerFixture {
 protected:
  JobId submit(JobSpec spec) {
    const auto job = scheduler_.submit(std::move(spec), 1000);
    EXPECT_TRUE(job) << job.error().message;
    clock_.turn();
    return job.value_or(0);
  }
  [[nodiscard]] const RunRecord& record(RunId run = 41) const { return *store_.runs.at(run).record; }
};

TEST_F(SampledRun, is_sampled_from_its_release_until_its_processes_end) {
  submit(a_sampled_job());
  EXPECT_THAT(sampler_.said, IsEmpty());
  workload_.last().become_prepared();
  EXPECT_THAT(sampler_.said, ElementsAre("open 99 of 4711", "released"));
  workload_.last().become_stopped();
  EXPECT_THAT(sampler_.said, ElementsAre("open 99 of 4711", "released", "stop", "finish", "end"));
  workload_.last().end(a_measurement());
  ASSERT_TRUE(record().samples);
  EXPECT_EQ(record().samples->samples, 11U);
}

TEST_F(SampledRun, whose_client_tells_its_begin_is_sampled_from_there_on) {
  submit(a_sampled_job());
  workload_.last().become_prepared();
  workload_.last().listener->workload_begun();
  EXPECT_THAT(sampler_.said, ElementsAre("open 99 of 4711", "released", "released"));
}

TEST_F(SampledRun, of_a_job_that_asks_for_none_is_not_sampled) {
  submit(a_job());
  workload_.last().become_prepared();
  workload_.last().end(a_measurement());
  EXPECT_THAT(sampler_.said, IsEmpty());
  EXPECT_FALSE(record().samples);
}

TEST_F(SampledRun, is_never_a_traced_one) {
  JobSpec spec = a_traced_job();
  spec.sample = SampleSpec{};
  spec.design.emplace().plain = true;
  spec.forced = true;
  submit(spec);
  std::size_t sampled = 0;
  const std::size_t runs = store_.runs.size();
  ASSERT_GE(runs, 2U);
  for (std::size_t i = 0; i < runs; ++i) {
    workload_.last().become_prepared();
    const bool is_traced = !tracer_.traces.empty() && tracer_.last().said.back() == "mark release";
    EXPECT_EQ(sampler_.said.empty(), is_traced) << i;
    sampled += sampler_.said.empty() ? 0 : 1;
    workload_.last().end(a_measurement());
    if (is_traced) tracer_.last().end({});
    sampler_.said.clear();
    clock_.turn();
  }
  EXPECT_EQ(sampled, runs / 2);
}

TEST_F(SampledRun, that_is_stopped_before_its_release_has_no_samples) {
  const JobId job = submit(a_sampled_job());
  ASSERT_TRUE(scheduler_.stop(job, "enough"));
  workload_.last().end({});
  EXPECT_THAT(sampler_.said, IsEmpty());
  EXPECT_FALSE(record().samples);
}

TEST_F(SampledRun, with_a_rate_that_the_kernel_refuses_is_refused_before_anything_runs) {
  const auto refused = scheduler_.submit(a_sampled_job(1'001), 1000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "1001 samples are too many");
  clock_.turn();
  EXPECT_THAT(workload_.runs, IsEmpty());
  JobSpec by_default = a_sampled_job(1'001);
  by_default.sample->asked = false;
  EXPECT_TRUE(scheduler_.submit(by_default, 1000)) << "nobody asked for it";
}

}  // namespace
}  // namespace netperfd::core
