// SPDX-License-Identifier: GPL-2.0-or-later
// A scheduler with fakes for everything outside.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/core/queue/scheduler.hpp"
#include "tests/unit/core/command_fakes.hpp"
#include "tests/unit/core/fakes.hpp"

namespace netperfd::core {

// Answers with these verdicts, one a look, and then that nothing is decided.
class FakeJudge final : public JobJudge {
 public:
  Result<Comparison> judge(JobId job) override {
    asked.push_back(job);
    if (refusal) return std::unexpected(*refusal);
    Comparison comparison;
    FigureResult& figure = comparison.figures.emplace_back();
    figure.name = "received";
    figure.verdict = asked.size() <= verdicts.size() ? verdicts[asked.size() - 1] : Verdict::inconclusive;
    figure.effect.ratio = 1.012;
    figure.effect.low = 0.997;
    figure.effect.high = 1.029;
    return comparison;
  }

  std::vector<JobId> asked;
  std::vector<Verdict> verdicts;
  std::optional<Error> refusal;
};

class SchedulerFixture : public testing::Test {
 protected:
  SchedulerFixture() { scheduler_.add_observer(seen_); }

  // Submits a plain job of uid 1000; returns its number.
  JobId submit(std::uint32_t repeat = 1) {
    const auto job = scheduler_.submit(a_job(repeat), 1000);
    EXPECT_TRUE(job) << job.error().message;
    return job.value_or(0);
  }

  FakeClock clock_;
  FakeWorkload workload_;
  FakeTracer tracer_;
  FakeStore store_;
  RecordingObserver seen_;
  FakePacketCounter packets_;
  FakeCounterSource counters_;
  FakeFingerprintSource fingerprints_;
  FakeCommands commands_;
  FakeSideJournal sides_;
  FakeBootJournal boots_;
  FakeSampler sampler_;
  FakeHostWatch host_;
  FakeJudge judge_;
  FakeMachineParts parts_;
  std::uint64_t seed_ = 1;  // for designs without a seed
  Scheduler scheduler_{{workload_,
                        tracer_,
                        store_,
                        clock_,
                        packets_,
                        counters_,
                        fingerprints_,
                        commands_,
                        sides_,
                        boots_,
                        &sampler_,
                        &host_,
                        {.path = "/x/switch", .note = "/x/note"},
                        &judge_,
                        &parts_},
                       3,
                       [this] { return seed_; }};
};

}  // namespace netperfd::core
