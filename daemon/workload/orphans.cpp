// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/orphans.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

// glibc 2.36 lacks extern "C" for these functions.
extern "C" {
#include <sys/pidfd.h>
}

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

#include "daemon/base/fd.hpp"
#include "daemon/base/signal_user.hpp"
#include "daemon/base/spawn.hpp"

namespace netperfd::workload {
namespace {

bool adopts = false;  // without adopt_orphans(), a child unknown to SpawnPlan may be somebody's own

std::set<pid_t> own_children() {
  constexpr std::size_t kMostListBytes = std::size_t{1} << 20;
  std::set<pid_t> children;
  std::error_code error;
  for (std::filesystem::directory_iterator thread("/proc/self/task", error), end; !error && thread != end;
       thread.increment(error)) {
    const auto text = read_file(thread->path().string() + "/children", kMostListBytes);
    std::istringstream words(text ? *text : "");
    for (pid_t pid = 0; words >> pid;) children.insert(pid);
  }
  return children;
}

// Its real user. The owner of /proc/PID would be root's for a process that made itself undumpable.
std::optional<uid_t> user_of(pid_t pid) {
  constexpr std::size_t kMostStatusBytes = std::size_t{64} << 10;
  const auto text = read_file(fmt::format("/proc/{}/status", pid), kMostStatusBytes);
  if (!text) return std::nullopt;
  const auto line = text->find("\nUid:");
  if (line == std::string::npos) return std::nullopt;
  std::istringstream words(text->substr(line + 5));
  uid_t uid = 0;
  return words >> uid ? std::optional(uid) : std::nullopt;
}

}  // namespace

Status adopt_orphans() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return fail_errno("PR_SET_CHILD_SUBREAPER", errno);
  adopts = true;
  return {};
}

std::size_t end_orphans(uid_t uid) {
  if (!adopts) return 0;
  std::size_t left = 0;
  for (const pid_t pid : adopted_of(own_children())) {
    const bool theirs = uid != 0 && user_of(pid) == uid;
    // Not reaped yet, so the number is still its own.
    if (const Fd process{theirs ? ::pidfd_open(pid, 0) : -1}) (void)signal_as(uid, process.get(), SIGKILL);
    if (::waitpid(pid, nullptr, WNOHANG) == 0 && theirs) ++left;
  }
  return left;
}

}  // namespace netperfd::workload
