// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/sample_profile.hpp"

#include <gmock/gmock.h>

namespace netperfd {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

// iperf3;a;b;a 5   iperf3;a 1   others;b 3   others;[user] 4
SampleProfile some_profile() {
  SampleProfile profile;
  profile.samples = 20;
  profile.idle = 7;
  profile.frames = {{.kind = FrameKind::program, .name = "iperf3", .module = ""},
                    {.kind = FrameKind::others, .name = "", .module = ""},
                    {.name = "a", .module = ""},
                    {.name = "b", .module = "hsr"},
                    {.kind = FrameKind::user, .name = "", .module = ""}};
  profile.nodes = {{.parent = {}, .frame = 0, .samples = 0}, {.parent = 0, .frame = 2, .samples = 1},
                   {.parent = 1, .frame = 3, .samples = 0},  {.parent = 2, .frame = 2, .samples = 5},
                   {.parent = {}, .frame = 1, .samples = 0}, {.parent = 4, .frame = 3, .samples = 3},
                   {.parent = 4, .frame = 4, .samples = 4}};
  return profile;
}

TEST(SampledFunctions, have_their_own_samples_and_once_those_of_what_they_call) {
  EXPECT_THAT(functions_of(some_profile()),
              ElementsAre(SampledFunction{.frame = 2, .self = 6, .total = 6, .workload = 6},
                          SampledFunction{.frame = 4, .self = 4, .total = 4, .workload = 0},
                          SampledFunction{.frame = 3, .self = 3, .total = 8, .workload = 0}));
  EXPECT_EQ(busy_samples(some_profile()), 13U);
}

TEST(DueSamples, are_those_taken_lost_and_missed) {
  SampleProfile profile;
  profile.event = "cpu-clock";
  profile.rate = 99;
  profile.cpus = 4;
  profile.duration_ns = 10'000'000'000;
  profile.samples = 3'000;
  profile.lost = 60;
  EXPECT_EQ(due_samples(profile), 3'960U);
  profile.samples = 3'904;
  EXPECT_EQ(due_samples(profile), 3'964U) << "a tick more on each CPU";
  profile.duration_ns = UINT64_MAX;
  profile.rate = profile.cpus = UINT32_MAX;
  EXPECT_EQ(due_samples(profile), 1'000'000'000'000'000'000U) << "what a file says can be anything";
  profile.event = "cycles";
  EXPECT_EQ(due_samples(profile), std::nullopt) << "an idle CPU has no cycles";
}

// R: prop.test(c(30), c(1000), correct = FALSE) gives 0.02108975 to 0.04251092.
TEST(SampleShare, has_wilsons_interval) {
  const SampleShare share = share_of(30, 1'000);
  EXPECT_THAT(share.share, DoubleNear(0.03, 1e-12));
  EXPECT_THAT(share.low, DoubleNear(0.0211, 1e-4));
  EXPECT_THAT(share.high, DoubleNear(0.0425, 1e-4));
  EXPECT_EQ(share_of(0, 100).low, 0);
  EXPECT_THAT(share_of(0, 100).high, DoubleNear(0.037, 1e-3));
  EXPECT_EQ(share_of(5, 0).high, 1) << "nothing is known of no samples";
}

TEST(Resolution, gets_finer_with_the_root_of_the_samples) {
  EXPECT_THAT(resolution(0.01, 4'000), DoubleNear(0.00623, 1e-4));
  EXPECT_THAT(resolution(0.01, 16'000) * 2, DoubleNear(resolution(0.01, 4'000), 1e-9));
  EXPECT_EQ(resolution(0.01, 0), 1);
}

TEST(SwitchesInterruptsOn, tells_the_unlocks_that_do_from_those_that_do_not) {
  for (const char* each : {"_raw_spin_unlock_irqrestore", "_raw_read_unlock_irq", "finish_task_switch.isra.0",
                           "handle_softirqs", "net_rx_action", "__raw_spin_unlock_irqrestore"}) {
    EXPECT_TRUE(switches_interrupts_on(each)) << each;
  }
  for (const char* each : {"_raw_spin_unlock", "_raw_spin_unlock_bh", "_raw_spin_lock_irqsave", "tcp_ack",
                           "hsr_net_rx_action", ""}) {
    EXPECT_FALSE(switches_interrupts_on(each)) << each;
  }
}

}  // namespace
}  // namespace netperfd
