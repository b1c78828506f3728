// SPDX-License-Identifier: GPL-2.0-or-later
// A service with stored jobs that have a design, and a caller.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/bus/bus_test.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {

inline Design a_design() {
  return {.a = Variant{.name = "list", .apply = {}, .verify = {}, .builds = {}},
          .b = Variant{.name = "hash", .apply = {}, .verify = {}, .builds = {}},
          .plain = true,
          .changed = {"module:hsr"},
          .seed = 42};
}

class DesignsOnTheBus : public ClientTest {
 protected:
  using ComparedJob = Answered<dbus::Row, dbus::Rows, dbus::Rows, dbus::Rows>;

  // Adds a job's runs, four per block and one per minute, with the rates returned by `rate(arm)`.
  template <class Rate>
  void add_job(JobId job, JobPurpose purpose, std::uint32_t blocks, Rate rate) {
    JobSpec spec = core::a_job();
    spec.name = "hsr";
    spec.purpose = purpose;
    spec.design = a_design();
    spec.repeat = blocks;
    RunId id = 100 * job;
    for (const Arm& arm : draw_arms(spec, 42)) {
      core::RunRow run = a_run(++id, job);
      run.index = static_cast<std::uint32_t>(id - 100 * job);
      run.spec = spec;
      run.arm = arm;
      run.variant = arm.variant == 'A' ? "list" : "hash";
      run.started = run.created + std::chrono::minutes{id};
      run.ended = *run.started + std::chrono::seconds{10};
      queries.stored.insert(queries.stored.begin(), run);
      analysis::ComparedRun& compared = queries.stored_compared[id];
      compared.job = job;
      compared.block = arm.block;
      compared.letter = arm.letter;
      compared.started = run.started;
      compared.received_bits_per_second = rate(arm);
    }
  }

  dbus::Row properties_of_job(JobId job) {
    const auto answered = client->call_on<dbus::Row>(dbus::job_path(static_cast<std::uint64_t>(job)),
                                                     "org.freedesktop.DBus.Properties", "GetAll",
                                                     std::string{dbus::kJobInterface});
    EXPECT_EQ(answered.error, "") << answered.text;
    return std::get<0>(answered.values);
  }
  ComparedJob compare_job(std::uint64_t job, const dbus::Row& options = {}) {
    return client->call<dbus::Row, dbus::Rows, dbus::Rows, dbus::Rows>("CompareJob", job, options);
  }
  Answered<dbus::Row> plan(const std::string& runs, const dbus::Row& options = {}) {
    return client->call<dbus::Row>("PlanRuns", runs, options);
  }
};

inline double tenth_faster(const Arm& arm) {
  return 1e9 * (arm.variant == 'B' ? 1.1 : 1) + 1e6 * arm.block + 1e5 * arm.letter * arm.block;
}
inline double the_same(const Arm& arm) {
  return 1e9 + 1e6 * arm.block + (arm.letter == 1 ? 1e5 * arm.block : 0);  // on either side
}

}  // namespace netperfd::bus
