// SPDX-License-Identifier: GPL-2.0-or-later
// All looks of the daemon, while a process lets its readers wait for ever.
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "daemon/base/aside.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/counters/host_noise.hpp"
#include "daemon/counters/task_times.hpp"
#include "daemon/model/counters.hpp"
#include "daemon/model/noise.hpp"
#include "daemon/trace/task_watch.hpp"
#include "daemon/trace/tracefs/foreign_tracers.hpp"
#include "daemon/workload/command/ready_test.hpp"
#include "tests/support/hung_exec.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/counters/manual_clock.hpp"

namespace netperfd {
namespace {

using namespace counters;

using testing::Contains;
using testing::StartsWith;

class Looks : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(begin_looks());
    set_look_patience(kTestPatience);
  }
  void TearDown() override { EXPECT_TRUE(begin_looks()); }
  // From now on, looks are given up.
  static std::unique_ptr<support::HungExec> make_hung() {
    set_look_patience(kLookPatience);
    return support::HungExec::make();
  }
};

TEST_F(Looks, at_task_times_see_what_a_reading_sees) {
  const auto seen = look_at_task_times("/proc");
  ASSERT_TRUE(seen);
  ASSERT_TRUE(seen->contains(::getpid()));
  const auto read = read_task_times("/proc");
  ASSERT_TRUE(read);
  // What never changes of a task, and this one's own time does not go back.
  EXPECT_EQ(seen->at(::getpid()).began, read->at(::getpid()).began);
  EXPECT_LE(seen->at(::getpid()).own, read->at(::getpid()).own);
  EXPECT_FALSE(look_at_task_times("/nowhere"));
}

TEST_F(Looks, at_task_times_are_given_up) {
  if (!support::HungExec::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  const auto hung = make_hung();
  ASSERT_TRUE(hung);
  EXPECT_FALSE(look_at_task_times("/proc"));
}

TEST_F(Looks, at_task_times_that_are_given_up_leave_the_figures_of_others_unknown) {
  if (!support::HungExec::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  ManualClock clock;
  Counters counters;
  {
    const auto hung = make_hung();
    ASSERT_TRUE(hung);
    HostNoise noise(clock, "/proc", "/sys", {::getpid()});
    noise.read_again();
    noise.add_to(counters);
  }
  EXPECT_THAT(counters.unknown,
              Contains(StartsWith("noise: tasks: not available here: /proc cannot be read")));
  EXPECT_EQ(noise::figure(counters.deltas, noise::kTasks), std::nullopt);
  EXPECT_TRUE(noise::figure(counters.deltas, noise::kOnlineCpus)) << "all else is known";
}

TEST_F(Looks, at_a_task_of_a_trace_that_are_given_up_hide_it) {
  if (!support::HungExec::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  ManualClock clock;
  const auto hung = make_hung();
  ASSERT_TRUE(hung);
  trace::TaskWatch watch(clock, "/proc", 65534);
  watch.start({});
  EXPECT_TRUE(watch.screen().hides(hung->pid()));
}

TEST_F(Looks, for_those_who_hold_tracefs_tell_that_they_are_given_up) {
  if (!support::HungExec::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  EXPECT_EQ(trace::holders_of("/proc", "instances/nobody-has-it"), "");
  const auto hung = make_hung();
  ASSERT_TRUE(hung);
  EXPECT_EQ(trace::holders_of("/proc", "instances/nobody-has-it"),
            "perhaps a process that cannot be looked at");
}

TEST_F(Looks, for_a_port_that_are_given_up_leave_it_unknown) {
  if (!support::HungExec::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  const Fd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ASSERT_EQ(::listen(listener.get(), 1), 0);  // at a port of the kernel's choice
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_EQ(workload::has_port({::getpid()}, ntohs(address.sin_port)), true);
  EXPECT_EQ(workload::has_port({}, ntohs(address.sin_port)), false);
  const auto hung = make_hung();
  ASSERT_TRUE(hung);
  EXPECT_EQ(workload::has_port({hung->pid()}, ntohs(address.sin_port)), std::nullopt);
}

}  // namespace
}  // namespace netperfd
