// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

// glibc 2.36 does not declare these as extern "C".
extern "C" {
#include <sys/pidfd.h>
}

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace netperfd::system_test {
namespace {

void require_no_error(int error_number, std::string_view what) {
  if (error_number != 0) throw std::system_error(error_number, std::generic_category(), std::string{what});
}

Pipe open_pipe() {
  auto pipe = make_pipe();
  if (!pipe) throw std::runtime_error(pipe.error().message);
  if (auto set = set_nonblocking(pipe->read); !set) throw std::runtime_error(set.error().message);
  return std::move(*pipe);
}

// nsenter and setpriv exec the program, so the process stays the one that was spawned. The death signal makes
// sure that a test that is killed leaves no bus, daemon or server behind.
std::vector<std::string> wrap(const Command& command) {
  std::vector<std::string> argv;
  if (!command.netns.empty()) argv = {"nsenter", "--net=/run/netns/" + command.netns, "--"};
  argv.insert(argv.end(), {"setpriv", "--pdeathsig", "KILL"});
  if (const auto& user = command.user) {
    argv.insert(argv.end(), {fmt::format("--reuid={}", user->uid), fmt::format("--regid={}", user->gid)});
    argv.push_back(user->groups.empty() ? "--clear-groups"
                                        : fmt::format("--groups={}", fmt::join(user->groups, ",")));
  }
  argv.emplace_back("--");
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  return argv;
}

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> environment{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                                       "LC_ALL=C.UTF-8"};
  for (const char* name : {"ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"}) {
    // No other thread changes the environment.
    if (const char* value = std::getenv(name)) {  // NOLINT(concurrency-mt-unsafe)
      environment.push_back(fmt::format("{}={}", name, value));
    }
  }
  environment.insert(environment.end(), command.environment.begin(), command.environment.end());
  return environment;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

pid_t spawn(const Command& command, const Fd& out, const Fd& err) {
  posix_spawn_file_actions_t actions{};
  require_no_error(::posix_spawn_file_actions_init(&actions), "posix_spawn_file_actions_init");
  posix_spawnattr_t attributes{};
  require_no_error(::posix_spawnattr_init(&attributes), "posix_spawnattr_init");
  // A group of its own, so that Ctrl-C in the test's terminal ends the test, which then ends the others.
  require_no_error(::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP),
                   "posix_spawnattr_setflags");
  require_no_error(::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
                   "addopen");
  require_no_error(::posix_spawn_file_actions_adddup2(&actions, out.get(), STDOUT_FILENO), "adddup2");
  if (command.stderr_file.empty()) {
    require_no_error(::posix_spawn_file_actions_adddup2(&actions, err.get(), STDERR_FILENO), "adddup2");
  } else {
    require_no_error(::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, command.stderr_file.c_str(),
                                                        O_WRONLY | O_CREAT | O_APPEND, 0644),
                     "addopen");
  }
  auto words = wrap(command);
  auto variables = environment_of(command);
  pid_t pid = -1;
  const int error_number = ::posix_spawnp(&pid, words.front().c_str(), &actions, &attributes,
                                          pointers(words).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  require_no_error(error_number, words.front());
  return pid;
}

}  // namespace

Process::Process(Command command) : name_(fmt::format("{}", fmt::join(command.argv, " "))) {
  Pipe out = open_pipe();
  Pipe err = open_pipe();
  pid_ = spawn(command, out.write, err.write);
  pidfd_.reset(::pidfd_open(pid_, 0));
  if (!pidfd_) throw std::system_error(errno, std::generic_category(), "pidfd_open");
  out_.fd = std::move(out.read);
  err_.fd = std::move(err.read);
}

Process::~Process() {
  if (pid_ < 0 || exit_) return;
  (void)::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Process::signal(int number) const {
  if (!exit_) require_no_error(::kill(pid_, number) == 0 ? 0 : errno, fmt::format("kill {}", name_));
}

const Exit& Process::wait(const Deadline& deadline) {
  if (!ends_before(deadline)) throw std::runtime_error(fmt::format("no end in time: {}", story()));
  return *exit_;
}

bool Process::ends_before(const Deadline& deadline) {
  return pump(deadline, [this] { return exit_.has_value(); });
}

void Process::wait_for_output(std::string_view text, const Deadline& deadline) {
  const auto written = [&] {
    return out().find(text) != std::string::npos || err().find(text) != std::string::npos;
  };
  pump(deadline, [&] { return written() || exit_.has_value(); });
  if (!written()) throw std::runtime_error(fmt::format("never wrote \"{}\": {}", text, story()));
}

bool Process::pump(const Deadline& deadline, const std::function<bool()>& done) {
  while (!done()) {
    // poll() ignores a descriptor of -1.
    std::array<pollfd, 3> watched{
        {{out_.fd.get(), POLLIN, 0}, {err_.fd.get(), POLLIN, 0}, {exit_ ? -1 : pidfd_.get(), POLLIN, 0}}};
    const int ready = ::poll(watched.data(), watched.size(), deadline.poll_timeout());
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
    if (ready == 0) return done();
    drain(out_);
    drain(err_);
    if (watched[2].revents != 0) reap();
  }
  return true;
}

void Process::drain(Output& output) {
  std::array<char, 16384> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  while (output.fd) {
    const ssize_t got = ::read(output.fd.get(), chunk.data(), chunk.size());
    if (got > 0) {
      output.bytes.append(chunk.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      output.fd.reset();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

void Process::reap() {
  int status = 0;
  if (::waitpid(pid_, &status, 0) != pid_) throw std::system_error(errno, std::generic_category(), "waitpid");
  exit_ = WIFSIGNALED(status) ? Exit{-1, WTERMSIG(status)} : Exit{WEXITSTATUS(status), 0};
  // Its last output may have come after the read above.
  drain(out_);
  drain(err_);
}

std::string Process::story() const {
  std::string state = "it still runs";
  if (exit_) state = fmt::format("it ended with code {}, signal {}", exit_->code, exit_->signal_number);
  return fmt::format("{}: {}\nstdout: {}\nstderr: {}", name_, state, out(), err());
}

Outcome run(Command command) {
  Process process{std::move(command)};
  const Exit end = process.wait();
  constexpr int kKilled = 128;
  return {end.signal_number != 0 ? kKilled + end.signal_number : end.code, process.out(), process.err()};
}

void must_run(std::vector<std::string> argv) {
  const std::string words = fmt::format("{}", fmt::join(argv, " "));
  const Outcome outcome =
      run({.argv = std::move(argv), .environment = {}, .user = {}, .netns = {}, .stderr_file = {}});
  if (outcome.code != 0)
    throw std::runtime_error(fmt::format("{}: exit code {}: {}", words, outcome.code, outcome.err));
}

}  // namespace netperfd::system_test
