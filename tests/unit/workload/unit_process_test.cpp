// SPDX-License-Identifier: GPL-2.0-or-later
// The launcher of a program in a unit, with real processes and a fake of systemd: it starts them, holds their
// standard input until they have ended, and ends what they leave.
#include "daemon/workload/unit_process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>

// glibc 2.36 does not declare these as extern "C".
extern "C" {
#include <sys/pidfd.h>
}

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/workload/command/workload.hpp"
#include "tests/unit/workload/iperf3_fixture.hpp"
#include "tests/unit/workload/support.hpp"

namespace netperfd::workload::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class FakeUnits final : public core::ProgramUnits {
 public:
  explicit FakeUnits(EventLoop& loop) : loop_(loop) {}
  Status check() const override { return {}; }
  Result<std::unique_ptr<core::ActiveUnit>> start(const core::UnitOrder& order,
                                                  const Fd& standard_input) override {
    asked = order;
    return std::make_unique<Unit>(*this, order, standard_input);
  }

  core::UnitOrder asked;
  core::UnitEnd end;                     // what a unit ends with
  std::chrono::milliseconds cleanup{0};  // how long one takes
  bool obeys = true;                     // it ends a unit when it is told to
  int units_running = 0;                 // until the main process was reaped

 private:
  class Unit final : public core::ActiveUnit {
   public:
    Unit(FakeUnits& owner, const core::UnitOrder& order, const Fd& standard_input) : owner_(owner) {
      input_.reset(::fcntl(standard_input.get(), F_DUPFD_CLOEXEC, 10));
      std::vector<std::string> words = order.argv;
      std::vector<std::string> variables = order.environment;
      std::vector<char*> argv;
      std::vector<char*> environment;
      for (std::string& word : words) argv.push_back(word.data());
      for (std::string& variable : variables) environment.push_back(variable.data());
      argv.push_back(nullptr);
      environment.push_back(nullptr);
      posix_spawn_file_actions_t actions{};
      posix_spawnattr_t attributes{};
      posix_spawn_file_actions_init(&actions);
      posix_spawn_file_actions_adddup2(&actions, input_.get(), STDIN_FILENO);
      posix_spawnattr_init(&attributes);
      posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
      if (::posix_spawn(&pid_, argv[0], &actions, &attributes, argv.data(), environment.data()) != 0)
        throw std::runtime_error("posix_spawn");
      posix_spawn_file_actions_destroy(&actions);
      posix_spawnattr_destroy(&attributes);
      ++owner_.units_running;
      pidfd_.reset(::pidfd_open(pid_, 0));
      main_ended_ = *owner_.loop_.on_readable(pidfd_.get(), [this] { reap(); });
    }
    Unit(const Unit&) = delete;
    Unit& operator=(const Unit&) = delete;
    ~Unit() override {
      if (pid_ < 0) return;
      kill();
      reap();
    }
    void kill() override {
      if (owner_.obeys && pid_ > 0) ::kill(-pid_, SIGKILL);
    }
    void ask_end(std::function<void(const core::UnitEnd&)> told) override {
      turn_ = *owner_.loop_.after(owner_.cleanup, [this, told = std::move(told)] { told(owner_.end); });
    }

   private:
    void reap() {
      siginfo_t ended{};
      (void)::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT);
      ::kill(-pid_, SIGKILL);  // what is left; the number is still the group's
      (void)::waitpid(pid_, nullptr, 0);
      pid_ = -1;
      --owner_.units_running;
      main_ended_.reset();
      input_.reset();
    }
    FakeUnits& owner_;
    Fd input_, pidfd_;
    pid_t pid_ = -1;
    EventSource main_ended_, turn_;
  };

  EventLoop& loop_;
};

class UnitProcessTest : public testing::Test {
 protected:
  void TearDown() override {
    watched.child.reset();
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
    EXPECT_EQ(errno, ECHILD);
  }

