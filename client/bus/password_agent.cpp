// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/bus/password_agent.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <systemd/sd-login.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

#include "client/base/owned_fd.hpp"

namespace netperfctl {
namespace {

constexpr const char* kAgent = "/usr/bin/pkttyagent";
constexpr int kRegistrationMs = 10'000;

bool is_in_session() {
  char* session = nullptr;
  const int found = sd_pid_get_session(0, &session);
  std::free(session);  // NOLINT(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory): libsystemd's
  return found >= 0;
}

// Returns -1 if it cannot be started. The agent closes `registered` once polkit knows it.
pid_t start(const OwnedFd& registered) {
  std::string number = std::to_string(registered.get());
  std::string program = kAgent;
  std::string notify = "--notify-fd";
  // Prefer the agent of a desktop. polkit takes such an agent only for a process in a session.
  std::string fallback = "--fallback";
  std::array<char*, 5> words{program.data(), notify.data(), number.data(),
                             is_in_session() ? fallback.data() : nullptr, nullptr};
  // A signal that this process has blocked, to notice it in its loop, must reach the agent.
  posix_spawnattr_t attributes{};
  sigset_t none{};
  sigemptyset(&none);
  pid_t process = -1;
  if (::posix_spawnattr_init(&attributes) != 0) return -1;
  const bool set = ::posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
                   ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) == 0;
  if (!set || ::posix_spawn(&process, kAgent, nullptr, &attributes, words.data(), environ) != 0) process = -1;
  ::posix_spawnattr_destroy(&attributes);
  return process;
}

}  // namespace

PasswordAgent::PasswordAgent() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const OwnedFd read_end{ends[0]};
  {
    const OwnedFd write_end{ends[1]};
    if (::fcntl(write_end.get(), F_SETFD, 0) != 0) return;  // the agent inherits it
    process_ = start(write_end);
  }
  // It is also closed if the agent ends.
  pollfd closed{read_end.get(), POLLIN, 0};
  while (::poll(&closed, 1, kRegistrationMs) < 0 && errno == EINTR) {
  }
}

PasswordAgent::~PasswordAgent() {
  if (process_ < 0) return;
  // It restores the terminal when it is told to end; it may be stopped.
  (void)::kill(process_, SIGTERM);
  (void)::kill(process_, SIGCONT);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace netperfctl
