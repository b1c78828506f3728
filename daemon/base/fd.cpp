// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/fd.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

namespace netperfd {

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("pipe2", errno);
  return Pipe{Fd{ends[0]}, Fd{ends[1]}};
}

Status set_nonblocking(const Fd& fd) {
  const int flags = ::fcntl(fd.get(), F_GETFL);
  if (flags < 0 || ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    return fail_errno("fcntl O_NONBLOCK", errno);
  }
  return {};
}

Result<std::string> read_file(const std::string& path, std::size_t limit_bytes) {
  // O_NONBLOCK matters only for the open: a FIFO would wait there for its writer.
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file) return fail_errno(path, errno);
  return read_file(file, path, limit_bytes);
}

Result<std::string> read_file(const Fd& file, const std::string& path, std::size_t limit_bytes) {
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail_errno(path, errno);
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorKind::invalid_argument, fmt::format("{}: not a regular file", path));
  }
  std::string text;
  std::array<char, 16384> chunk{};
  for (;;) {
    const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
    if (got == 0) return text;
    if (got < 0) {
      if (errno == EINTR) continue;
      return fail_errno(path, errno);
    }
    text.append(chunk.data(), static_cast<std::size_t>(got));
    if (text.size() > limit_bytes) {
      return fail(ErrorKind::invalid_argument, fmt::format("{}: larger than {} bytes", path, limit_bytes));
    }
  }
}

}  // namespace netperfd
