// SPDX-License-Identifier: GPL-2.0-or-later
// A netperfd that starts removes the instances of dead ones, but not one that is in use by a netperfd that it
// does not see, because that is in another PID namespace.
#include "daemon/trace/tracefs/own_instance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "daemon/trace/catalogue/probe_site.hpp"
#include "daemon/trace/tracefs/foreign_tracers.hpp"
#include "daemon/trace/tracefs/session.hpp"
#include "tests/unit/trace/tracefs/fake_tracefs.hpp"
#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {
namespace {

using ::testing::ElementsAre;

// Of another netperfd, which has its own journal, and no processes in its /proc.
Result<std::vector<std::string>> clean_up_elsewhere(Tracefs& tracefs) {
  const ScratchDirectory scratch;
  return clean_up(tracefs, fake_settings(scratch));
}

TEST(OwnInstance, in_use_is_left_alone_by_a_netperfd_that_does_not_see_the_process) {
  const ScratchDirectory scratch;
  FakeTracefs tracefs;
  const std::string before = tracefs.snapshot();
  auto session = TraceSession::open(tracefs, fake_settings(scratch), event_spec());
  ASSERT_TRUE(session) << session.error().message;
  const auto cleaned = clean_up_elsewhere(tracefs);
  ASSERT_TRUE(cleaned) << cleaned.error().message;
  EXPECT_THAT(*cleaned, ElementsAre("left instances/netperfd-4711 alone: it is in use"));
  EXPECT_TRUE(tracefs.exists("instances/netperfd-4711"));
  ASSERT_TRUE((*session)->start({::getpid()}));
  EXPECT_EQ((*session)->disturbance(), "");
  EXPECT_TRUE((*session)->restore());
  EXPECT_EQ(tracefs.snapshot(), before);
}

TEST(OwnInstance, of_a_probe_is_left_alone_too) {
  FakeTracefs tracefs;
  {
    const auto probe = ProbeInstance::make(tracefs, "netperfd-4711");
    ASSERT_TRUE(probe) << probe.error().message;
    ASSERT_TRUE(clean_up_elsewhere(tracefs));
    EXPECT_TRUE(tracefs.exists("instances/netperfd-4711"));
  }
  EXPECT_FALSE(tracefs.exists("instances/netperfd-4711")) << "the probe has ended";
}

TEST(OwnInstance, that_is_removed_just_when_it_is_made_is_made_again) {
  const ScratchDirectory scratch;
  FakeTracefs tracefs;
  int removed = 0;
  tracefs.after_each([&](const FakeTracefs::Operation& operation) {
    if (operation.kind != FakeTracefs::Operation::Kind::make_directory || ++removed > 3) return;
    tracefs.erase(operation.path);
  });
  auto session = TraceSession::open(tracefs, fake_settings(scratch), event_spec());
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(removed, 4);
  EXPECT_TRUE((*session)->restore());
  EXPECT_FALSE(tracefs.exists("instances/netperfd-4711"));
}

TEST(OwnInstance, of_which_no_file_can_be_opened_is_not_left) {
  FakeTracefs tracefs;
  tracefs.fail_path("instances/x/buffer_size_kb", EMFILE);
  EXPECT_FALSE(make_instance(tracefs, "instances/x"));
  EXPECT_FALSE(tracefs.exists("instances/x"));
}

TEST(OwnInstance, has_a_name_that_tells_the_process_and_is_no_other_ones) {
  const std::string name = name_of_own_instance();
  EXPECT_EQ(instance_owner(name), ::getpid());
  EXPECT_NE(name, name_of_own_instance());
  EXPECT_EQ(instance_owner("netperfd-4711"), 4711) << "of an older netperfd";
}

// As the kernel has it: a netperfd starts in a PID namespace of its own while this process traces.
TEST(OwnInstance, survives_the_start_of_a_netperfd_in_another_pid_namespace) {
  const auto root = find_tracefs();
  if (!root) GTEST_SKIP() << root.error().message;
  const auto tracefs = make_real_tracefs(*root);
  if (!tracefs->exists("instances")) GTEST_SKIP() << "needs root";
  const ScratchDirectory scratch;
  const ScratchDirectory elsewhere;
  auto session = TraceSession::open(*tracefs, kernel_settings(scratch), event_spec());
  ASSERT_TRUE(session) << session.error().message;
  const pid_t other = ::fork();
  if (other == 0) {
    if (::unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) ::_exit(1);
    const pid_t first = ::fork();
    if (first == 0) {
      if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(2);
      if (::mount("proc", "/proc", "proc", 0, nullptr) != 0) ::_exit(3);
      ::_exit(clean_up(*tracefs, kernel_settings(elsewhere)) ? 0 : 4);
    }
    int status = 0;
    (void)::waitpid(first, &status, 0);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 5);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(tracefs->exists((*session)->directory()));
  EXPECT_TRUE((*session)->start({::getpid()}));
  EXPECT_EQ((*session)->disturbance(), "");
  EXPECT_TRUE((*session)->restore());
}

}  // namespace
}  // namespace netperfd::trace
