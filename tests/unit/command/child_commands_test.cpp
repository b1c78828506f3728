// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/child_commands.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>

#include "daemon/command/output_tail.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/command/support.hpp"

namespace netperfd::command::test {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr milliseconds kLong = kTestPatience;

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

class ChildCommandsTest : public testing::Test {
 protected:
  // Checks that the test left no process behind.
  void TearDown() override {
    command.reset();
    EXPECT_TRUE(turn_until(loop, [] { return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }));
  }

  void begin(const std::vector<std::string>& argv, milliseconds timeout = kLong) {
    end.reset();
    auto started = commands.start(argv, timeout, [this](const core::CommandEnd& seen) {
      end = seen.error;
      output = seen.output;
    });
    ASSERT_TRUE(started) << started.error().message;
    ASSERT_FALSE(end) << "told inside the call";
    command = std::move(*started);
  }
  // Returns how it ended; "" means success.
  std::string run(const std::vector<std::string>& argv, milliseconds timeout = kLong) {
    begin(argv, timeout);
    EXPECT_TRUE(turn_until(loop, [this] { return end.has_value(); }));
    command.reset();
    return end.value_or("did not end");
  }
  Scratch scratch;
  Fifo told{scratch.path("told")};
  EventLoop loop = make_loop();
  ChildCommands commands{loop};
  std::unique_ptr<core::ActiveCommand> command;
  std::optional<std::string> end;
  std::string output;  // of one that failed
};

TEST_F(ChildCommandsTest, a_command_that_ends_with_0_has_done_well) {
  EXPECT_EQ(run({"/bin/true"}), "");
  EXPECT_EQ(run(shell("echo much to say; exit 0")), "");
}

TEST_F(ChildCommandsTest, a_failure_says_the_exit_code_and_the_last_line_and_has_all_of_the_output) {
  EXPECT_EQ(run({"/bin/false"}), "exit code 1");
  EXPECT_EQ(run(shell("echo one; echo two >&2; exit 3")), "exit code 3: two");
  EXPECT_EQ(output, "one\ntwo\n");
}

TEST_F(ChildCommandsTest, a_signal_is_told_by_its_name) {
  EXPECT_THAT(run(shell("kill -SEGV $$")), StartsWith("killed by signal 11 ("));
}

TEST_F(ChildCommandsTest, a_missing_program_is_not_started) {
  const auto started = commands.start({"/nowhere/at-all"}, kLong, [](const core::CommandEnd&) { FAIL(); });
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, AllOf(HasSubstr("/nowhere/at-all"), HasSubstr("No such file")));
  EXPECT_NE(started.error().kind, ErrorKind::internal) << "which says that it has run";
}

TEST_F(ChildCommandsTest, words_are_passed_as_they_are) {
  EXPECT_EQ(run({"/bin/sh", "-c", "printf '<%s>' \"$@\"; exit 9", "sh", "$HOME", "a b", ""}),
            "exit code 9: <$HOME><a b><>");
}

TEST_F(ChildCommandsTest, nothing_of_the_daemons_environment_is_seen) {
  ASSERT_EQ(::setenv("NETPERFD_TEST_SECRET", "x", 1), 0);
  EXPECT_EQ(run({"/usr/bin/env", "sh", "-c", "env | grep -v -e ^PWD= -e ^_= | sort; pwd; exit 1"}),
            "exit code 1: /");
  EXPECT_EQ(output, "LC_ALL=C\nPATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n/\n");
  ASSERT_EQ(::unsetenv("NETPERFD_TEST_SECRET"), 0);
}

TEST_F(ChildCommandsTest, has_nothing_to_read) {
  EXPECT_EQ(run(shell("read -r line; echo \"got <$line>\"; exit 1")), "exit code 1: got <>");
}

TEST_F(ChildCommandsTest, a_flood_of_output_is_read_and_its_end_kept) {
  const std::string error = run(shell("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last; exit 1"));
  EXPECT_EQ(error, "exit code 1: last");
  EXPECT_THAT(output, AllOf(StartsWith("...x"), EndsWith("x\nlast\n")));
  EXPECT_LE(output.size(), OutputTail::kKeptBytes + 20);
}

TEST_F(ChildCommandsTest, the_timeout_ends_it_with_all_its_processes) {
  const std::string script = "sleep 1000 & echo $! >" + told.path() + "; echo waiting; wait";
  // Long enough for the shell to print this on a busy machine.
  EXPECT_EQ(run(shell(script), std::chrono::seconds{3}), "not done within 3 s: waiting");
  const pid_t pid = told.number(loop);
  EXPECT_GT(pid, 0);
  EXPECT_TRUE(turn_until_gone(loop, pid));
}

TEST_F(ChildCommandsTest, what_it_leaves_in_the_background_ends_with_it) {
  const std::string script = "sleep 1000 & echo $! >" + told.path();
  EXPECT_EQ(run(shell(script)), "");
  const pid_t pid = told.number(loop);
  EXPECT_GT(pid, 0);
  EXPECT_TRUE(turn_until_gone(loop, pid));
}

TEST_F(ChildCommandsTest, destroyed_while_it_runs_it_is_killed_and_nobody_is_told) {
  begin(shell("echo $$ >" + told.path() + "; trap '' TERM; while :; do sleep 1000; done"));
  const pid_t pid = told.number(loop);
  command.reset();
  EXPECT_GT(pid, 0);
  EXPECT_TRUE(turn_until_gone(loop, pid));
  EXPECT_FALSE(end);
}

TEST_F(ChildCommandsTest, may_be_destroyed_when_it_tells_its_end) {
  auto started = commands.start({"/bin/true"}, kLong, [this](const core::CommandEnd& seen) {
    command.reset();
    end = seen.error;
  });
  ASSERT_TRUE(started);
  command = std::move(*started);
  EXPECT_TRUE(turn_until(loop, [this] { return end.has_value(); }));
}

TEST_F(ChildCommandsTest, leave_no_descriptor_open) {
  run({"/bin/true"});
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 5; ++i) {
    run(shell("echo x; exit 1"));
    (void)commands.start({"/nowhere"}, kLong, [](const core::CommandEnd&) {});
    begin({"/bin/sleep", "1000"});
    command.reset();
  }
  EXPECT_TRUE(turn_until(loop, [before] { return open_descriptors() == before; }));
}

}  // namespace
}  // namespace netperfd::command::test
