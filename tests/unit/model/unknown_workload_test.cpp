// SPDX-License-Identifier: GPL-2.0-or-later
// A job of a workload that is unknown, or that nobody chose.
#include <gmock/gmock.h>

#include <chrono>

#include "daemon/model/job_spec.hpp"
#include "daemon/workload/job/traits.hpp"

namespace netperfd {
namespace {

TEST(UnknownWorkload, is_refused_by_its_name) {
  JobSpec job;
  job.name = "veth-tcp";
  job.limits.timeout = std::chrono::seconds{30};
  for (const char* name : {"teleport", "import", ""}) {
    job.workload = workload::traits_of(name);
    const auto problems = check(job);
    ASSERT_EQ(problems.size(), 1U) << name;
    EXPECT_EQ(problems[0].key, "workload");
    EXPECT_EQ(problems[0].message, "\"" + job.workload.name + "\" is none that this netperfd can run");
  }
  EXPECT_EQ(JobSpec{}.workload, workload::traits_of("")) << "a job has no workload by itself";
}

}  // namespace
}  // namespace netperfd
