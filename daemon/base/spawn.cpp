// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>

namespace netperfd {
namespace {

// posix_spawn's dup2 steps run one after the other: a source with a lower number could be overwritten before
// its turn.
constexpr int kFirstSafeFd = 10;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The processes that this one has spawned, and perhaps some that were reaped since adopted_of() last looked.
std::set<pid_t>& spawned() {
  static std::set<pid_t> pids;
  return pids;
}

}  // namespace

SpawnPlan::SpawnPlan() {
  note(::posix_spawn_file_actions_init(&actions_));
  note(::posix_spawnattr_init(&attributes_));
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  // The daemon blocks the signals that its loop reads from a signalfd and may ignore SIGPIPE; a child must
  // not inherit either.
  note(::posix_spawnattr_setsigmask(&attributes_, &none));
  note(::posix_spawnattr_setsigdefault(&attributes_, &all));
  // A group of its own: the daemon handles Ctrl-C on the terminal of a foreground daemon, not the child.
  note(::posix_spawnattr_setpgroup(&attributes_, 0));
  note(::posix_spawn_file_actions_addchdir_np(&actions_, "/"));
  note(::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
}

SpawnPlan::~SpawnPlan() {
  ::posix_spawn_file_actions_destroy(&actions_);
  ::posix_spawnattr_destroy(&attributes_);
}

void SpawnPlan::give(const Fd& fd, int target) {
  note(::posix_spawn_file_actions_adddup2(&actions_, fd.get(), target));
}

void SpawnPlan::give_nothing(int target) {
  note(::posix_spawn_file_actions_addopen(&actions_, target, "/dev/null", O_RDWR, 0));
}

void SpawnPlan::in_own_session() {
  flags_ = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID;
}

int SpawnPlan::spawn(pid_t& pid, const std::string& path, std::vector<std::string> argv,
                     std::vector<std::string> environment) {
  note(::posix_spawnattr_setflags(&attributes_, flags_));
  if (error_number_ != 0) return error_number_;
  const int error_number = ::posix_spawn(&pid, path.c_str(), &actions_, &attributes_,
                                         pointers_to(argv).data(), pointers_to(environment).data());
  if (error_number == 0) spawned().insert(pid);
  return error_number;
}

void SpawnPlan::note(int error_number) {
  if (error_number_ == 0) error_number_ = error_number;
}

std::set<pid_t> adopted_of(const std::set<pid_t>& children) {
  std::erase_if(spawned(), [&](pid_t pid) { return !children.contains(pid); });
  std::set<pid_t> adopted;
  std::ranges::set_difference(children, spawned(), std::inserter(adopted, adopted.end()));
  return adopted;
}

Result<Fd> out_of_the_way(const Fd& fd) {
  const int copy = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirstSafeFd);
  if (copy < 0) return fail_errno("fcntl F_DUPFD_CLOEXEC", errno);
  return Fd{copy};
}

std::string signal_text(int number) {
  const char* words = ::sigdescr_np(number);
  return fmt::format("signal {} ({})", number, words != nullptr ? words : "unknown");
}

}  // namespace netperfd
