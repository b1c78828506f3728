// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/store_backup.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

#include "client/verbs/new_file.hpp"

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
    if (const auto written = write_all(to, bytes, where); !written) return std::unexpected(written.error());
    copied += bytes.size();
  }
  const std::uint64_t expected = size_in_header(begin);
  if (expected > 0 && copied == expected) return copied;
  return fail(Exit::other,
              fmt::format("netperfd did not send all of the store: {} bytes of {} came; its log says why",
                          copied, expected > 0 ? std::to_string(expected) : "an unknown number"));
}

}  // namespace

Outcome<std::uint64_t> write_backup(const OwnedFd& content, const std::string& file) {
  return write_private(file,
                       [&](int to, const std::string& where) { return copy_backup(content, to, where); });
}

}  // namespace netperfctl
