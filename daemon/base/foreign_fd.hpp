// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptors of files that others opened. Closing one may take forever: a FUSE file system is asked for its
// consent (FLUSH), and no signal ends the wait for its answer.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "daemon/base/fd.hpp"

namespace netperfd {

// Closes it in another thread. A descriptor that finds all of them blocked, or no thread, stays open until
// one is free: a lost descriptor is better than a blocked loop. One of an own file (see own_files.hpp) stays
// open until the process ends: closing it would give up the locks of SQLite. Whoever counts the open ones has
// `counted` destroyed, in that thread, when it is closed.
void close_elsewhere(Fd fd, std::shared_ptr<const void> counted = {});
// Number of descriptors passed to close_elsewhere() that will be closed.
[[nodiscard]] std::size_t closes_under_way();

// Owns a descriptor of somebody else's file. Destroying it never blocks.
class ForeignFd {
 public:
  ForeignFd(Fd fd, std::shared_ptr<const void> counted = {})
      : fd_(std::move(fd)), counted_(std::move(counted)) {}
  ForeignFd(ForeignFd&&) = default;
  ForeignFd& operator=(ForeignFd&&) = delete;
  ForeignFd(const ForeignFd&) = delete;
  ForeignFd& operator=(const ForeignFd&) = delete;
  ~ForeignFd() { close_elsewhere(std::move(fd_), std::move(counted_)); }

  [[nodiscard]] const Fd& get() const { return fd_; }

 private:
  Fd fd_;
  std::shared_ptr<const void> counted_;  // see close_elsewhere()
};

}  // namespace netperfd
