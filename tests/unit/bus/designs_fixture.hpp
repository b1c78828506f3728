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

  // Adds a job's runs, four per block and one per minute, with the rates returned by `rate(slot)`.
  template <class Rate>
  void add_job(JobId job, JobPurpose purpose, std::uint32_t blocks, Rate rate) {
    JobSpec spec = core::a_job();
    spec.name = "hsr";
    spec.purpose = purpose;
    spec.design = a_design();
    spec.repeat = blocks;
    RunId id = 100 * job;
    for (const Slot& slot : draw_slots(spec, 42)) {
      core::RunRow run = a_run(++id, job);
      run.index = static_cast<std::uint32_t>(id - 100 * job);
      run.spec = spec;
      run.slot = slot;
      run.variant = slot.variant == 'A' ? "list" : "hash";
      run.started = run.created + std::chrono::minutes{id};
      run.ended = *run.started + std::chrono::seconds{10};
      queries.stored.insert(queries.stored.begin(), run);
      analysis::ComparedRun& compared = queries.stored_compared[id];
      compared.job = job;
      compared.block = slot.block;
      compared.letter = slot.letter;
      compared.started = run.started;
      compared.received_bits_per_second = rate(slot);
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

inline double tenth_faster(const Slot& slot) {
  return 1e9 * (slot.variant == 'B' ? 1.1 : 1) + 1e6 * slot.block + 1e5 * slot.letter * slot.block;
}
inline double the_same(const Slot& slot) {
  return 1e9 + 1e6 * slot.block + (slot.letter == 1 ? 1e5 * slot.block : 0);  // on either side
}

}  // namespace netperfd::bus
