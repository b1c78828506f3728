#include "daemon/import/reader_process.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

// glibc 2.36 lacks extern "C" for these functions.
extern "C" {
#include <sys/pidfd.h>
}

#include <cerrno>
#include <csignal>
#include <utility>

#include "daemon/base/foreign_fd.hpp"
#include "daemon/base/spawn.hpp"

namespace netperfd::import {

Result<ReaderProcess> ReaderProcess::start(const std::string& program, ReaderMode mode,
                                           Confinement confinement, Fd in, std::uint64_t in_bytes, Fd out) {
  const ForeignFd foreign_in(std::move(in));
  confinement.parent = ::getpid();
  auto copy = out_of_the_way(foreign_in.get());
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
  if (const int error_number = plan.spawn(pid, program, reader_argv(mode, confinement, in_bytes), {});
      error_number != 0) {
    return fail_errno(fmt::format("spawn {} {}", program, kReaderFlag), error_number);
  }
  ReaderProcess process(pid);
  process.pidfd_.reset(::pidfd_open(pid, 0));
  if (!process.pidfd_) return fail_errno("pidfd_open", errno);
  return process;
}

ReaderProcess::ReaderProcess(ReaderProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)) {}

ReaderProcess::~ReaderProcess() {
  kill();
  (void)reap();
}

void ReaderProcess::kill() {
  // Not reaped yet, so the number is still its own.
  if (pid_ >= 0) (void)::kill(pid_, SIGKILL);
}

ReaderProcess::End ReaderProcess::reap() {
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

}  // namespace netperfd::import
