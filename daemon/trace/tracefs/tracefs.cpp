// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/tracefs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/trace/tracefs/tracefs_error.hpp"

namespace netperfd::trace {
namespace {

// Larger than any of tracefs's own files; available_filter_functions of a large kernel has 3 MiB.
constexpr std::size_t kLongestFile = std::size_t{64} << 20;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;

ErrorKind kind_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENODEV:
      return ErrorKind::not_found;
    case EPERM:
    case EACCES:
      return ErrorKind::access_denied;
    case EBUSY:
      return ErrorKind::busy;
    case EINVAL:
      return ErrorKind::invalid_argument;
    default:
      return ErrorKind::io;
  }
}

// The kernel parses each write(2) separately: a text must be written at once, and the rest of a short write
// would mean something else.
Status write_once(const Fd& file, const std::string& path, const std::string& text) {
  if (text.empty()) return {};
  const ssize_t written = ::write(file.get(), text.data(), text.size());
  if (written < 0) return refused(writing(path, text), errno);
  if (static_cast<std::size_t>(written) != text.size()) {
    return fail(ErrorKind::io,
                fmt::format("{}: the kernel took {} of {} bytes", writing(path, text), written, text.size()));
  }
  return {};
}

class RealFile final : public TracefsFile {
 public:
  RealFile(Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    const ssize_t got = ::read(file_.get(), out.data(), out.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    // A CPU that has been offline since its instance was made has no ring until it comes online
    // (kernel/trace/ring_buffer.c: ring_buffer_alloc_read_page()).
    if (errno == EAGAIN || errno == EINTR || errno == ENODEV) return 0U;
    return refused(path_, errno);
  }

  Status write(const std::string& text) override { return write_once(file_, path_, text); }

  int descriptor() const override { return file_.get(); }

 private:
  Fd file_;
  std::string path_;
};

class RealTracefs final : public Tracefs {
 public:
  explicit RealTracefs(std::string root) : root_(std::move(root)) {}

  Result<std::string> read(const std::string& path) override {
    const Fd file{::open(full(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!file) return refused(path, errno);
    std::string text;
    std::array<char, kReadBytes> bytes{};
    while (text.size() < kLongestFile) {
      const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return refused(path, errno);
      if (got == 0) return text;
      text.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return fail(ErrorKind::io, fmt::format("{}: longer than {} bytes", path, kLongestFile));
  }

  Status write(const std::string& path, const std::string& text) override { return put(path, text, O_TRUNC); }

  Status append(const std::string& path, const std::string& text) override { return put(path, text, 0); }

  Status make_directory(const std::string& path) override {
    if (::mkdir(full(path).c_str(), 0700) != 0) return refused("mkdir " + path, errno);
    return {};
  }

  Status remove_directory(const std::string& path) override {
    if (::rmdir(full(path).c_str()) != 0) return refused("rmdir " + path, errno);
    return {};
  }

  Result<std::vector<std::string>> list(const std::string& path) override {
    std::error_code error;
    std::filesystem::directory_iterator entry(full(path), error);
    std::vector<std::string> names;
    for (; !error && entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
      names.push_back(entry->path().filename().string());
    }
    if (error) return refused(path, error.value());
    std::ranges::sort(names);
    return names;
  }

  bool exists(const std::string& path) override { return ::access(full(path).c_str(), F_OK) == 0; }

  Result<std::unique_ptr<TracefsFile>> open(const std::string& path, OpenMode mode) override {
    const int flags = mode == OpenMode::read ? O_RDONLY | O_NONBLOCK : O_WRONLY;
    Fd file{::open(full(path).c_str(), flags | O_CLOEXEC)};
    if (!file) return refused(path, errno);
    return std::make_unique<RealFile>(std::move(file), path);
  }

 private:
  [[nodiscard]] std::string full(const std::string& path) const {
    return path.empty() ? root_ : root_ + "/" + path;
  }

  Status put(const std::string& path, const std::string& text, int flags) {
    const Fd file{::open(full(path).c_str(), O_WRONLY | O_CLOEXEC | flags)};
    if (!file) return refused(writing(path, text), errno);
    return write_once(file, path, text);
  }

  std::string root_;
};

// Fields of mountinfo have blanks and backslashes in octal: "\040".
std::string of_mountinfo(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '\\' && i + 3 < field.size()) {
      text += static_cast<char>((field[i + 1] - '0') * 64 + (field[i + 2] - '0') * 8 + (field[i + 3] - '0'));
      i += 3;
    } else {
      text += field[i];
    }
  }
  return text;
}

}  // namespace

std::unexpected<Error> refused(std::string_view what, int error_number) {
  return fail(kind_of(error_number),
              fmt::format("{}: {}", what, std::generic_category().message(error_number)));
}

std::string writing(const std::string& path, std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return fmt::format("write \"{}\" to {}", text, path);
}

std::unique_ptr<Tracefs> make_real_tracefs(std::string root) {
  return std::make_unique<RealTracefs>(std::move(root));
}

Result<std::string> find_tracefs() {
  auto mounts = read_file("/proc/self/mountinfo", std::size_t{16} << 20);
  if (!mounts) return std::unexpected(mounts.error());
  std::istringstream lines(*mounts);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    // "36 35 0:12 / /sys/kernel/tracing rw,nosuid - tracefs tracefs rw"; a bind mount of a part of it has a
    // root other than "/".
    const auto separator = line.find(" - ");
    if (separator == std::string::npos || !line.substr(separator).starts_with(" - tracefs ")) continue;
    std::istringstream fields(line);
    std::string skipped;
    std::string root;
    std::string point;
    fields >> skipped >> skipped >> skipped >> root >> point;
    // The mount below debugfs is the same tree under a longer path.
    if (root == "/" && (found.empty() || point == "/sys/kernel/tracing")) found = of_mountinfo(point);
  }
  if (!found.empty()) return found;
  return fail(ErrorKind::unsupported,
              "tracefs is not mounted: \"mount -t tracefs tracefs /sys/kernel/tracing\" mounts it, where the "
              "kernel was built with CONFIG_TRACING.");
}

}  // namespace netperfd::trace
