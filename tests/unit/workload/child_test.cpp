// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/child.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/unit/workload/support.hpp"

namespace netperfd::workload::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::UnorderedElementsAre;

class ChildTest : public testing::Test {
 protected:
  // Checks that the test left no process behind.
  void TearDown() override {
    watched.child.reset();
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }

  void begin(LaunchOrder order, ChildSettings settings = settings_named("iperf3")) {
    const Status started = start(loop, watched, std::move(order), std::move(settings));
    ASSERT_TRUE(started) << started.error().message;
  }
  void begin_running(LaunchOrder order, ChildSettings settings = settings_named("iperf3")) {
    ASSERT_NO_FATAL_FAILURE(begin(std::move(order), std::move(settings)));
    ASSERT_TRUE(turn_until(loop, [this] { return watched.ready || watched.end; }));
    watched.child->release();
  }
  void wait_for_end() {
    ASSERT_TRUE(turn_until(loop, [this] { return watched.end.has_value(); }));
  }
  void run(LaunchOrder order, ChildSettings settings = settings_named("iperf3")) {
    ASSERT_NO_FATAL_FAILURE(begin_running(std::move(order), std::move(settings)));
    wait_for_end();
  }
  [[nodiscard]] const std::string& out() const { return watched.child->out(); }
  // The hexadecimal number in a row of `cat /proc/self/status`.
  [[nodiscard]] std::uint64_t signal_set(const std::string& row) const {
    const std::size_t at = out().find("\n" + row + ":\t");
    if (at == std::string::npos) throw std::runtime_error(row + " in " + out());
    return std::stoull(out().substr(at + row.size() + 3), nullptr, 16);
  }

  EventLoop loop = make_loop();
  Watched watched;
};

LaunchOrder as_nobody(std::vector<std::string> argv) {
  LaunchOrder order = order_for(std::move(argv));
  order.uid = kNobody;
  order.gid = kNogroup;
  return order;
}

TEST_F(ChildTest, runs_nothing_before_its_release) {
  begin(order_for({"cat", "/proc/self/comm"}));
  ASSERT_TRUE(turn_until(loop, [this] { return watched.ready; }));
  const auto running =
      std::filesystem::read_symlink("/proc/" + std::to_string(watched.child->pid()) + "/exe");
  EXPECT_EQ(running, std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_EQ(out(), "");

  watched.child->release();
  wait_for_end();
  EXPECT_EQ(out(), "cat\n");
  EXPECT_TRUE(watched.end->executed);
  EXPECT_EQ(watched.end->failure, "");
}

TEST_F(ChildTest, brings_back_the_reason_of_a_failed_exec) {
  run(order_for({"/nonexistent/iperf3"}));
  EXPECT_EQ(watched.end->failure, "iperf3: execute /nonexistent/iperf3: No such file or directory");
  EXPECT_FALSE(watched.end->executed);
}

TEST_F(ChildTest, brings_back_the_reason_of_a_forbidden_exec) {
  run(order_for({"/etc/passwd"}));
  EXPECT_EQ(watched.end->failure, "iperf3: execute /etc/passwd: Permission denied");
}

TEST_F(ChildTest, refuses_a_program_that_is_on_no_path) {
  const Status started = start(loop, watched, order_for({"no-such-iperf3"}));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().kind, ErrorKind::not_found);
  EXPECT_THAT(started.error().message, HasSubstr("no-such-iperf3: no such program in /usr/local/sbin:"));
}

TEST_F(ChildTest, refuses_a_launcher_that_is_not_there) {
  ChildSettings settings = settings_named("iperf3");
  settings.launcher = "/nonexistent/netperfd";
  const Status started = start(loop, watched, order_for({"true"}), std::move(settings));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "iperf3: spawn /nonexistent/netperfd: No such file or directory");
}

TEST_F(ChildTest, tells_of_a_launcher_that_does_not_launch) {
  ChildSettings settings = settings_named("iperf3");
  settings.launcher = "/bin/false";
  run(order_for({"true"}), std::move(settings));
  EXPECT_FALSE(watched.ready);
  EXPECT_EQ(watched.end->failure, "iperf3: its launcher ended with exit code 1 before it ran");
}

TEST_F(ChildTest, names_the_network_namespace_that_is_missing) {
  LaunchOrder order = order_for({"true"});
  order.netns = "npw-none";
  run(std::move(order));
  EXPECT_FALSE(watched.ready);
  EXPECT_EQ(watched.end->failure, "iperf3: open network namespace \"npw-none\": No such file or directory");
}

TEST_F(ChildTest, opens_no_namespace_outside_run_netns) {
  LaunchOrder order = order_for({"true"});
  order.netns = "../../proc/1/ns/net";
  run(std::move(order));
  EXPECT_THAT(watched.end->failure, HasSubstr("Invalid argument"));
}

TEST_F(ChildTest, runs_in_the_network_namespace) {
  REQUIRE_ROOT();
  const NamespacePair namespaces;
  LaunchOrder order = as_nobody({"ip", "-4", "-brief", "address", "show", "dev", "veth0"});
  order.netns = namespaces.right();
  run(std::move(order));
  EXPECT_THAT(out(), HasSubstr("10.97.0.2/24"));
}

