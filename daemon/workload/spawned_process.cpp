// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/spawned_process.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// glibc 2.36 does not declare these as extern "C".
extern "C" {
#include <sys/pidfd.h>
}

#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "daemon/base/signal_user.hpp"
#include "daemon/base/spawn.hpp"

namespace netperfd::workload {
namespace {

std::chrono::microseconds to_microseconds(const timeval& time) {
  return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
}

}  // namespace

SpawnedProcess::SpawnedProcess(EventLoop& loop, std::string name, std::string launcher, LaunchOrder order)
    : loop_(loop), name_(std::move(name)), launcher_(std::move(launcher)), order_(std::move(order)) {}

SpawnedProcess::~SpawnedProcess() {
  if (pid_ < 0 || reaped_) return;
  signal(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Status SpawnedProcess::start(const LauncherEnds& ends, const Fd& /*control*/, Ended ended) {
  ended_ = std::move(ended);
  SpawnPlan plan;
  plan.give(ends.out, STDOUT_FILENO);
  plan.give(ends.err, STDERR_FILENO);
  plan.give(ends.control, kControlFd);
  if (const int error_number =
          plan.spawn(pid_, launcher_, launcher_argv(order_, ::getpid()), launcher_environment(order_));
      error_number != 0) {
    pid_ = -1;
    return fail_errno(fmt::format("{}: spawn {}", name_, launcher_), error_number);
  }
  pidfd_.reset(::pidfd_open(pid_, 0));
  if (!pidfd_) return fail_errno(fmt::format("{}: pidfd_open", name_), errno);
  Result<EventSource> exit = loop_.on_readable(pidfd_.get(), [this] { on_exit(); });
  if (!exit) return std::unexpected(std::move(exit.error()));
  exit_source_ = *std::move(exit);
  return {};
}

void SpawnedProcess::signal(int number) {
  if (!reaped_ && pidfd_) (void)signal_as(order_.uid, pidfd_.get(), number);
}

void SpawnedProcess::on_exit() {
  int status = 0;
  rusage usage{};
  const pid_t got = ::wait4(pid_, &status, WNOHANG, &usage);
  if (got == 0 || (got < 0 && errno == EINTR)) return;
  ProcessEnd end;
  if (got == pid_) {
    end.signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    end.usage = {to_microseconds(usage.ru_utime), to_microseconds(usage.ru_stime)};
  } else {
    end.failure = fail_errno("wait4", errno).error().message;
  }
  reaped_ = true;
  exit_source_.reset();
  const auto ended = std::move(ended_);
  ended(end);
}

}  // namespace netperfd::workload
