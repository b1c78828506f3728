// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/hung_exec.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace netperfd::support {
namespace {

using import::test::SilentFile;

// A process between, so that the test itself has not the file open: all that it starts would hang, too.
[[noreturn]] void hold(const Fd& told, const Fd& stop) {
  constexpr uid_t kNobody = 65534;
  const auto file = SilentFile::make();
  if (!file) ::_exit(1);
  const Fd open = file->take();
  const pid_t hung = ::fork();
  if (hung == 0) {
    if (::setresuid(kNobody, kNobody, kNobody) == 0) ::execl("/bin/true", "true", nullptr);
    ::_exit(1);
  }
  char byte = 0;
  if (hung > 0 && file->wait_for_close() && ::write(told.get(), &hung, sizeof hung) == sizeof hung)
    (void)!::read(stop.get(), &byte, 1);
  file->let_go();
  if (hung > 0) ::waitpid(hung, nullptr, 0);
  ::_exit(0);
}

}  // namespace

std::unique_ptr<HungExec> HungExec::make() {
  auto told = make_pipe();
  auto stop = make_pipe();
  if (!told || !stop) return nullptr;
  std::unique_ptr<HungExec> made(new HungExec);
  made->holder_ = ::fork();
  if (made->holder_ == 0) {
    stop->write.reset();
    hold(told->write, stop->read);
  }
  told->write.reset();
  made->stop_ = std::move(stop->write);
  const bool hangs = ::read(told->read.get(), &made->pid_, sizeof made->pid_) == sizeof made->pid_;
  return hangs ? std::move(made) : nullptr;
}

HungExec::~HungExec() {
  stop_.reset();
  if (holder_ > 0) ::waitpid(holder_, nullptr, 0);
}

}  // namespace netperfd::support
