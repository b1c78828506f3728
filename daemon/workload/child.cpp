// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// glibc 2.36 does not declare these as extern "C".
extern "C" {
#include <sys/pidfd.h>
}

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>
#include <vector>

#include "daemon/base/signal_user.hpp"
#include "daemon/base/spawn.hpp"

namespace netperfd::workload {
namespace {

// Processes that the child left behind may still hold its pipes. They are read for at most this long after
// the child's exit.
constexpr std::chrono::milliseconds kDrain{500};

// Limit for reading one pipe in one turn of the loop, so that a flood does not starve the rest.
constexpr std::size_t kReadBytes = std::size_t{64} << 10;

std::chrono::microseconds to_microseconds(const timeval& time) {
  return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
}

// TMPDIR is not set: iperf3 creates the (immediately unlinked) file for its buffer in /tmp, which every user
// may write and which PrivateTmp= keeps writable under ProtectSystem=strict.
std::vector<std::string> environment(const LaunchOrder& order) {
  std::vector<std::string> variables{fmt::format("PATH={}", kProgramPath), "LC_ALL=C", "HOME=/"};
  variables.insert(variables.end(), order.environment.begin(), order.environment.end());
  return variables;
}

}  // namespace

Result<std::string> find_program(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  for (std::string_view rest = kProgramPath; !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    std::string candidate = fmt::format("{}/{}", rest.substr(0, colon), program);
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return fail(ErrorKind::not_found, fmt::format("{}: no such program in {}", program, kProgramPath));
}

struct Child::FarEnds {
  Fd out;
  Fd err;
  Fd control;
};

Child::Child(EventLoop& loop, ChildSettings settings, LaunchOrder order, ChildEvents events)
    : loop_(loop), settings_(std::move(settings)), order_(std::move(order)), events_(std::move(events)) {
  out_.name = "standard output";
  out_.limit_bytes = settings_.stdout_limit_bytes;
  err_.name = "standard error";
  err_.limit_bytes = settings_.stderr_limit_bytes;
}

Result<std::unique_ptr<Child>> Child::start(EventLoop& loop, ChildSettings settings, LaunchOrder order,
                                            ChildEvents events) {
  Result<std::string> path = find_program(order.argv.front());
  if (!path) return std::unexpected(std::move(path.error()));
  order.argv.front() = *std::move(path);
  std::unique_ptr<Child> child{new Child(loop, std::move(settings), std::move(order), std::move(events))};
  const Result<FarEnds> ends = child->open_ends();
  if (!ends) return std::unexpected(ends.error());
  if (Status spawned = child->spawn(*ends); !spawned) return std::unexpected(std::move(spawned.error()));
  if (Status watched = child->watch(); !watched) return std::unexpected(std::move(watched.error()));
  return child;
}

Child::~Child() {
  if (pid_ < 0 || reaped_) return;
  // Without a pidfd, it is still the launcher, which the end of its control socket ends.
  if (!pidfd_) control_.reset();
  signal(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<Child::FarEnds> Child::open_ends() {
  Result<Pipe> out = make_pipe();
  if (!out) return std::unexpected(std::move(out.error()));
  Result<Pipe> err = make_pipe();
  if (!err) return std::unexpected(std::move(err.error()));
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    return fail_errno("socketpair", errno);
  }
  control_.reset(sockets[0]);
  const Fd far_control{sockets[1]};
  out_.fd = std::move(out->read);
  err_.fd = std::move(err->read);
  for (const Fd* near : {&out_.fd, &err_.fd, &control_}) {
    if (Status status = set_nonblocking(*near); !status) return std::unexpected(std::move(status.error()));
  }
  FarEnds ends;
  const std::array<std::pair<const Fd*, Fd*>, 3> moves{
      {{&out->write, &ends.out}, {&err->write, &ends.err}, {&far_control, &ends.control}}};
  for (const auto& [from, to] : moves) {
    Result<Fd> safe = out_of_the_way(*from);
    if (!safe) return std::unexpected(std::move(safe.error()));
    *to = *std::move(safe);
  }
  return ends;
}

Status Child::spawn(const FarEnds& ends) {
  SpawnPlan plan;
  plan.give(ends.out, STDOUT_FILENO);
  plan.give(ends.err, STDERR_FILENO);
  plan.give(ends.control, kControlFd);
  if (const int error_number =
          plan.spawn(pid_, settings_.launcher, launcher_argv(order_, ::getpid()), environment(order_));
      error_number != 0) {
    pid_ = -1;
    return fail_errno(fmt::format("{}: spawn {}", settings_.name, settings_.launcher), error_number);
  }
  pidfd_.reset(::pidfd_open(pid_, 0));
  if (!pidfd_) return fail_errno(fmt::format("{}: pidfd_open", settings_.name), errno);
  return {};
}

Status Child::watch() {
  for (Output* output : {&out_, &err_}) {
    if (Status status = watch(*output); !status) return status;
  }
  Result<EventSource> control = loop_.on_readable(control_.get(), [this] { on_control(); });
  if (!control) return std::unexpected(std::move(control.error()));
  control_source_ = *std::move(control);
  Result<EventSource> exit = loop_.on_readable(pidfd_.get(), [this] { on_exit(); });
  if (!exit) return std::unexpected(std::move(exit.error()));
  exit_source_ = *std::move(exit);
  return {};
}

Status Child::watch(Output& output) {
  Result<EventSource> source = loop_.on_readable(output.fd.get(), [this, &output] { on_output(output); });
  if (!source) return std::unexpected(std::move(source.error()));
  output.source = *std::move(source);
  return {};
}

void Child::release() {
  if (released_) return;
  released_ = true;
  // If the launcher has died, its exit event reports it.
  (void)::send(control_.get(), "", 1, MSG_NOSIGNAL);
}

void Child::signal(int number) {
  if (!reaped_ && pidfd_) (void)signal_as(order_.uid, pidfd_.get(), number);
}

bool Child::read_report() {
  LaunchReport report;
  const ssize_t got = receive_report(control_, report, guard_);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (got != static_cast<ssize_t>(sizeof report)) {
    // A clean end of file after the release means that exec succeeded; a release that was never read ends in
    // ECONNRESET.
    end_.executed = got == 0 && released_ && end_.failure.empty();
    control_source_.reset();
    return false;
  }
  if (report.step == LaunchStep::ready) {
    ready_ = true;
    launcher_usage_ = {std::chrono::microseconds{report.user_us},
                       std::chrono::microseconds{report.system_us}};
  } else {
    end_.failure =
        fail_errno(fmt::format("{}: {}", settings_.name, describe(report.step, order_)), report.error_number)
            .error()
            .message;
  }
  return true;
}

void Child::on_control() {
  const bool was_ready = ready_;
  (void)read_report();
  if (ready_ && !was_ready) events_.ready();
}

void Child::on_output(Output& output) {
  std::array<char, kReadBytes> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  const ssize_t got = ::read(output.fd.get(), chunk.data(), chunk.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    close(output);
    end_if_complete();
    return;
  }
  const auto size = static_cast<std::size_t>(got);
  const std::size_t room = output.limit_bytes - output.bytes.size();
  output.bytes.append(chunk.data(), std::min(size, room));
  if (&output == &out_) deliver_lines();
  if (size > room) {
    if (end_.failure.empty()) {
      end_.failure = fmt::format("{}: wrote more than {} bytes to its {} and was killed", settings_.name,
                                 output.limit_bytes, output.name);
    }
    signal(SIGKILL);
    close(output);
    end_if_complete();
  }
}

void Child::deliver_lines() {
  if (!events_.line) return;
  for (;;) {
    const std::size_t line_end = out_.bytes.find('\n', lines_scanned_);
    if (line_end == std::string::npos) break;
    const std::string_view line{out_.bytes.data() + lines_delivered_, line_end - lines_delivered_};
    lines_scanned_ = lines_delivered_ = line_end + 1;
    events_.line(line);
  }
  lines_scanned_ = out_.bytes.size();
}

void Child::close(Output& output) {
  output.source.reset();
  output.fd.reset();
}

void Child::on_exit() {
  int status = 0;
  rusage usage{};
  const pid_t got = ::wait4(pid_, &status, WNOHANG, &usage);
  if (got == 0 || (got < 0 && errno == EINTR)) return;
  reaped_ = true;
  exit_source_.reset();
  while (read_report()) {
  }
  if (got == pid_) {
    using std::chrono::microseconds;
    end_.signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    end_.usage.user = std::max(microseconds{0}, to_microseconds(usage.ru_utime) - launcher_usage_.user);
    end_.usage.system = std::max(microseconds{0}, to_microseconds(usage.ru_stime) - launcher_usage_.system);
  } else {
    end_.failure = fail_errno(fmt::format("{}: wait4", settings_.name), errno).error().message;
  }
  if (end_.failure.empty()) end_.failure = unnatural_end();
  if (out_.fd || err_.fd) {
    Result<EventSource> timer = loop_.after(kDrain, [this] {
      close(out_);
      close(err_);
      end_if_complete();
    });
    if (timer) {
      drain_timer_ = *std::move(timer);
      return;
    }
    close(out_);
    close(err_);
  }
  end_if_complete();
}

std::string Child::unnatural_end() const {
  if (end_.signal_number != 0) {
    return fmt::format("{}: killed by {}{}", settings_.name, signal_text(end_.signal_number),
                       end_.executed ? "" : " before it ran");
  }
  if (!end_.executed) {
    return fmt::format("{}: its launcher ended with exit code {} before it ran", settings_.name,
                       end_.exit_code);
  }
  return {};
}

void Child::end_if_complete() {
  if (!reaped_ || out_.fd || err_.fd) return;
  drain_timer_.reset();
  // Copies, because the owner may destroy this child inside the call.
  const auto ended = std::move(events_.ended);
  const ChildEnd end = end_;
  ended(end);
}

}  // namespace netperfd::workload
