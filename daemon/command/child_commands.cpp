// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/child_commands.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

// glibc 2.36 does not declare these as extern "C".
extern "C" {
#include <sys/pidfd.h>
}

#include <cerrno>
#include <csignal>
#include <utility>

#include "daemon/base/spawn.hpp"
#include "daemon/command/command_end.hpp"
#include "daemon/command/output_tail.hpp"

namespace netperfd::command {

class ChildCommands::Child final : public core::ActiveCommand {
 public:
  using Done = std::function<void(const core::CommandEnd&)>;

  Child(ChildCommands& owner, std::chrono::milliseconds timeout, Done done)
      : owner_(owner), timeout_(timeout), done_(std::move(done)) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() override {
    if (pid_ < 0) return;
    kill_group();
    exit_source_.reset();  // epoll takes a descriptor only once
    owner_.reap_later(pid_, std::move(pidfd_));
  }

  [[nodiscard]] Status spawn(const std::vector<std::string>& argv);
  [[nodiscard]] Status watch();

 private:
  // The leader is not reaped yet, so the number is still the group's.
  void kill_group() const { (void)::kill(-pid_, SIGKILL); }
  void on_output();
  void on_timeout();
  void on_exit();

  ChildCommands& owner_;
  std::chrono::milliseconds timeout_;
  Done done_;
  pid_t pid_ = -1;  // -1: none, or reaped
  Fd pidfd_;
  Fd output_;
  OutputTail tail_;
  bool timed_out_ = false;
  EventSource output_source_, exit_source_, timer_;
};

Status ChildCommands::Child::spawn(const std::vector<std::string>& argv) {
  auto pipe = make_pipe();
  if (!pipe) return std::unexpected(std::move(pipe.error()));
  if (auto set = set_nonblocking(pipe->read); !set) return set;
  const auto far = out_of_the_way(pipe->write);
  if (!far) return std::unexpected(far.error());
  SpawnPlan plan;
  plan.give(*far, STDOUT_FILENO);
  plan.give(*far, STDERR_FILENO);
  pid_t pid = -1;
  if (const int error_number = plan.spawn(pid, argv.front(), argv, {kPathVariable, kLocaleVariable});
      error_number != 0) {
    return fail_errno(fmt::format("cannot run {}", argv.front()), error_number);
  }
  pid_ = pid;
  output_ = std::move(pipe->read);
  pidfd_.reset(::pidfd_open(pid_, 0));
  if (!pidfd_) return fail(ErrorKind::internal, fail_errno("pidfd_open", errno).error().message);
  return {};
}

Status ChildCommands::Child::watch() {
  auto output = owner_.loop_.on_readable(output_.get(), [this] { on_output(); });
  if (!output) return std::unexpected(std::move(output.error()));
  output_source_ = std::move(*output);
  auto exit = owner_.loop_.on_readable(pidfd_.get(), [this] { on_exit(); });
  if (!exit) return std::unexpected(std::move(exit.error()));
  exit_source_ = std::move(*exit);
  auto timer = owner_.loop_.after(timeout_, [this] { on_timeout(); });
  if (!timer) return std::unexpected(std::move(timer.error()));
  timer_ = std::move(*timer);
  return {};
}

void ChildCommands::Child::on_output() {
  if (!read_into(tail_, output_)) output_source_.reset();
}

void ChildCommands::Child::on_timeout() {
  constexpr std::chrono::seconds kPatience{20};
  if (timed_out_) {
    // The process is stuck in the kernel. The owner may destroy this object inside the call.
    const auto done = std::move(done_);
    return done(failed(fmt::format("{}, and no signal ends it", timeout_words(timeout_)), tail_));
  }
  timed_out_ = true;
  kill_group();
  if (auto timer = owner_.loop_.after(kPatience, [this] { on_timeout(); })) timer_ = std::move(*timer);
}

void ChildCommands::Child::on_exit() {
  // Kills what the command left in the background too, as systemd does for a unit.
  kill_group();
  int status = 0;
  const pid_t got = ::waitpid(pid_, &status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return;
  pid_ = -1;
  for (EventSource* source : {&output_source_, &exit_source_, &timer_}) source->reset();
  (void)read_into(tail_, output_);
  core::CommandEnd end;
  if (timed_out_) {
    end = failed(timeout_words(timeout_), tail_);
  } else if (got < 0) {
    end = failed("its end is not known", tail_);
  } else if (WIFSIGNALED(status)) {
    end = failed(signal_words(WTERMSIG(status)), tail_);
  } else if (WEXITSTATUS(status) != 0) {
    end = failed(exit_words(WEXITSTATUS(status)), tail_);
  }
  // The owner may destroy this object inside the call.
  const auto done = std::move(done_);
  done(end);
}

Result<std::unique_ptr<core::ActiveCommand>> ChildCommands::start(
    const std::vector<std::string>& argv, std::chrono::milliseconds timeout,
    std::function<void(const core::CommandEnd&)> done) {
  auto child = std::make_unique<Child>(*this, timeout, std::move(done));
  if (auto spawned = child->spawn(argv); !spawned) return std::unexpected(std::move(spawned.error()));
  // It has run by now, however short.
  if (auto watched = child->watch(); !watched)
    return fail(ErrorKind::internal, std::move(watched.error().message));
  return child;
}

void ChildCommands::reap_later(pid_t pid, Fd pidfd) {
  if (::waitpid(pid, nullptr, WNOHANG) == pid || !pidfd) return;
  const auto place = killed_.insert(killed_.end(), {pid, std::move(pidfd), {}});
  auto ended = loop_.on_readable(place->pidfd.get(), [this, place] {
    if (::waitpid(place->pid, nullptr, WNOHANG) != 0) killed_.erase(place);
  });
  if (ended) place->ended = std::move(*ended);
}

}  // namespace netperfd::command
