// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/checked_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "daemon/model/text.hpp"

namespace netperfd::core {
namespace {

// Absent for a file without a name: it was made for the import, such as a copy of a pipe in memory.
std::optional<WallTime> modified_of(const struct statx& about) {
  constexpr std::int64_t kLastSecond = 253'402'300'799;  // of the year 9999
  constexpr unsigned kNeeded = STATX_MTIME | STATX_NLINK;
  const auto& time = about.stx_mtime;
  if ((about.stx_mask & kNeeded) != kNeeded || about.stx_nlink == 0) return std::nullopt;
  if (time.tv_sec < 0 || time.tv_sec > kLastSecond) return std::nullopt;
  return WallTime{std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_nsec / 1'000}};
}

// Fills in its size and its time.
Status check_file(const Fd& file, SourceFile& source) {
  const int flags = ::fcntl(file.get(), F_GETFL);
  if (flags < 0) return fail_errno("fcntl F_GETFL of the file", errno);
  if ((flags & O_PATH) != 0 || (flags & O_ACCMODE) == O_WRONLY) {
    return fail(ErrorKind::invalid_argument, "the file is not open for reading");
  }
  // Asks only for what the kernel already has cached: a caller's own file system may never answer.
  struct statx about{};
  if (::statx(file.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
              STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_NLINK, &about) != 0) {
    return fail_errno("statx of the file", errno);
  }
  if (!S_ISREG(about.stx_mode)) return fail(ErrorKind::invalid_argument, "it is not a regular file");
  if (about.stx_size > Importer::kFileLimitBytes) {
    return fail(ErrorKind::invalid_argument, fmt::format("the file has {} bytes; at most {} are read",
                                                         about.stx_size, Importer::kFileLimitBytes));
  }
  source.size = about.stx_size;
  source.modified = modified_of(about);
  return {};
}

// What a message calls it may be a path.
Result<std::string> base_name(const std::string& name) {
  const auto why = not_printable(name);
  if (name.empty() || name.size() > Importer::kLongestName || !why.empty() || name.back() == '/') {
    return fail(
        ErrorKind::invalid_argument,
        fmt::format("a file's name is one printable line of 1 to {} bytes that does not end with /{}{}",
                    Importer::kLongestName, why.empty() ? "" : ", and ", why));
  }
  return name.substr(name.rfind('/') + 1);
}

}  // namespace

std::unexpected<Error> about_file(const std::string& name, const Error& error) {
  return fail(error.kind, fmt::format("{}: {}", name, error.message));
}

Result<std::vector<CheckedFile>> check_files(std::vector<NamedFile> files) {
  std::vector<CheckedFile> checked;
  for (NamedFile& each : files) {
    checked.push_back({std::move(each.file), std::move(each.name), {}});
  }
  if (checked.empty() || checked.size() > Importer::kMostFiles) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("{} files cannot be one run; expected are one, or an iperf3 document and a trace",
                            checked.size()));
  }
  for (CheckedFile& each : checked) {
    auto name = base_name(each.name);
    if (!name) return std::unexpected(std::move(name.error()));
    each.source.name = std::move(*name);
    if (auto fits = check_file(each.file.get(), each.source); !fits)
      return about_file(each.name, fits.error());
  }
  return checked;
}

}  // namespace netperfd::core