  static LaunchOrder in_unit(std::vector<std::string> argv) {
    LaunchOrder order = order_for(std::move(argv));
    order.capabilities = {"NET_ADMIN", "BPF"};
    order.directory = "/tmp";
    order.waits_with_select = false;
    return order;
  }
  ChildSettings settings() {
    ChildSettings made = settings_named("bench");
    made.units = &units;
    return made;
  }
  void begin(LaunchOrder order) {
    const Status started = start(loop, watched, std::move(order), settings());
    ASSERT_TRUE(started) << started.error().message;
    ASSERT_TRUE(turn_until(loop, [this] { return watched.ready || watched.end; }));
  }
  void begin_running(LaunchOrder order) {
    ASSERT_NO_FATAL_FAILURE(begin(std::move(order)));
    watched.child->release();
  }
  void wait_for_end() {
    ASSERT_TRUE(turn_until(loop, [this] { return watched.end.has_value(); }));
  }
  void run(LaunchOrder order) {
    ASSERT_NO_FATAL_FAILURE(begin_running(std::move(order)));
    wait_for_end();
  }
  bool prints(std::size_t lines) {
    return turn_until(loop, [this, lines] { return watched.lines.size() >= lines || watched.end; }) &&
           !watched.end;
  }

  EventLoop loop = make_loop();
  FakeUnits units{loop};
  Watched watched;
};

