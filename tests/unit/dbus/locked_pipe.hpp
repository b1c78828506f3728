// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"

namespace netperfd::test {

// A plain pipe whose lock somebody keeps: a writer waits for a page of memory that does not come, as from a
// file on FUSE. Whoever closes one of its open files waits too, until let_go(), destruction or half a minute:
// a test that waits for it fails instead of hanging. Only root may make one.
class LockedPipe {
 public:
  // `files` are opened apart, since the kernel waits only where it closes the last copy of one.
  explicit LockedPipe(std::size_t files) {
    auto pipe = make_pipe();
    require(pipe.has_value(), "pipe");
    const std::string path = "/proc/self/fd/" + std::to_string(pipe->read.get());
    for (std::size_t i = 0; i < files; ++i) {
      files_.emplace_back(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
      require(static_cast<bool>(files_.back()), "open the pipe again");
    }
    pipe->read.reset();  // while nobody has the lock
    page_ = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(page_ != MAP_FAILED, "mmap");
    faults_.reset(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK)));
    require(static_cast<bool>(faults_), "userfaultfd");
    uffdio_api api{};
    api.api = UFFD_API;
    require(::ioctl(faults_.get(), UFFDIO_API, &api) == 0, "UFFDIO_API");
    uffdio_register area{};
    area.range.start = reinterpret_cast<std::uintptr_t>(page_);  // NOLINT: as the kernel wants it
    area.range.len = kPage;
    area.mode = UFFDIO_REGISTER_MODE_MISSING;
    require(::ioctl(faults_.get(), UFFDIO_REGISTER, &area) == 0, "UFFDIO_REGISTER");
    writer_ = std::thread([this, to = std::move(pipe->write)] { (void)!::write(to.get(), page_, 1); });
    keeper_ = std::thread([this] { keep(); });
    pollfd asked{faults_.get(), POLLIN, 0};
    const bool locked = ::poll(&asked, 1, 10'000) == 1;
    if (!locked) let_go();
    require(locked, "wait until the writer has the lock");
  }
  LockedPipe(const LockedPipe&) = delete;
  LockedPipe& operator=(const LockedPipe&) = delete;
  ~LockedPipe() {
    let_go();
    ::munmap(page_, kPage);
  }

  // One of them, which must not be closed here before let_go(): pass it on.
  [[nodiscard]] Fd take() {
    Fd file = std::move(files_.back());
    files_.pop_back();
    return file;
  }

  void let_go() {
    {
      const std::lock_guard lock(mutex_);
      goes_ = true;
    }
    changed_.notify_one();
    if (keeper_.joinable()) keeper_.join();
    if (writer_.joinable()) writer_.join();
  }

 private:
  static constexpr std::size_t kPage = 4096;
  static constexpr std::chrono::seconds kPatience{30};

  static void require(bool done, const char* what) {
    if (!done) throw std::system_error(errno, std::generic_category(), what);
  }

  // Closed, it lets the writer have its page.
  void keep() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [this] { return goes_; });
    faults_.reset();
  }

  std::vector<Fd> files_;
  void* page_ = nullptr;
  Fd faults_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool goes_ = false;
  std::thread writer_, keeper_;
};

}  // namespace netperfd::test
