// SPDX-License-Identifier: GPL-2.0-or-later
// A scheduler for jobs with two sides, and a machine that is on one of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/core/scheduler_fixture.hpp"

namespace netperfd::core {

inline Variant side(const std::string& name) {
  return {.name = name, .apply = {"/x/switch", name}, .verify = {"/x/check", name}, .builds = {}};
}

// One block: four runs. An interval takes more, so it is forced.
inline JobSpec a_design() {
  JobSpec spec = a_job();
  spec.forced = true;
  spec.design.emplace();
  spec.design->a = side("list");
  spec.design->b = side("hash");
  return spec;
}

inline JobSpec without_checks(JobSpec spec) {
  spec.design->a->verify.clear();
  spec.design->b->verify.clear();
  return spec;
}

class DesignRuns : public SchedulerFixture {
 protected:
  JobId submit(JobSpec spec) {
    const auto job = scheduler_.submit(std::move(spec), 1000);
    EXPECT_TRUE(job) << job.error().message;
    clock_.turn();
    return job.value_or(0);
  }
  // The current command; "" if there is none.
  [[nodiscard]] std::string command() const { return commands_.is_running() ? commands_.said.back() : ""; }
  void end_command(const std::string& error = {}) {
    ASSERT_TRUE(commands_.is_running());
    commands_.end(error);
    clock_.turn();
  }
  // Simulates a machine on the side `name`, whose commands succeed.
  void end_commands(std::string name) {
    while (commands_.is_running()) {
      const std::string asked = command();
      const bool is_check = asked.starts_with("/x/check ");
      const std::string word = asked.substr(asked.rfind(' ') + 1);
      if (!is_check) name = word;
      end_command(is_check && word != name ? "exit code 1" : "");
    }
    now_on_ = name;
  }
  void end_run() {
    workload_.last().become_prepared();
    workload_.last().end(a_measurement());
    clock_.turn();
  }
  [[nodiscard]] std::string name_of(const Slot& slot) const { return slot.variant == 'A' ? "list" : "hash"; }
  [[nodiscard]] std::vector<RunState> states() const {
    std::vector<RunState> all;
    for (const auto& [id, run] : store_.runs) all.push_back(run.state);
    return all;
  }
  [[nodiscard]] const std::string& error_of(RunId run) const { return store_.runs.at(run).record->error; }

  std::string now_on_;
};

}  // namespace netperfd::core
