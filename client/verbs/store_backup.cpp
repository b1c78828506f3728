// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/store_backup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "client/terminal/terminal.hpp"

namespace netperfctl {
namespace {

std::unexpected<Failure> refuse(const std::string& where) {
  return fail(Exit::other, fmt::format("{}: {}", where, std::generic_category().message(errno)));
}

// How many bytes a database has by its header, <https://sqlite.org/fileformat.html>; 0 if it is none.
std::uint64_t size_in_header(std::string_view bytes) {
  constexpr std::size_t kHeader = 100, kPageBytes = 16, kPages = 28;
  if (bytes.size() < kHeader || !bytes.starts_with("SQLite format 3")) return 0;
  const auto number = [bytes](std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (const char byte : bytes.substr(at, size)) value = value << 8U | static_cast<unsigned char>(byte);
    return value;
  };
  constexpr std::uint64_t kLargestPage = 65'536;
  const std::uint64_t page = number(kPageBytes, 2);
  return number(kPages, 4) * (page == 1 ? kLargestPage : page);
}

Outcome<void> write_chunk(int to, std::string_view bytes, const std::string& where) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(to, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return refuse(where);
    }
  }
  return {};
}

// The process that writes for the daemon may be ended, which shows as an end like any other.
Outcome<std::uint64_t> copy_backup(const OwnedFd& content, int to, const std::string& where) {
  std::vector<char> chunk(1U << 16U);
  std::string begin;
  std::uint64_t copied = 0;
  for (;;) {
    const ssize_t got = ::read(content.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse("what netperfd sends cannot be read");
    if (got == 0) break;
    const std::string_view bytes{chunk.data(), static_cast<std::size_t>(got)};
    constexpr std::size_t kBegin = 128;
    if (begin.size() < kBegin) begin += bytes.substr(0, kBegin);
    if (const auto written = write_chunk(to, bytes, where); !written) return std::unexpected(written.error());
    copied += bytes.size();
  }
  const std::uint64_t expected = size_in_header(begin);
  if (expected > 0 && copied == expected) return copied;
  return fail(Exit::other,
              fmt::format("netperfd did not send all of the store: {} bytes of {} came; its log says why",
                          copied, expected > 0 ? std::to_string(expected) : "an unknown number"));
}

Outcome<void> put_on_disk(const OwnedFd& to, const std::string& partial, const std::string& file) {
  if (::fsync(to.get()) != 0) return refuse(partial);
  if (std::rename(partial.c_str(), file.c_str()) != 0) return refuse(file);
  const auto folder = std::filesystem::path{file}.parent_path();
  const OwnedFd directory{::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (directory.get() < 0 || ::fsync(directory.get()) != 0) {
    complain(fmt::format("{} was written, but a power cut may lose it: its directory cannot be synced: {}",
                         file, std::generic_category().message(errno)));
  }
  return {};
}

}  // namespace

Outcome<std::uint64_t> write_backup_to_stdout(const OwnedFd& content) {
  auto copied = copy_backup(content, STDOUT_FILENO, "stdout");
  if (!copied) copied.error().message += "\nstdout is not whole.";
  return copied;
}

Outcome<std::uint64_t> write_backup(const OwnedFd& content, const std::string& file) {
  const std::string partial = file + ".partial";
  (void)::unlink(partial.c_str());  // of a client that was killed
  // Only the user may read it: it has the raw data of all users.
  constexpr mode_t kOwnerOnly = 0600;
  const OwnedFd to{::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly)};
  if (to.get() < 0) return refuse(partial);
  auto copied = copy_backup(content, to.get(), partial);
  if (copied) {
    if (const auto put = put_on_disk(to, partial, file); !put) copied = std::unexpected(put.error());
  }
  if (!copied) {
    (void)::unlink(partial.c_str());
    copied.error().message += fmt::format("\nNothing was written to {}.", file);
  }
  return copied;
}

}  // namespace netperfctl
