// SPDX-License-Identifier: GPL-2.0-or-later
// What the journal says at the end of a job that reboots the machine.
#include "daemon/bus/reboot_report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/bus/bus_test.hpp"
#include "tests/unit/bus/fake_query_runner.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

RebootSummary a_summary() {
  RebootSummary summary;
  summary.job = 12;
  summary.scenario = "kernels";
  summary.state = "finished";
  summary.name_a = "old";
  summary.name_b = "new";
  summary.runs = summary.finished = 36;
  summary.boots = 13;
  summary.seconds = 7530;
  summary.verdict = "improvement";
  summary.ratio = 1.032;
  summary.low = 1.011;
  summary.high = 1.053;
  summary.boots_a = 5;
  summary.boots_b = 6;
  return summary;
}

TEST(RebootSummaries, have_the_verdict_with_its_interval_then_the_boots_and_where_to_look) {
  EXPECT_EQ(text_of(a_summary()),
            "kernels: improvement; throughput of new against old: +3.2 % (+1.1 % to +5.3 %)\n"
            "boots compared: 5 of old, 6 of new; reboots: 13, in 2 h 6 min\n"
            "job 12 finished: 36 of 36 runs finished; see `netperfctl compare job:12` and `netperfctl show "
            "job:12`");
}

TEST(RebootSummaries, of_a_failure_say_which) {
  RebootSummary summary = a_summary();
  summary.ratio.reset();
  summary.no_comparison = "side B, \"new\", has no finished run";
  summary.state = "failed";
  summary.finished = 3;
  summary.boots = 3;
  summary.failed_boots = 2;
  summary.last_failure = "the machine did not reboot";
  summary.seconds = 1500;
  const std::string text = text_of(summary);
  EXPECT_THAT(text,
              HasSubstr("kernels: no comparison of old and new: side B, \"new\", has no finished run\n"));
  EXPECT_THAT(text, HasSubstr("reboots: 3, 2 failed, in 25 min; last failure: the machine did not reboot\n"));
  EXPECT_THAT(text, HasSubstr("job 12 failed: 3 of 36 runs finished"));
}

class RebootReports : public ClientTest {
 protected:
  // A job of two blocks whose side B is a tenth faster.
  core::JobStatus an_ended_job() {
    JobSpec spec = core::a_job();
    spec.name = "kernels";
    const auto side = [](const char* name) {
      return Variant{.name = name, .apply = {"/x"}, .verify = {"/x"}, .builds = {}};
    };
    spec.design.emplace();
    spec.design->a = side("old");
    spec.design->b = side("new");
    spec.design->seed = 42;
    spec.design->reboots.emplace().runs = 1;
    spec.repeat = 2;
    RunId id = 100;
    for (const Slot& slot : draw_slots(spec, 42)) {
      core::RunRow run = a_run(++id, 1);
      run.spec = spec;
      run.slot = slot;
      run.started = run.created + std::chrono::minutes{id};
      run.ended = *run.started + std::chrono::seconds{10};
      queries.stored.insert(queries.stored.begin(), run);
      analysis::ComparedRun& compared = queries.stored_compared[id];
      compared.job = 1;
      compared.block = slot.block;
      compared.letter = slot.letter;
      compared.started = run.started;
      compared.fingerprint.emplace().boot_id = fmt::to_string(id);
      compared.received_bits_per_second =
          1e9 * (slot.variant == 'B' ? 1.1 : 1) + 1e6 * static_cast<double>(id - 100);
      BootRecord boot;
      boot.number = static_cast<std::uint32_t>(id - 100);
      boot.asked = *run.started - std::chrono::minutes{3};
      if (boot.number == 2) boot.failure = "late";
      queries.stored_boots[1].push_back(boot);
    }
    core::JobStatus status;
    status.id = 1;
    status.state = core::JobState::finished;
    status.design = spec.design;
    return status;
  }
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    runner_.emplace(*loop, queries);
    report_.emplace(queries, *runner_, [this](const std::string& text, JobId job) {
      said_.push_back(fmt::format("{}: {}", job, text));
    });
  }
  void TearDown() override {
    report_.reset();
    runner_.reset();
    ClientTest::TearDown();
  }
  [[nodiscard]] bool is_said() {
    return run_until(*loop, [this] { return !said_.empty(); });
  }

  std::optional<FakeQueryRunner> runner_;
  std::optional<RebootReport> report_;
  std::vector<std::string> said_;
};

TEST_F(RebootReports, compare_the_job_that_has_ended) {
  const core::JobStatus job = an_ended_job();
  report_->job_changed(job);
  report_->job_changed(job);
  ASSERT_TRUE(is_said());
  EXPECT_THAT(said_.front(), testing::StartsWith("1: kernels: "));
  EXPECT_THAT(said_.front(), HasSubstr("throughput of new against old: +10."));
  EXPECT_THAT(said_.front(), HasSubstr("boots compared: 4 of old, 4 of new; reboots: 8, 1 failed, in 10 min; "
                                       "last failure: late\n"));
  EXPECT_THAT(said_.front(), HasSubstr("job 1 finished: 8 of 8 runs finished"));
  EXPECT_EQ(runner_->callers.size(), 2U) << "asked once for the job and once for its comparison";
}

TEST_F(RebootReports, are_not_of_jobs_that_go_on_or_do_not_reboot) {
  core::JobStatus job = an_ended_job();
  job.state = core::JobState::running;
  report_->job_changed(job);
  job.state = core::JobState::finished;
  job.design->reboots.reset();
  report_->job_changed(job);
  EXPECT_THAT(runner_->callers, IsEmpty());
}

TEST_F(RebootReports, say_why_there_is_no_comparison) {
  const core::JobStatus job = an_ended_job();
  for (core::RunRow& run : queries.stored) {
    if (run.slot.variant == 'B') run.state = RunState::canceled;
  }
  report_->job_changed(job);
  ASSERT_TRUE(is_said());
  EXPECT_THAT(said_.front(), HasSubstr("no comparison of old and new: job 1: side B"));
  EXPECT_THAT(said_.front(), HasSubstr("job 1 canceled: 4 of 8 runs finished"));
}

TEST_F(RebootReports, of_a_query_that_is_refused_say_that) {
  runner_->refusal = Error{ErrorKind::busy, "too many queries"};
  report_->job_changed(an_ended_job());
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_EQ(said_.front(), "1: has ended; no summary: too many queries");
}

}  // namespace
}  // namespace netperfd::bus
