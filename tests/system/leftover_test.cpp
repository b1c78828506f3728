// SPDX-License-Identifier: GPL-2.0-or-later
// An iperf3 that leaves processes behind: one that was replaced, or that an attacker took over.
#include <fmt/format.h>

#include <csignal>

#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::IsEmpty;

// Real iperf3, but before it begins, a grandchild leaves its parent, its session and its process group.
constexpr const char* kForking = R"(#!/bin/sh
case "$*" in *-v*|*-h*) exec IPERF3 "$@";; esac
(setsid sh -c 'exec sleep 1000' >/dev/null 2>&1 </dev/null &)
exec IPERF3 "$@"
)";

class Leftovers : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    set_up({.gated = false, .queue_limit = 64, .iperf3_script = kForking, .environment = {}});
  }
};

TEST_F(Leftovers, of_a_run_are_gone_when_it_has_ended_and_are_told_of) {
  const Outcome started = lab().ctl({"start", "local", "-o", "json"});
  ASSERT_EQ(started.code, 0) << started.err;
  EXPECT_THAT(lab().workload(), IsEmpty());
  const Database database = lab().database();
  EXPECT_EQ(database.value("SELECT state FROM runs ORDER BY id DESC LIMIT 1"), "finished");
  EXPECT_EQ(
      database.value("SELECT message FROM flags WHERE code = 'processes-left' AND run = (SELECT max(id) "
                     "FROM runs)"),
      "iperf3 left 2 processes behind, which netperfd ended: this is not the usual iperf3");
}

TEST_F(Leftovers, of_a_killed_netperfd_are_gone_when_it_is_back) {
  JobWatch watch{lab().bus().address()};
  const StartedJob job = lab().start("local", {"duration=30s"});
  watch.wait_for_run_state(job.id, "running");
  EXPECT_EQ(lab().end_netperfd(SIGKILL), (Exit{-1, SIGKILL}));
  lab().start_netperfd();
  EXPECT_THAT(lab().workload(), IsEmpty());
}

}  // namespace
}  // namespace netperfd::system_test