TEST_F(ChildTest, gives_up_user_groups_capabilities_and_new_privileges) {
  REQUIRE_ROOT();
  run(as_nobody({"cat", "/proc/self/status"}));
  EXPECT_THAT(out(), AllOf(HasSubstr("\nUid:\t65534\t65534\t65534\t65534\n"),
                           HasSubstr("\nGid:\t65534\t65534\t65534\t65534\n"), HasSubstr("\nGroups:\t \n"),
                           HasSubstr("\nCapPrm:\t0000000000000000\n"),
                           HasSubstr("\nCapEff:\t0000000000000000\n"), HasSubstr("\nNoNewPrivs:\t1\n")));
}

TEST_F(ChildTest, works_for_a_daemon_without_root) {
  REQUIRE_ROOT();
  run(as_nobody({"/proc/self/exe", "--nested", "id", "-u"}));
  EXPECT_EQ(out(), "65534\n");
}

TEST_F(ChildTest, inherits_neither_blocked_nor_ignored_signals) {
  sigset_t before;
  sigset_t blocked;
  ::sigfillset(&blocked);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  struct sigaction old{};
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGPIPE, &ignore, &old), 0);
  run(order_for({"cat", "/proc/self/status"}));
  ASSERT_EQ(::sigaction(SIGPIPE, &old, nullptr), 0);
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
  EXPECT_EQ(signal_set("SigBlk"), 0U);
  // 32 and 33 belong to the C library: its posix_spawn leaves them ignored, and a program with threads sets
  // them again.
  constexpr std::uint64_t kLibrarySignals = std::uint64_t{3} << 31;
  EXPECT_EQ(signal_set("SigIgn") & ~kLibrarySignals, 0U);
}

TEST_F(ChildTest, has_a_small_fixed_environment) {
  run(order_for({"env"}));
  EXPECT_THAT(watched.lines, UnorderedElementsAre("PATH=" + std::string{kProgramPath}, "LC_ALL=C", "HOME=/"));
}

TEST_F(ChildTest, inherits_no_file_even_where_close_on_exec_was_forgotten) {
  const Fd forgotten{::open("/dev/null", O_RDONLY)};  // NOLINT(android-cloexec-open): that is the point
  ASSERT_TRUE(forgotten);
  run(order_for({"ls", "/proc/self/fd"}));
  // 3 is the directory that ls reads.
  EXPECT_THAT(watched.lines, ElementsAre("0", "1", "2", "3"));
}

TEST_F(ChildTest, dumps_no_core_and_has_a_bounded_number_of_files) {
  run(order_for({"cat", "/proc/self/limits"}));
  EXPECT_THAT(watched.lines, testing::Contains(MatchesRegex("Max core file size +0 +0 +bytes +")));
  EXPECT_THAT(watched.lines, testing::Contains(MatchesRegex("Max open files +1024 +1024 +files +")));
}

TEST_F(ChildTest, works_in_the_root_directory_and_in_a_process_group_of_its_own) {
  begin(order_for({"pwd"}));
  ASSERT_TRUE(turn_until(loop, [this] { return watched.ready; }));
  EXPECT_EQ(::getpgid(watched.child->pid()), watched.child->pid());
  watched.child->release();
  wait_for_end();
  EXPECT_EQ(out(), "/\n");
}

TEST_F(ChildTest, stays_on_its_cpu) {
  LaunchOrder order = order_for({"cat", "/proc/self/status"});
  order.cpus = {0};
  run(std::move(order));
  EXPECT_THAT(out(), HasSubstr("\nCpus_allowed_list:\t0\n"));
}

TEST_F(ChildTest, names_the_cpu_that_is_missing) {
  LaunchOrder order = order_for({"true"});
  order.cpus = {1023};
  run(std::move(order));
  EXPECT_EQ(watched.end->failure, "iperf3: bind to CPU 1023: Invalid argument");
}

TEST_F(ChildTest, gives_output_line_by_line_and_keeps_its_bytes) {
  run(order_for({"sh", "-c", "printf 'one\\ntw'; printf 'o\\nrest'; printf words >&2"}));
  EXPECT_THAT(watched.lines, ElementsAre("one", "two"));
  EXPECT_EQ(out(), "one\ntwo\nrest");
  EXPECT_EQ(watched.child->err(), "words");
}

TEST_F(ChildTest, tells_the_exit_code) {
  run(order_for({"sh", "-c", "exit 3"}));
  EXPECT_EQ(watched.end->exit_code, 3);
  EXPECT_EQ(watched.end->failure, "");
}

TEST_F(ChildTest, names_the_signal_that_killed_it) {
  begin_running(order_for({"sh", "-c", "kill -9 $$"}));
  wait_for_end();
  EXPECT_EQ(watched.end->signal_number, SIGKILL);
  EXPECT_TRUE(watched.end->executed);
  EXPECT_EQ(watched.end->failure, "iperf3: killed by signal 9 (Killed)");
}

