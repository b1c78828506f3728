// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "tests/support/patience.hpp"

namespace netperfd::test {

// A plain pipe whose lock somebody keeps: a process that writes waits for a page of its memory, as it would
// for one of a file on FUSE. Whoever closes one of its open files waits too, until let_go(), destruction or
// four times kTestPatience: a test that waits for it fails instead of hanging. Only root may make one.
class LockedPipe {
 public:
  // `files` are opened apart, since the kernel waits only where it closes the last copy of one.
  explicit LockedPipe(std::size_t files) {
    auto pipe = make_pipe();
    auto told = make_pipe();
    require(pipe.has_value() && told.has_value(), "pipe");
    const std::string path = "/proc/self/fd/" + std::to_string(pipe->read.get());
    for (std::size_t i = 0; i < files; ++i) {
      files_.emplace_back(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
      require(static_cast<bool>(files_.back()), "open the pipe again");
    }
    pipe->read.reset();  // while nobody has the lock
    writer_ = ::fork();
    require(writer_ >= 0, "fork");
    if (writer_ == 0) write_to(pipe->write.get(), told->write.get());
    told->write.reset();
    int number = -1;
    require(::read(told->read.get(), &number, sizeof number) == sizeof number, "userfaultfd of the writer");
    const Fd process{static_cast<int>(::syscall(SYS_pidfd_open, writer_, 0))};
    const Fd faults{static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), number, 0))};
    pollfd asked{faults.get(), POLLIN, 0};
    require(faults && ::poll(&asked, 1, kTestPatienceMs) == 1, "wait until the writer has the lock");
  }
  LockedPipe(const LockedPipe&) = delete;
  LockedPipe& operator=(const LockedPipe&) = delete;
  ~LockedPipe() { let_go(); }

  // One of them, which must not be closed here before let_go(): pass it on.
  [[nodiscard]] Fd take() {
    Fd file = std::move(files_.back());
    files_.pop_back();
    return file;
  }

  void let_go() {
    if (writer_ <= 0) return;
    ::kill(writer_, SIGKILL);
    ::waitpid(std::exchange(writer_, -1), nullptr, 0);
  }

 private:
  static void require(bool done, const char* what) {
    if (!done) throw std::system_error(errno, std::generic_category(), what);
  }

  // In the child. Tells the number of the descriptor that has an event once the page is missed.
  [[noreturn]] static void write_to(int pipe, int told) {
    constexpr std::size_t kPage = 4096;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::alarm(4 * static_cast<unsigned>(kTestPatience.count()));
    // Also the files: the last copies are those that are passed on.
    const auto [low, high] = std::minmax({static_cast<unsigned>(pipe), static_cast<unsigned>(told)});
    ::close_range(3, low - 1, 0);
    if (high > low + 1) ::close_range(low + 1, high - 1, 0);
    ::close_range(high + 1, ~0U, 0);
    void* const page = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const auto faults = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
    uffdio_api api{};
    api.api = UFFD_API;
    uffdio_register area{};
    area.range.start = reinterpret_cast<std::uintptr_t>(page);  // NOLINT: as the kernel wants it
    area.range.len = kPage;
    area.mode = UFFDIO_REGISTER_MODE_MISSING;
    if (::ioctl(faults, UFFDIO_API, &api) == 0 && ::ioctl(faults, UFFDIO_REGISTER, &area) == 0 &&
        ::write(told, &faults, sizeof faults) == sizeof faults) {
      (void)!::syscall(SYS_write, pipe, page, 1);
    }
    ::_exit(0);
  }

  std::vector<Fd> files_;
  pid_t writer_ = -1;
};

}  // namespace netperfd::test
