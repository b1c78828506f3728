// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "client/base/owned_fd.hpp"
#include "client/terminal/terminal.hpp"

namespace netperfctl {
namespace {

std::unexpected<Failure> refuse(Exit exit, const std::string& where, int error) {
  return fail(exit, fmt::format("{}: {}", where, std::generic_category().message(error)));
}

bool is_link_of_others(const std::string& file) {
  struct stat link{};
  return ::lstat(file.c_str(), &link) == 0 && S_ISLNK(link.st_mode) && link.st_uid != 0 &&
         link.st_uid != ::geteuid();
}

// The open descriptor that a name of the kernel's stands for: -1 if it is none.
int descriptor_named(std::string_view file) {
  if (file == "/dev/stdout") return STDOUT_FILENO;
  if (file == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view directory : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!file.starts_with(directory)) continue;
    const std::string_view number = file.substr(directory.size());
    int descriptor = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), descriptor);
    return error == std::errc{} && end == number.data() + number.size() ? descriptor : -1;
  }
  return -1;
}

class NewFile {
 public:
  static Outcome<NewFile> create(const std::string& file, mode_t mode) {
    if (const int named = descriptor_named(file); named >= 0) {
      OwnedFd fd{::fcntl(named, F_DUPFD_CLOEXEC, 0)};
      if (fd.get() < 0) return refuse(Exit::usage, file, errno);
      return NewFile{std::move(fd), file, {}};
    }
    struct stat there{};
    if (::stat(file.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !is_link_of_others(file)) {
      OwnedFd fd{::open(file.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC)};
      if (fd.get() < 0) return refuse(Exit::usage, file, errno);
      // Something else may be there by now.
      if (::fstat(fd.get(), &there) != 0 || S_ISREG(there.st_mode)) return refuse(Exit::usage, file, EAGAIN);
      return NewFile{std::move(fd), file, {}};
    }
    std::string partial = fmt::format("{}.{}.partial", file, ::getpid());
    (void)::unlink(partial.c_str());  // of a client that was killed and had this number
    OwnedFd fd{::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)};
    if (fd.get() < 0) return refuse(Exit::usage, partial, errno);
    return NewFile{std::move(fd), file, std::move(partial)};
  }
  NewFile(NewFile&&) noexcept = default;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile() {
    if (!partial_.empty()) (void)::unlink(partial_.c_str());
  }

  [[nodiscard]] int fd() const { return fd_.get(); }

  Outcome<void> keep() {
    if (partial_.empty()) return {};
    if (::fsync(fd()) != 0) return refuse(Exit::other, partial_, errno);
    if (std::rename(partial_.c_str(), file_.c_str()) != 0) return refuse(Exit::other, file_, errno);
    partial_.clear();
    const auto folder = std::filesystem::path{file_}.parent_path();
    const OwnedFd directory{
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (directory.get() < 0 || ::fsync(directory.get()) != 0) {
      complain(fmt::format("{} was written, but a power cut may lose it: its directory cannot be synced: {}",
                           file_, std::generic_category().message(errno)));
    }
    return {};
  }

 private:
  NewFile(OwnedFd fd, std::string file, std::string partial)
      : fd_(std::move(fd)), file_(std::move(file)), partial_(std::move(partial)) {}

  OwnedFd fd_;
  std::string file_;
  std::string partial_;  // empty: nothing is to be put in the place of the file
};

Outcome<std::uint64_t> write_by(const std::string& file, mode_t mode, const Copy& copy) {
  auto made = NewFile::create(file, mode);
  if (!made) return std::unexpected(made.error());
  auto bytes = copy(made->fd(), file);
  if (bytes) {
    if (auto kept = made->keep(); !kept) return std::unexpected(kept.error());
  }
  return bytes;
}

}  // namespace

Outcome<void> write_all(int fd, std::string_view bytes, const std::string& where) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return refuse(Exit::other, where, errno);
    }
  }
  return {};
}

Outcome<std::uint64_t> write_private(const std::string& file, const Copy& copy) {
  constexpr mode_t kOwnerOnly = 0600;
  auto bytes = file.empty() ? copy(STDOUT_FILENO, "stdout") : write_by(file, kOwnerOnly, copy);
  if (!bytes) {
    bytes.error().message +=
        file.empty() ? "\nstdout is not whole." : fmt::format("\nNothing was written to {}.", file);
  }
  return bytes;
}

Outcome<void> write_file(const std::string& file, std::string_view text) {
  constexpr mode_t kAsUmaskSays = 0666;
  const auto bytes =
      write_by(file, kAsUmaskSays, [&](int fd, const std::string& where) -> Outcome<std::uint64_t> {
        if (auto written = write_all(fd, text, where); !written) return std::unexpected(written.error());
        return text.size();
      });
  if (!bytes) return std::unexpected(bytes.error());
  return {};
}

}  // namespace netperfctl
