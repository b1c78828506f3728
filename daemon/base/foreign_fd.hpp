// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptors of files that others opened. Closing one may take forever: a FUSE file system is asked for its
// consent (FLUSH), and no signal ends the wait for its answer.
#pragma once

#include <cstddef>
#include <utility>

#include "daemon/base/fd.hpp"

namespace netperfd {

// Closes it in another thread, of which there are a few. A descriptor that finds all of them blocked, or no
// thread, stays open until one is free: a lost descriptor is better than a blocked loop.
void close_elsewhere(Fd fd);
// Number of descriptors passed to close_elsewhere() that are not closed yet.
[[nodiscard]] std::size_t closes_under_way();

// Owns a descriptor of somebody else's file. Destroying it never blocks.
class ForeignFd {
 public:
  explicit ForeignFd(Fd fd) : fd_(std::move(fd)) {}
  ForeignFd(ForeignFd&&) = default;
  ForeignFd& operator=(ForeignFd&&) = delete;
  ForeignFd(const ForeignFd&) = delete;
  ForeignFd& operator=(const ForeignFd&) = delete;
  ~ForeignFd() { close_elsewhere(std::move(fd_)); }

  [[nodiscard]] const Fd& get() const { return fd_; }
  [[nodiscard]] Fd take() { return std::move(fd_); }

 private:
  Fd fd_;
};

}  // namespace netperfd
