// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/run_processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/workload/orphans.hpp"

namespace netperfd::workload {
namespace {

// Killed processes end within a moment, unless the kernel holds them.
constexpr std::chrono::milliseconds kEndingTurn{5};
constexpr int kMostEndingTurns = 400;

constexpr std::size_t kMostChildrenBytes = std::size_t{1} << 16U;

}  // namespace

bool RunProcess::was_ended_by_us() const {
  return forced || (told_to_end && end.signal_number == SIGTERM);
}

RunProcesses::RunProcesses(EventLoop& loop, const ProgramSettings& settings, std::function<void()> all_ended)
    : loop_(loop), settings_(settings), all_ended_(std::move(all_ended)) {}

Status RunProcesses::begin() {
  if (settings_.group_site.empty()) return {};
  auto group = RunGroup::make(settings_.group_site);
  if (!group) return std::unexpected(std::move(group.error()));
  group_.emplace(std::move(*group));
  return {};
}

Status RunProcesses::launch(RunProcess& process, ChildSettings settings, LaunchOrder order,
                            ChildEvents events) {
  settings.launcher = settings_.launcher;
  settings.units = settings_.units;
  // A unit has a cgroup of its own, and root's user.
  if (order.capabilities.empty()) {
    order.uid = settings_.uid;
    order.gid = settings_.gid;
    if (group_) order.group = group_->path();
  }
  events.ended = [this, &process, ended = std::move(events.ended)](const ChildEnd& end) {
    process.alive = false;
    process.end = end;
    left_in_units_ += end.left_behind;
    ended(end);
    finish_if_ended();
  };
  auto child = Child::start(loop_, std::move(settings), std::move(order), std::move(events));
  if (!child) return std::unexpected(std::move(child.error()));
  process.child = *std::move(child);
  process.alive = true;
  processes_.push_back(&process);
  return {};
}

std::vector<pid_t> RunProcesses::members() const {
  std::vector<pid_t> members;
  if (group_) members = group_->members();
  const std::size_t known = members.size();
  for (const RunProcess* process : processes_) {
    const bool counted = group_ && !process->child->in_unit();
    if (process->alive && !counted && process->child->top() > 0) members.push_back(process->child->top());
  }
  for (std::size_t i = known; i < members.size(); ++i) {
    const auto children =
        read_file(fmt::format("/proc/{0}/task/{0}/children", members[i]), kMostChildrenBytes);
    if (!children) continue;
    std::istringstream words(*children);
    for (pid_t pid = 0; words >> pid;) members.push_back(pid);
  }
  return members;
}

bool RunProcesses::any_alive() const {
  return std::ranges::any_of(processes_, &RunProcess::alive);
}

void RunProcesses::end() {
  // Without a living process, the timer belongs to end_descendants().
  if (ending_ || !any_alive()) return;
  ending_ = true;
  for (RunProcess* process : processes_) {
    if (!process->alive || process->child->has_exited()) continue;
    process->told_to_end = true;
    process->child->signal(SIGTERM);
  }
  Result<EventSource> timer = loop_.after(kForceAfter, [this] { force(); });
  if (!timer) return force();
  timer_ = *std::move(timer);
}

void RunProcesses::force() {
  for (RunProcess* process : processes_) {
    // What its unit still does has a limit of its own.
    if (!process->alive || process->child->has_exited()) continue;
    process->forced = true;
    process->child->signal(SIGKILL);
  }
}

void RunProcesses::end_after(std::chrono::milliseconds grace, std::function<void()> late) {
  if (ending_) return;
  Result<EventSource> timer = loop_.after(grace, [this, late = std::move(late)] {
    late();
    end();
  });
  if (!timer) return end();
  timer_ = *std::move(timer);
}

void RunProcesses::finish_if_ended() {
  if (any_alive()) return;
  timer_.reset();
  end_descendants();
}

void RunProcesses::end_descendants() {
  const std::size_t left = group_ ? group_->size() : end_orphans(settings_.uid);
  left_behind_ = std::max(left_behind_, left);
  const bool ended = group_ ? group_->end() : left == 0;
  if (!ended && ++ending_turns_ <= kMostEndingTurns) {
    Result<EventSource> timer = loop_.after(kEndingTurn, [this] { end_descendants(); });
    if (timer) {
      timer_ = *std::move(timer);
      return;
    }
  }
  timer_.reset();
  all_ended_();
}

}  // namespace netperfd::workload
