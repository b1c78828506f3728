// SPDX-License-Identifier: GPL-2.0-or-later
// Designs that reboot. The machine is a fake, which comes up on the side that the last `switch` asked for, or
// on another one; a daemon ends with each boot, and the next one goes on with what was stored and noted.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/core/queue/resumption.hpp"
#include "daemon/core/sides/boot_switch.hpp"
#include "tests/unit/core/design_fixture.hpp"

namespace netperfd::core {

// `order`: of the letters in its one block.
inline JobSpec a_rebooting_job(std::uint32_t runs = 1, std::string_view order = "BAAB") {
  JobSpec spec = a_design();
  spec.design->seed = 0;
  spec.design->reboots.emplace();
  spec.design->reboots->runs = runs;
  spec.design->reboots->prepare = {"/x/prepare"};
  while (draw_slots(spec, *spec.design->seed).front().variant != order.front()) ++*spec.design->seed;
  return spec;
}

class Reboots : public testing::Test {
 protected:
  Reboots() { boot(); }

  // Ends the daemon as a shutdown of the machine does, and boots on the side that was asked for last.
  void boot() {
    if (scheduler_) {
      bool ended = false;
      scheduler_->shut_down("netperfd was stopped", [&] { ended = true; });
      turn();
      EXPECT_TRUE(ended) << "the daemon did not end";
    }
    boot_anew();
  }

  // As after a power cut: the daemon had no time to do anything.
  void boot_anew() {
    scheduler_.reset();
    commands_ = std::make_unique<FakeCommands>();
    journal_.boot = fmt::format("boot-{}", ++boots_);
    clock_.boot();
    on_ = std::exchange(next_, "list");
    scheduler_ = std::make_unique<Scheduler>(RunPorts{workload_, tracer_, store_, clock_, packets_, counters_,
                                                      fingerprints_, *commands_, sides_, journal_},
                                             3, [] { return 1; });
  }

  JobId submit(JobSpec spec) {
    spec_ = spec;
    const auto job = scheduler_->submit(std::move(spec), 0);
    EXPECT_TRUE(job) << job.error().message;
    turn();
    return job.value_or(0);
  }

  // The job goes on in a new daemon, as resume_jobs() lets it.
  void resume(JobId job) {
    UnfinishedJob unfinished{.id = job,
                             .owner = 0,
                             .tied = false,
                             .held = held_,
                             .text = {},
                             .options = {},
                             .seed = spec_.design->seed,
                             .runs = {}};
    std::uint32_t index = 0;
    const auto slots = draw_slots(spec_, *spec_.design->seed);
    for (const auto& [id, run] : store_.runs) {
      unfinished.runs.push_back({.id = id,
                                 .index = index + 1,
                                 .state = run.state,
                                 .error = {},
                                 .slot = slots[index],
                                 .build = {},
                                 .point_name = {}});
      ++index;
    }
    auto plan = plan_resumption(std::move(unfinished), spec_);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_THAT(plan->given_up, testing::IsEmpty()) << "runs of a boot are not given up";
    scheduler_->resume(std::move(plan->job));
    turn();
  }

  void turn() { clock_.turn(); }
  [[nodiscard]] std::string command() const { return commands_->is_running() ? commands_->said.back() : ""; }
  // The machine answers commands until one reboots it, or none is under way.
  void answer() {
    while (commands_->is_running()) {
      const std::string asked = command();
      const std::string word = asked.substr(asked.rfind(' ') + 1);
      said_.push_back(asked);
      const bool is_switch = asked.starts_with("/x/switch ");
      if (is_switch) next_ = lost_ ? "list" : word;
      commands_->end(asked.starts_with("/x/check ") && word != on_ ? "exit code 1" : "");
      turn();
      if (is_switch) return;
    }
  }
  void pass(std::chrono::milliseconds time) {
    clock_.advance(time);
    turn();
  }
  void end_run() {
    workload_.last().become_prepared();
    workload_.last().end(a_measurement());
    turn();
  }
  [[nodiscard]] JobStatus status(JobId job) const { return *scheduler_->job(job); }
  // Announces and asks for the reboot, as far as the job waits for it.
  void notice() {
    answer();
    pass(std::chrono::minutes{2});
    answer();
  }
  // All letters of a job whose boots have `runs` runs; returns the sides that were booted.
  std::string measure_letters(JobId job, int runs) {
    std::string order;
    for (int letter = 0; letter < 4; ++letter) {
      notice();
      EXPECT_THAT(said_.back(), testing::StartsWith("/x/switch ")) << letter;
      boot();
      come_up(job);
      order += on_ == "list" ? 'A' : 'B';
      for (int run = 0; run < runs; ++run) {
        answer();  // the check
        end_run();
      }
    }
    return order;
  }
  // From the boot to the first run.
  void come_up(JobId job) {
    resume(job);
    answer();
    pass(std::chrono::minutes{1});
  }

  FakeClock clock_;
  FakeWorkload workload_;
  FakeTracer tracer_;
  FakeStore store_;
  FakePacketCounter packets_;
  FakeCounterSource counters_;
  FakeFingerprintSource fingerprints_;
  std::unique_ptr<FakeCommands> commands_;
  FakeSideJournal sides_;
  FakeBootJournal journal_;
  JobSpec spec_;
  std::unique_ptr<Scheduler> scheduler_;
  std::string on_ = "list", next_ = "list";
  std::vector<std::string> said_;
  bool held_ = false;  // as the store knows it
  bool lost_ = false;  // the boot loader does not do what it is asked
  int boots_ = 0;
};

}  // namespace netperfd::core