TEST_F(UnitProcessTest, runs_nothing_before_its_release_and_then_the_program) {
  begin(in_unit({"sh", "-c", "echo $$; readlink /proc/$$/cwd; echo words >&2"}));
  const pid_t pid = watched.child->pid();
  EXPECT_EQ(std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe"),
            std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_NE(watched.child->top(), pid);
  EXPECT_EQ(watched.child->out(), "");
  watched.child->release();
  wait_for_end();
  EXPECT_THAT(watched.lines, ElementsAre(std::to_string(pid), "/tmp"));
  EXPECT_EQ(watched.child->err(), "words\n");
  EXPECT_TRUE(watched.end->executed);
  EXPECT_EQ(watched.end->failure, "");
  EXPECT_EQ(watched.end->left_behind, 0U);
  EXPECT_EQ(units.units_running, 0);
}

TEST_F(UnitProcessTest, asks_for_a_unit_with_all_that_the_launcher_cannot_do_itself) {
  LaunchOrder order = in_unit({"true"});
  order.netns = "left";
  order.cleanup = {"true", "--off"};
  order.environment = {"A=b"};
  run(std::move(order));
  EXPECT_EQ(units.asked.argv.front(), std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_EQ(units.asked.argv[1], kLauncherFlag);
  EXPECT_EQ(units.asked.netns, "left");
  EXPECT_THAT(units.asked.capabilities, ElementsAre("NET_ADMIN", "BPF"));
  EXPECT_THAT(units.asked.cleanup, ElementsAre(testing::EndsWith("bin/true"), "--off"));
  EXPECT_THAT(units.asked.environment,
              UnorderedElementsAre("PATH=" + std::string{kProgramPath}, "LC_ALL=C", "HOME=/tmp", "A=b"));
  EXPECT_EQ(watched.end->failure, "");
}

TEST_F(UnitProcessTest, gives_the_program_three_files_and_no_socket) {
  run(in_unit({"sh", "-c", "ls /proc/self/fd; readlink /proc/$$/fd/0"}));
  // 3 is the directory that ls reads.
  EXPECT_THAT(watched.lines, ElementsAre("0", "1", "2", "3", "/dev/null"));
}

TEST_F(UnitProcessTest, tells_the_exit_code_and_the_signal) {
  run(in_unit({"sh", "-c", "exit 3"}));
  EXPECT_EQ(watched.end->exit_code, 3);
  EXPECT_EQ(watched.end->failure, "");
  watched = {};
  run(in_unit({"sh", "-c", "kill -6 $$"}));
  EXPECT_EQ(watched.end->signal_number, SIGABRT);
  EXPECT_EQ(watched.end->failure, "bench: killed by signal 6 (Aborted)");
}

TEST_F(UnitProcessTest, brings_back_the_reason_of_a_failed_launch) {
  run(in_unit({"/nonexistent/bench"}));
  EXPECT_EQ(watched.end->failure, "bench: execute /nonexistent/bench: No such file or directory");
  EXPECT_FALSE(watched.end->executed);
  watched = {};
  LaunchOrder order = in_unit({"true"});
  order.cpus = {1023};
  begin(std::move(order));
  wait_for_end();
  EXPECT_EQ(watched.end->failure, "bench: bind to CPU 1023: Invalid argument");
}

TEST_F(UnitProcessTest, says_what_systemd_says_of_a_launcher_that_never_ran) {
  units.end.failure = "systemd says exit-code of its unit: exit code 225";
  ChildSettings broken = settings();
  broken.launcher = "/bin/false";
  ASSERT_TRUE(start(loop, watched, in_unit({"true"}), broken));
  wait_for_end();
  EXPECT_FALSE(watched.ready);
  EXPECT_EQ(watched.end->failure, "bench: systemd says exit-code of its unit: exit code 225");
}

TEST_F(UnitProcessTest, says_why_a_cleanup_failed) {
  units.end.cleanup_failure = "exit code 2";
  run(in_unit({"true"}));
  EXPECT_EQ(watched.end->failure, "");
  EXPECT_EQ(watched.end->cleanup_failure, "bench: its cleanup failed: exit code 2");
  watched = {};
  run(in_unit({"sh", "-c", "kill -9 $$"}));
  EXPECT_EQ(watched.end->failure, "bench: killed by signal 9 (Killed)");
  EXPECT_EQ(watched.end->cleanup_failure, "bench: its cleanup failed: exit code 2");
}

TEST_F(UnitProcessTest, ends_by_a_signal_while_it_waits_for_the_release) {
  begin(in_unit({"true"}));
  watched.child->signal(SIGTERM);
  wait_for_end();
  EXPECT_FALSE(watched.end->executed);
  EXPECT_EQ(watched.end->failure, "bench: killed by signal 15 (Terminated) before it ran");
}

TEST_F(UnitProcessTest, ends_by_a_signal_before_its_launcher_is_ready) {
  ASSERT_TRUE(start(loop, watched, in_unit({"true"}), settings()));
  watched.child->signal(SIGTERM);
  wait_for_end();
  EXPECT_FALSE(watched.ready);
  EXPECT_EQ(watched.end->failure, "bench: killed by signal 15 (Terminated) before it ran");
}

TEST_F(UnitProcessTest, gets_sigterm_and_ends_by_force_if_it_is_deaf) {
  begin_running(in_unit({"sh", "-c", "trap 'echo heard' TERM; echo deaf; while :; do sleep 0.05; done"}));
  ASSERT_TRUE(prints(1));
  watched.child->signal(SIGTERM);
  ASSERT_TRUE(prints(2));
  watched.child->signal(SIGKILL);
  wait_for_end();
  EXPECT_EQ(watched.end->signal_number, SIGKILL);
  EXPECT_TRUE(watched.end->executed);
}

TEST_F(UnitProcessTest, is_killed_at_the_limit_of_its_output) {
  ChildSettings small = settings();
  small.stdout_limit_bytes = 1000;
  ASSERT_TRUE(start(loop, watched, in_unit({"yes"}), small));
  ASSERT_TRUE(turn_until(loop, [this] { return watched.ready; }));
  watched.child->release();
  wait_for_end();
  EXPECT_EQ(watched.end->failure, "bench: wrote more than 1000 bytes to its standard output and was killed");
  EXPECT_TRUE(watched.end->executed);
}

TEST_F(UnitProcessTest, counts_the_cpu_time_of_the_program_and_of_those_that_it_waited_for) {
  run(in_unit({"sh", "-c", "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'"}));
  EXPECT_GT(watched.end->usage.user + watched.end->usage.system, 10ms);
}

TEST_F(UnitProcessTest, counts_what_the_program_left_even_if_that_left_its_session) {
  run(in_unit({"sh", "-c", "(setsid sleep 973 >/dev/null 2>&1 &); sleep 974 >/dev/null 2>&1 & echo $!"}));
  EXPECT_EQ(watched.end->failure, "");
  EXPECT_EQ(watched.end->left_behind, 2U);
  // systemd ends all of a cgroup; the fake knows only the group of processes.
  (void)run_program({"pkill", "-KILL", "-f", "^sleep 973$"});
}

TEST_F(UnitProcessTest, ends_when_the_daemon_is_gone_though_nobody_ends_the_unit) {
  begin_running(in_unit({"sh", "-c", "echo up; exec sleep 975"}));
  ASSERT_TRUE(prints(1));
  const pid_t program = watched.child->pid();
  units.obeys = false;
  // Closes the socket; the destructor of the unit waits for the launcher.
  watched.child.reset();
  EXPECT_EQ(units.units_running, 0);
  EXPECT_TRUE(turn_until_gone(loop, program));
}

TEST_F(UnitProcessTest, is_not_started_without_its_cleanup) {
  LaunchOrder order = in_unit({"true"});
  order.cleanup = {"no-such-cleanup"};
  const Status started = start(loop, watched, std::move(order), settings());
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().kind, ErrorKind::not_found);
  EXPECT_THAT(started.error().message, HasSubstr("no-such-cleanup"));
}

// netperfd ends the server itself, which hides how it ended, but not that it left something behind.
TEST(CommandWithCapabilities, fails_if_the_cleanup_of_its_server_did) {
  REQUIRE_ROOT();
  EventLoop loop = make_loop();
  NoFigureReading figures;
  FakeUnits units{loop};
  units.end.cleanup_failure = "exit code 2";
  CommandWorkload workload{loop, figures, {.path = "", .uid = kNobody, .gid = kNogroup, .units = &units}};
  JobSpec job;
  job.command.emplace().client.argv = {"true"};
  job.command->output_limit = 1U << 20U;
  job.command->server = CommandProgram{.argv = {"sh", "-c", "echo listening; exec sleep 979"},
                                       .cpus = {},
                                       .capabilities = {"NET_ADMIN"},
                                       .cleanup = {"true"}};
  job.command->ready.line = "listening";
  Listener listener;
  auto active = workload.prepare(job, listener);
  ASSERT_TRUE(active) << active.error().message;
  listener.active = *std::move(active);
  listener.on_prepared = [&] { listener.active->release(); };
  ASSERT_TRUE(turn_until(loop, [&] { return listener.result.has_value(); }));
  EXPECT_THAT(listener.result->error, HasSubstr("local server: its cleanup failed: exit code 2"));
  listener.active.reset();
}

// A cleanup may take longer than a program may after SIGTERM.
TEST(CommandWithCapabilities, was_not_killed_if_only_its_cleanup_takes_long) {
  REQUIRE_ROOT();
  EventLoop loop = make_loop();
  NoFigureReading figures;
  FakeUnits units{loop};
  units.cleanup = 2500ms;
  CommandWorkload workload{loop, figures, {.path = "", .uid = kNobody, .gid = kNogroup, .units = &units}};
  JobSpec job;
  job.command.emplace().client = {
      .argv = {"sleep", "978"}, .cpus = {}, .capabilities = {"NET_ADMIN"}, .cleanup = {"true"}};
  job.command->output_limit = 1U << 20U;
  Listener listener;
  auto active = workload.prepare(job, listener);
  ASSERT_TRUE(active) << active.error().message;
  listener.active = *std::move(active);
  listener.on_prepared = [&] { listener.active->release(); };
  ASSERT_TRUE(turn_until(loop, [&] { return listener.prepared > 0; }));
  listener.active->stop();
  ASSERT_TRUE(turn_until(loop, [&] { return listener.result.has_value(); }));
  EXPECT_EQ(listener.result->error, "stopped before its end");
}

TEST(CommandWithCapabilities, is_neither_accepted_nor_prepared_without_systemd) {
  class NoUnits final : public core::ProgramUnits {
   public:
    Status check() const override { return fail(ErrorKind::unsupported, "systemd is not PID 1"); }
    Result<std::unique_ptr<core::ActiveUnit>> start(const core::UnitOrder&, const Fd&) override {
      return fail(ErrorKind::internal, "it was started");
    }
  } units;
  EventLoop loop = make_loop();
  NoFigureReading figures;
  Listener listener;
  CommandWorkload workload{loop, figures, {.path = "", .units = &units}};
  const auto refusal = [&](const JobSpec& job) {
    const Status checked = workload.check(job);
    if (checked) return std::string();
    EXPECT_EQ(checked.error().kind, ErrorKind::unsupported);
    const auto prepared = workload.prepare(job, listener);
    EXPECT_EQ(prepared ? "prepared" : prepared.error().message, checked.error().message);
    return checked.error().message;
  };
  JobSpec job;
  job.command.emplace().client.argv = {"true"};
  EXPECT_EQ(refusal(job), "");
  job.command->client.capabilities = {"NET_ADMIN"};
  EXPECT_EQ(refusal(job), "systemd is not PID 1");
  job.command->client.capabilities.clear();
  job.command->server = CommandProgram{.argv = {"true"}, .cpus = {}, .capabilities = {"NET_ADMIN"}};
  EXPECT_EQ(refusal(job), "systemd is not PID 1");
}

}  // namespace
}  // namespace netperfd::workload::test
