// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>
#include <vector>

#include "daemon/base/spawn.hpp"
#include "daemon/workload/spawned_process.hpp"
#include "daemon/workload/unit_process.hpp"

namespace netperfd::workload {
namespace {

// Processes that the child left behind may still hold its pipes. They are read for at most this long after
// the child's exit.
constexpr std::chrono::milliseconds kDrain{500};

// Limit for reading one pipe in one turn of the loop, so that a flood does not starve the rest.
constexpr std::size_t kReadBytes = std::size_t{64} << 10;

std::unique_ptr<LaunchedProcess> launched_by(EventLoop& loop, const ChildSettings& settings,
                                             const LaunchOrder& order) {
  if (order.capabilities.empty())
    return std::make_unique<SpawnedProcess>(loop, settings.name, settings.launcher, order);
  if (settings.units == nullptr) return nullptr;
  return std::make_unique<UnitProcess>(loop, *settings.units, settings.launcher, order);
}

}  // namespace

Child::Child(EventLoop& loop, ChildSettings settings, LaunchOrder order, ChildEvents events)
    : loop_(loop),
      settings_(std::move(settings)),
      order_(std::move(order)),
      events_(std::move(events)),
      process_(launched_by(loop, settings_, order_)) {
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
  if (!child->process_) return fail(ErrorKind::unsupported, "no unit of systemd can be made here");
  const Result<LauncherEnds> ends = child->open_ends();
  if (!ends) return std::unexpected(ends.error());
  const auto ended = [self = child.get()](const ProcessEnd& end) { self->on_process_ended(end); };
  if (Status begun = child->process_->start(*ends, child->control_, ended); !begun)
    return std::unexpected(std::move(begun.error()));
  if (Status watched = child->watch(); !watched) return std::unexpected(std::move(watched.error()));
  return child;
}

// A launcher ends if its control socket does.
Child::~Child() {
  control_source_.reset();
  control_.reset();
  process_.reset();
}

Result<LauncherEnds> Child::open_ends() {
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
  LauncherEnds ends;
  const std::array<std::pair<const Fd*, Fd*>, 3> moves{
      {{&out->write, &ends.out}, {&err->write, &ends.err}, {&far_control, &ends.control}}};
  for (const auto& [from, to] : moves) {
    Result<Fd> safe = out_of_the_way(*from);
    if (!safe) return std::unexpected(std::move(safe.error()));
    *to = *std::move(safe);
  }
  return ends;
}

Status Child::watch() {
  for (Output* output : {&out_, &err_}) {
    if (Status status = watch(*output); !status) return status;
  }
  Result<EventSource> control = loop_.on_readable(control_.get(), [this] { on_control(); });
  if (!control) return std::unexpected(std::move(control.error()));
  control_source_ = *std::move(control);
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

bool Child::read_report() {
  if (!control_source_) return false;
  LaunchReport report;
  pid_t sender = 0;
  const ssize_t got = receive_report(control_, report, guard_, sender);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (got != static_cast<ssize_t>(sizeof report)) {
    // A clean end of file after the release means that exec succeeded; a release that was never read ends in
    // ECONNRESET.
    end_.executed = got == 0 && released_ && !launch_failed_;
    control_source_.reset();
    process_->on_control_closed();
    return false;
  }
  process_->on_report(report, sender);
  if (report.step == LaunchStep::ended) tell_exit();
  if (report.step == LaunchStep::staying || report.step == LaunchStep::ended) return true;
  if (report.step == LaunchStep::ready) {
    ready_ = true;
    launcher_usage_ = {std::chrono::microseconds{report.user_us},
                       std::chrono::microseconds{report.system_us}};
  } else if (!launch_failed_) {
    launch_failed_ = true;
    end_.failure =
        fail_errno(fmt::format("{}: {}", settings_.name, describe(report.step, order_)), report.error_number)
            .error()
            .message;
  }
  return true;
}

void Child::tell_exit() {
  if (std::exchange(exited_, true)) return;
  if (events_.exited) events_.exited();
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
  deliver_lines(output);
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

void Child::deliver_lines(Output& output) {
  const auto& event = &output == &out_ ? events_.line : events_.error_line;
  if (!event) return;
  for (;;) {
    const std::size_t line_end = output.bytes.find('\n', output.scanned);
    if (line_end == std::string::npos) break;
    const std::string_view line{output.bytes.data() + output.delivered, line_end - output.delivered};
    output.scanned = output.delivered = line_end + 1;
    event(line);
  }
  output.scanned = output.bytes.size();
}

void Child::close(Output& output) {
  output.source.reset();
  output.fd.reset();
}

void Child::on_process_ended(const ProcessEnd& end) {
  process_ended_ = true;
  while (read_report()) {
  }
  control_source_.reset();
  tell_exit();
  end_.signal_number = end.signal_number;
  end_.exit_code = end.exit_code;
  end_.usage.user = std::max(std::chrono::microseconds{0}, end.usage.user - launcher_usage_.user);
  end_.usage.system = std::max(std::chrono::microseconds{0}, end.usage.system - launcher_usage_.system);
  end_.left_behind = end.left_behind;
  if (end_.failure.empty() && !end.failure.empty())
    end_.failure = fmt::format("{}: {}", settings_.name, end.failure);
  if (end_.failure.empty()) end_.failure = unnatural_end();
  if (!end.cleanup_failure.empty())
    end_.cleanup_failure = fmt::format("{}: {}", settings_.name, end.cleanup_failure);
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
  if (!process_ended_ || out_.fd || err_.fd) return;
  drain_timer_.reset();
  // Copies, because the owner may destroy this child inside the call.
  const auto ended = std::move(events_.ended);
  const ChildEnd end = end_;
  ended(end);
}

}  // namespace netperfd::workload
