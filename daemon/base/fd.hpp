// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <unistd.h>

#include <string>
#include <utility>

#include "daemon/base/error.hpp"

namespace netperfd {

// Owns one file descriptor; closes it once.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

// Both ends of a pipe, close-on-exec and blocking.
struct Pipe {
  Fd read;
  Fd write;
};

[[nodiscard]] Result<Pipe> make_pipe();
[[nodiscard]] Status set_nonblocking(const Fd& fd);

// Reads a whole regular file; fails if it is larger than `limit_bytes`.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t limit_bytes);
// Reads an open file from its current offset; errors call it `path`.
[[nodiscard]] Result<std::string> read_file(const Fd& file, const std::string& path, std::size_t limit_bytes);

}  // namespace netperfd
