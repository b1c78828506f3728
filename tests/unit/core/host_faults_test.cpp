// SPDX-License-Identifier: GPL-2.0-or-later
// What a run says of a host that changed under it, by made-up clocks.
#include "daemon/core/run/host_faults.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/unit/core/scheduler_fixture.hpp"

namespace netperfd::core {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr hours kYear{365 * 24};

// A run of `awake`, in which the host slept for `slept` and somebody set the clock by `set`.
HostChanges changes_of(microseconds awake, microseconds slept = {}, microseconds set = {}) {
  HostChanges changes;
  changes.before = {.wall = WallTime{seconds{1'700'000'000}},
                    .boot = seconds{5000},
                    .awake = seconds{4000},
                    .suspends = 3,
                    .cpus = "0-3"};
  changes.after = changes.before;
  changes.after.awake += awake;
  changes.after.boot += awake + slept;
  changes.after.wall += awake + slept + set;
  return changes;
}

std::vector<std::string> texts(const HostChanges& changes) {
  std::vector<std::string> texts;
  for (const QualityFlag& flag : host_flags(changes)) texts.push_back(flag.code + ": " + flag.message);
  return texts;
}

TEST(HostFaults, of_a_host_that_only_worked_are_none) {
  EXPECT_THAT(texts(changes_of(hours{3})), IsEmpty());
}

TEST(HostFaults, tell_how_long_the_host_slept) {
  HostChanges changes = changes_of(seconds{10}, seconds{3605});
  EXPECT_EQ(asleep(changes), seconds{3605});
  EXPECT_EQ(set_by(changes), seconds{0}) << "the wall clock went on meanwhile";
  EXPECT_THAT(texts(changes), ElementsAre("host-suspended: the host was suspended for 3605.00 s"));
  changes.after.suspends = 5;
  EXPECT_THAT(texts(changes), ElementsAre("host-suspended: the host was suspended 2 times for 3605.00 s"));
  changes.before.suspends = changes.after.suspends = {};
  EXPECT_THAT(texts(changes), ElementsAre("host-suspended: the host was suspended for 3605.00 s"));
}

TEST(HostFaults, tell_of_a_suspend_that_no_clock_shows) {
  HostChanges changes = changes_of(seconds{10});
  changes.after.suspends = 4;
  EXPECT_THAT(texts(changes),
              ElementsAre("host-suspended: the host was suspended, and its clocks do not tell for how long"));
  changes.before.suspends = {};
  EXPECT_THAT(texts(changes), IsEmpty()) << "4 may be of before the run";
}

TEST(HostFaults, tell_who_set_the_clock_in_which_direction) {
  EXPECT_EQ(set_by(changes_of(seconds{10}, {}, -kYear)), -kYear);
  EXPECT_THAT(
      texts(changes_of(seconds{10}, {}, -kYear)),
      ElementsAre("clock-set: the wall clock was set back by 31536000.00 s: the end of the run is its "
                  "start and the 10.00 s that passed"));
  EXPECT_THAT(texts(changes_of(seconds{10}, seconds{2}, milliseconds{500})),
              ElementsAre("host-suspended: the host was suspended for 2.00 s",
                          "clock-set: the wall clock was set forward by 0.50 s: the end of the run is its "
                          "start and the 12.00 s that passed"));
}

TEST(HostFaults, are_not_differences_that_reading_the_clocks_makes) {
  EXPECT_THAT(texts(changes_of(seconds{10}, microseconds{9'999}, microseconds{-9'999})), IsEmpty());
  EXPECT_THAT(texts(changes_of(seconds{10}, microseconds{-9'999}, microseconds{9'999})), IsEmpty());
  EXPECT_EQ(host_flags(changes_of(seconds{10}, milliseconds{10}, milliseconds{-10})).size(), 2U);
}

TEST(HostFaults, tell_which_cpus_came_and_went) {
  HostChanges changes = changes_of(seconds{10});
  changes.cpus = {"CPU 1 went offline", "CPU 1 came online"};
  EXPECT_THAT(texts(changes), ElementsAre("cpus-changed: CPU 1 went offline, CPU 1 came online"));
  changes.cpus.assign(8, "CPU 2 went offline");
  EXPECT_THAT(
      texts(changes),
      ElementsAre("cpus-changed: CPU 2 went offline, CPU 2 went offline, CPU 2 went offline, CPU 2 went "
                  "offline, CPU 2 went offline, CPU 2 went offline, and 2 more changes"));
}

TEST(HostFaults, tell_of_cpus_that_differ_without_an_event) {
  HostChanges changes = changes_of(seconds{10});
  changes.after.cpus = "0,2-3";
  EXPECT_THAT(texts(changes),
              ElementsAre("cpus-changed: the CPUs 0-3 were online at the start and 0,2-3 at the end"));
  changes.after.cpus = "";
  EXPECT_THAT(texts(changes), IsEmpty()) << "unknown is not different";
}

class RunOnAFaultyHost : public SchedulerFixture {
 protected:
  RunRecord run(const HostChanges& changes) {
    host_.changes = changes;
    EXPECT_TRUE(scheduler_.submit(a_job(), 1000));
    clock_.turn();
    workload_.last().become_prepared();
    EXPECT_EQ(host_.watching, 1);
    clock_.advance(seconds{10});
    clock_.set(set_by(changes));
    workload_.last().become_stopped();
    EXPECT_EQ(host_.watching, 0) << "it ends with the workload";
    workload_.last().end(a_measurement());
    return *store_.runs.rbegin()->second.record;
  }
};

TEST_F(RunOnAFaultyHost, has_the_flags_of_it) {
  HostChanges changes = changes_of(seconds{4}, seconds{6});
  changes.cpus = {"CPU 1 went offline"};
  const RunRecord record = run(changes);
  EXPECT_EQ(record.state, RunState::finished);
  EXPECT_THAT(record.flags, ElementsAre(testing::Field(&QualityFlag::code, "host-suspended"),
                                        testing::Field(&QualityFlag::code, "cpus-changed")));
  EXPECT_EQ(*record.ended - *record.started, seconds{10});
}

TEST_F(RunOnAFaultyHost, lasts_as_long_as_it_did_although_its_clock_was_set) {
  for (const hours set : {-kYear, kYear}) {
    const RunRecord record = run(changes_of(seconds{10}, {}, set));
    EXPECT_EQ(*record.ended - *record.started, seconds{10});
    EXPECT_THAT(record.flags, ElementsAre(testing::Field(&QualityFlag::code, "clock-set")));
  }
}

}  // namespace
}  // namespace netperfd::core
