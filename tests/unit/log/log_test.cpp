// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/log/log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "daemon/base/fd.hpp"

namespace netperfd::log {
namespace {

std::string read_all(const Fd& from) {
  std::string text;
  std::array<char, 4096> chunk{};
  for (;;) {
    const ssize_t got = ::read(from.get(), chunk.data(), chunk.size());
    if (got <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

struct Ended {
  int exit_code = -1;
  std::string text;  // its output on stderr
};

// Runs `body` in a process whose stderr is a pipe to us, because logging affects the whole process.
Ended in_child(const std::function<int()>& body) {
  auto pipe = make_pipe();
  if (!pipe) return {.exit_code = -1, .text = pipe.error().message};
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe->write.get(), STDERR_FILENO);
    ::_exit(body());
  }
  pipe->write.reset();
  Ended ended;
  ended.text = read_all(pipe->read);
  int status = 0;
  ::waitpid(child, &status, 0);
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

// In a child, which has only one thread.
void set_journal_stream(const std::string& stream) {
  ::setenv("JOURNAL_STREAM", stream.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
}

std::string stream_of_stderr() {
  struct stat status{};
  ::fstat(STDERR_FILENO, &status);
  return fmt::format("{}:{}", status.st_dev, status.st_ino);
}

TEST(Log, writes_plain_lines_with_the_run_to_a_stderr_that_is_no_terminal) {
  const Ended child = in_child([] {
    set_journal_stream("");
    if (!start_logging(Level::info)) return 1;
    info("started", {.job = 12, .run = 41});
    warn("queued", {.job = 12});
    error("plain");
    return 0;
  });
  EXPECT_EQ(child.exit_code, 0);
  EXPECT_NE(child.text.find(" info: run 41: started\n"), std::string::npos) << child.text;
  EXPECT_NE(child.text.find(" warning: job 12: queued\n"), std::string::npos) << child.text;
  EXPECT_NE(child.text.find(" error: plain\n"), std::string::npos) << child.text;
  EXPECT_EQ(child.text.find('\x1b'), std::string::npos) << child.text;
}

TEST(Log, a_new_level_holds_for_what_follows) {
  const Ended child = in_child([] {
    set_journal_stream("");
    if (!start_logging(Level::info)) return 1;
    debug("one");
    set_log_level(Level::debug);
    debug("two");
    set_log_level(Level::error);
    warn("three");
    error("four");
    return 0;
  });
  EXPECT_EQ(child.exit_code, 0);
  EXPECT_EQ(child.text.find("one"), std::string::npos) << child.text;
  EXPECT_NE(child.text.find("debug: two"), std::string::npos) << child.text;
  EXPECT_EQ(child.text.find("three"), std::string::npos) << child.text;
  EXPECT_NE(child.text.find("error: four"), std::string::npos) << child.text;
}

TEST(Log, words_of_others_cannot_pose_as_an_entry) {
  const Ended child = in_child([] {
    set_journal_stream("");
    if (!start_logging(Level::info)) return 1;
    info("label a\n2026-01-01 error: forged\x1b[31m");
    return 0;
  });
  EXPECT_NE(child.text.find("label a\n    2026-01-01 error: forged?[31m\n"), std::string::npos) << child.text;
}

TEST(Log, a_text_is_never_a_format) {
  const Ended child = in_child([] {
    set_journal_stream("");
    if (!start_logging(Level::info)) return 1;
    info("{} %s {0}");
    return 0;
  });
  EXPECT_NE(child.text.find("info: {} %s {0}\n"), std::string::npos) << child.text;
}

TEST(Log, writes_nothing_before_it_is_started) {
  const Ended child = in_child([] {
    info("early");
    set_log_level(Level::debug);
    return 0;
  });
  EXPECT_EQ(child.exit_code, 0);
  EXPECT_EQ(child.text, "");
}

TEST(Log, a_journal_stream_of_another_stderr_is_not_ours) {
  const Ended child = in_child([] {
    set_journal_stream("1:2");
    if (!start_logging(Level::info)) return 1;
    info("here");
    return 0;
  });
  EXPECT_NE(child.text.find("info: here"), std::string::npos) << child.text;
}

TEST(Log, levels_have_the_names_of_the_configuration) {
  for (const Level level : {Level::debug, Level::info, Level::warning, Level::error}) {
    EXPECT_EQ(parse_level(to_string(level)), level);
  }
  EXPECT_FALSE(parse_level("loud"));
}

constexpr int kNoPrivilege = 77;

// A private journal socket in a private mount namespace, at the path compiled into libsystemd.
Fd open_private_journal() {
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", "/run", "tmpfs", 0, nullptr) != 0) {
    return Fd{};
  }
  ::mkdir("/run/systemd", 0755);
  ::mkdir("/run/systemd/journal", 0755);
  Fd journal{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, "/run/systemd/journal/socket", sizeof address.sun_path - 1);
  if (::bind(journal.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return Fd{};
  return journal;
}

TEST(Log, sends_the_journal_the_ids_as_fields_of_their_own) {
  const Ended child = in_child([] {
    const Fd journal = open_private_journal();
    if (!journal) return kNoPrivilege;
    set_journal_stream(stream_of_stderr());
    if (!start_logging(Level::info)) return 1;
    warn("link is down", {.job = 12, .run = 41});
    std::array<char, 4096> datagram{};
    const ssize_t got = ::recv(journal.get(), datagram.data(), datagram.size(), MSG_DONTWAIT);
    // The parent reads our stderr, so only the datagram may be written there.
    return got > 0 && ::write(STDERR_FILENO, datagram.data(), static_cast<std::size_t>(got)) == got ? 0 : 2;
  });
  if (child.exit_code == kNoPrivilege) GTEST_SKIP() << "needs root for a mount namespace";
  ASSERT_EQ(child.exit_code, 0) << child.text;
  EXPECT_EQ(child.text,
            "MESSAGE=run 41: link is "
            "down\nPRIORITY=4\nSYSLOG_IDENTIFIER=netperfd\nNETPERFD_JOB=12\nNETPERFD_RUN=41\n");
}

}  // namespace
}  // namespace netperfd::log