TEST_F(ChildTest, ends_by_a_signal_while_it_waits_for_the_release) {
  begin(order_for({"true"}));
  ASSERT_TRUE(turn_until(loop, [this] { return watched.ready; }));
  watched.child->signal(SIGTERM);
  wait_for_end();
  EXPECT_FALSE(watched.end->executed);
  EXPECT_EQ(watched.end->failure, "iperf3: killed by signal 15 (Terminated) before it ran");
  watched.child->release();
  watched.child->signal(SIGTERM);
}

TEST_F(ChildTest, dies_by_force_where_it_is_deaf_to_sigterm) {
  begin_running(order_for({"sh", "-c", "trap 'echo heard' TERM; echo deaf; while :; do sleep 0.05; done"}));
  ASSERT_TRUE(turn_until(loop, [this] { return watched.lines.size() == 1; }));
  watched.child->signal(SIGTERM);
  ASSERT_TRUE(turn_until(loop, [this] { return watched.lines.size() == 2; }));
  EXPECT_FALSE(watched.end);
  watched.child->signal(SIGKILL);
  wait_for_end();
  EXPECT_EQ(watched.end->signal_number, SIGKILL);
}

TEST_F(ChildTest, is_killed_at_the_limit_of_its_output) {
  ChildSettings settings = settings_named("iperf3");
  settings.stdout_limit_bytes = 1000;
  run(order_for({"yes"}), std::move(settings));
  EXPECT_EQ(watched.end->failure, "iperf3: wrote more than 1000 bytes to its standard output and was killed");
  EXPECT_EQ(out().size(), 1000U);
}

TEST_F(ChildTest, is_killed_at_the_limit_of_its_error_output) {
  ChildSettings settings = settings_named("iperf3");
  settings.stderr_limit_bytes = 1000;
  run(order_for({"sh", "-c", "exec yes >&2"}), std::move(settings));
  EXPECT_EQ(watched.end->failure, "iperf3: wrote more than 1000 bytes to its standard error and was killed");
}

TEST_F(ChildTest, may_write_as_much_as_its_limit) {
  ChildSettings settings = settings_named("iperf3");
  settings.stdout_limit_bytes = 6;
  run(order_for({"echo", "12345"}), std::move(settings));
  EXPECT_EQ(watched.end->failure, "");
  EXPECT_EQ(out(), "12345\n");
}

TEST_F(ChildTest, does_not_wait_for_a_grandchild_that_holds_its_pipes) {
  run(order_for({"sh", "-c", "sleep 1000 & echo $!"}));
  EXPECT_EQ(watched.end->failure, "");
  const pid_t grandchild = std::stoi(out());
  EXPECT_EQ(::kill(grandchild, SIGKILL), 0);
}

TEST_F(ChildTest, keeps_output_of_a_large_document_whole) {
  run(order_for({"seq", "1", "300000"}));
  EXPECT_EQ(watched.lines.size(), 300000U);
  EXPECT_EQ(watched.lines.back(), "300000");
}

TEST_F(ChildTest, counts_the_cpu_time_of_its_program) {
  run(order_for({"sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"}));
  EXPECT_GT(watched.end->usage.user + watched.end->usage.system, std::chrono::milliseconds{10});
}

TEST_F(ChildTest, is_killed_and_reaped_by_its_destructor) {
  begin_running(order_for({"sh", "-c", "echo up; exec sleep 1000"}));
  ASSERT_TRUE(turn_until(loop, [this] { return !watched.lines.empty(); }));
  const pid_t pid = watched.child->pid();
  watched.child.reset();
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
  EXPECT_FALSE(watched.end);
}

TEST_F(ChildTest, may_be_destroyed_when_it_tells_its_end) {
  bool ended = false;
  std::unique_ptr<Child> child;
  ChildEvents events;
  events.ready = [&] { child->release(); };
  events.ended = [&](const ChildEnd& end) {
    child.reset();
    ended = end.executed;
  };
  Result<std::unique_ptr<Child>> started =
      Child::start(loop, settings_named("iperf3"), order_for({"echo", "words"}), std::move(events));
  ASSERT_TRUE(started);
  child = *std::move(started);
  EXPECT_TRUE(turn_until(loop, [&] { return ended; }));
}

// The intermediate process has a child like the daemon, and dies without warning.
class OrphanTest : public ChildTest, public testing::WithParamInterface<const char*> {};

TEST_P(OrphanTest, dies_with_a_killed_daemon) {
  REQUIRE_ROOT();
  begin_running(order_for({"/proc/self/exe", "--parent-of", GetParam()}));
  ASSERT_TRUE(turn_until(loop, [this] { return watched.lines.size() == 1 || watched.end; }));
  ASSERT_FALSE(watched.lines.empty()) << watched.child->err();
  const pid_t grandchild = std::stoi(watched.lines.front());
  ASSERT_EQ(::kill(grandchild, 0), 0);
  watched.child->signal(SIGKILL);
  EXPECT_TRUE(turn_until_gone(loop, grandchild));
}

INSTANTIATE_TEST_SUITE_P(states, OrphanTest, testing::Values("waiting", "running"));

}  // namespace
}  // namespace netperfd::workload::test
