// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/confined/process.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// glibc 2.36 lacks extern "C" for these functions.
extern "C" {
#include <sys/pidfd.h>
}

#include <cerrno>
#include <csignal>
#include <utility>

#include "daemon/base/signal_user.hpp"
#include "daemon/base/spawn.hpp"

namespace netperfd::confined {

Result<Process> Process::start(const std::string& program, std::vector<std::string> argv, uid_t uid,
                               ForeignFd in, Fd out) {
  auto copy = out_of_the_way(in.get());
  if (!copy) return std::unexpected(copy.error());
  const ForeignFd far_in(std::move(*copy));
  const auto far_out = out_of_the_way(out);
  if (!far_out) return std::unexpected(far_out.error());
  SpawnPlan plan;
  plan.in_own_session();
  plan.give(far_in.get(), STDIN_FILENO);
  plan.give(*far_out, STDOUT_FILENO);
  plan.give_nothing(STDERR_FILENO);
  pid_t pid = -1;
  const std::string what = fmt::format("spawn {} {}", program, argv.size() > 1 ? argv[1] : "");
  if (const int error_number = plan.spawn(pid, program, std::move(argv), {}); error_number != 0) {
    return fail_errno(what, error_number);
  }
  Process process(pid, uid);
  process.pidfd_.reset(::pidfd_open(pid, 0));
  if (!process.pidfd_) return fail_errno("pidfd_open", errno);
  return process;
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), uid_(other.uid_), pidfd_(std::move(other.pidfd_)) {}

Process::~Process() {
  kill();
  (void)reap();
}

void Process::kill() {
  if (pid_ >= 0) (void)(pidfd_ ? signal_as(uid_, pidfd_.get(), SIGKILL) : ::kill(pid_, SIGKILL));
}

void Process::limit_files(std::uint64_t bytes) {
  const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
  if (pid_ >= 0) (void)::prlimit(pid_, RLIMIT_FSIZE, &limit, nullptr);  // if it has not ended
}

Process::End Process::reap() {
  if (pid_ < 0) return {true, 0, 0};
  int status = 0;
  pid_t got = 0;
  do {
    got = ::waitpid(pid_, &status, WNOHANG);
  } while (got < 0 && errno == EINTR);
  if (got == 0) return {};
  pid_ = -1;
  End end{true, 0, 0};
  if (got > 0 && WIFSIGNALED(status)) end.signal_number = WTERMSIG(status);
  if (got > 0 && WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  return end;
}

}  // namespace netperfd::confined
