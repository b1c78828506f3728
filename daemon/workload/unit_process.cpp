// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/unit_process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>
#include <sys/wait.h>

// glibc 2.36 does not declare these as extern "C".
extern "C" {
#include <sys/pidfd.h>
}

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "daemon/base/signal_user.hpp"
#include "daemon/workload/job/programs.hpp"
#include "daemon/workload/unit_launcher.hpp"

namespace netperfd::workload {
namespace {

// More than the steps take that systemd does to end a unit, each of which it limits itself.
constexpr std::chrono::seconds kUnitPatience{60};

// Of the same file in the unit, where /proc/self is another process.
Result<std::string> path_in_unit(const std::string& launcher) {
  std::error_code error;
  std::string path = std::filesystem::read_symlink(launcher, error);
  if (error) return launcher;  // no link
  if (path.ends_with(" (deleted)")) {
    return fail(
        ErrorKind::unsupported,
        "the program of netperfd was replaced while it ran, and units of systemd need it: restart netperfd");
  }
  return path;
}

}  // namespace

UnitProcess::UnitProcess(EventLoop& loop, core::ProgramUnits& units, std::string launcher, LaunchOrder order)
    : loop_(loop), units_(units), launcher_(std::move(launcher)), order_(std::move(order)) {}

Status UnitProcess::start(const LauncherEnds& ends, const Fd& control, Ended ended) {
  ended_ = std::move(ended);
  const auto path = path_in_unit(launcher_);
  if (!path) return std::unexpected(path.error());
  constexpr int kOn = 1;
  if (::setsockopt(control.get(), SOL_SOCKET, SO_PASSCRED, &kOn, sizeof kOn) != 0)
    return fail_errno("SO_PASSCRED", errno);
  if (!send_outputs(control, ends.out, ends.err)) return fail_errno("send outputs to a launcher", errno);
  core::UnitOrder unit{
      .description = fmt::format("Program of a netperfd run: {}", fmt::join(order_.argv, " ")),
      .argv = {},
      .environment = launcher_environment(order_),
      .netns = order_.netns,
      .capabilities = order_.capabilities,
      .cleanup = order_.cleanup};
  LaunchOrder inside = order_;
  inside.netns.clear();
  inside.group.clear();
  if (!unit.cleanup.empty()) {
    auto program = find_program(unit.cleanup.front());
    if (!program) return std::unexpected(std::move(program.error()));
    unit.cleanup.front() = *std::move(program);
  }
  unit.argv = launcher_argv(inside, kInUnit);
  unit.argv.front() = *path;
  auto started = units_.start(unit, ends.control);
  if (!started) return std::unexpected(std::move(started.error()));
  unit_ = *std::move(started);
  return {};
}

void UnitProcess::signal(int number) {
  if (!unit_ || !ended_) return;
  // If the program has another user by now, only systemd can end it.
  if (pidfd_) (void)signal_as(order_.uid, pidfd_.get(), number);
  if (pidfd_ && number != SIGKILL) return;
  ended_by_ = number;
  unit_->kill();
  wait_for_unit();
}

void UnitProcess::on_report(const LaunchReport& report, pid_t sender) {
  if (report.step == LaunchStep::staying && launcher_pid_ < 0) {
    launcher_pid_ = sender;
  } else if (report.step == LaunchStep::ready && program_ < 0) {
    program_ = sender;
    pidfd_.reset(::pidfd_open(program_, 0));
  } else if (report.step == LaunchStep::ended && !reported_) {
    reported_ = true;
    const int status = report.wait_status;
    end_.signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    end_.usage = {std::chrono::microseconds{report.user_us}, std::chrono::microseconds{report.system_us}};
    end_.left_behind = static_cast<std::size_t>(std::max(0, report.left_behind));
    wait_for_unit();
  }
}

void UnitProcess::wait_for_unit() {
  if (patience_) return;
  auto timer = loop_.after(kUnitPatience, [this] {
    give({.failure = fmt::format("systemd has not ended its unit within {} s", kUnitPatience.count()),
          .cleanup_failure = {}});
  });
  if (timer) patience_ = *std::move(timer);
}

void UnitProcess::on_control_closed() {
  if (!unit_ || !ended_) return;
  unit_->ask_end([this](const core::UnitEnd& unit) { give(unit); });
  wait_for_unit();
}

void UnitProcess::give(const core::UnitEnd& unit) {
  patience_.reset();
  if (!ended_) return;
  if (!reported_ && ended_by_ != 0) {
    end_.signal_number = ended_by_;
  } else if (!reported_) {
    end_.failure = unit.failure.empty() ? "its launcher ended without a report" : unit.failure;
  }
  if (!unit.cleanup_failure.empty())
    end_.cleanup_failure = fmt::format("its cleanup failed: {}", unit.cleanup_failure);
  const auto ended = std::exchange(ended_, nullptr);
  ended(end_);
}

}  // namespace netperfd::workload
