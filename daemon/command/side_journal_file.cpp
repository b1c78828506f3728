// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/side_journal_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace netperfd::command {
namespace {

// Fields that each end with a NUL, which no argument of a command can hold:
//   netperfd-side 1   BOOT_ID   JOB   SIDE   NUMBER_OF_WORDS   WORD...
constexpr std::string_view kMagic = "netperfd-side 1";
constexpr std::size_t kLongest = std::size_t{1} << 20;
constexpr std::size_t kFixedFields = 5;

// Ignores an unterminated last field.
std::vector<std::string> fields_of(std::string_view text) {
  std::vector<std::string> fields;
  for (auto end = text.find('\0'); end != std::string_view::npos; end = text.find('\0')) {
    fields.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return fields;
}

std::optional<std::int64_t> number_of(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<core::SideNote> note_of(const std::vector<std::string>& fields, const std::string& boot_id) {
  if (fields.size() <= kFixedFields || fields[0] != kMagic || fields[1] != boot_id) return std::nullopt;
  const auto job = number_of(fields[2]);
  const auto words = number_of(fields[4]);
  if (!job || words != static_cast<std::int64_t>(fields.size() - kFixedFields)) return std::nullopt;
  return core::SideNote{
      .job = *job, .side = fields[3], .apply = {fields.begin() + kFixedFields, fields.end()}};
}

Status check_owner(const Fd& file, const std::string& path) {
  struct stat found{};
  if (::fstat(file.get(), &found) != 0) return fail_errno(path, errno);
  if (!S_ISREG(found.st_mode) || found.st_uid != ::geteuid() || (found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail(ErrorKind::access_denied,
                fmt::format("{}: is not a file that only netperfd can write", path));
  }
  return {};
}

}  // namespace

SideJournalFile::SideJournalFile(std::string path, std::string boot_id, Fd file)
    : path_(std::move(path)), boot_id_(std::move(boot_id)), file_(std::move(file)) {}

Result<SideJournalFile> SideJournalFile::open(const std::string& path, const std::string& boot_id) {
  Fd file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!file) return fail_errno(path, errno);
  if (auto checked = check_owner(file, path); !checked) return std::unexpected(std::move(checked.error()));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno(path, errno);
    return fail(ErrorKind::busy, fmt::format("{}: a netperfd that runs holds it", path));
  }
  return SideJournalFile(path, boot_id, std::move(file));
}

Result<std::optional<core::SideNote>> SideJournalFile::read() const {
  // Reads the file that was checked when it was opened, not whatever is at the path now.
  if (::lseek(file_.get(), 0, SEEK_SET) < 0) return fail_errno(path_, errno);
  const auto text = read_file(file_, path_, kLongest);
  if (!text) return std::unexpected(text.error());
  return note_of(fields_of(*text), boot_id_);
}

Status SideJournalFile::write(const core::SideNote& note) {
  const auto left = read();
  if (!left) return std::unexpected(left.error());
  if (*left) {
    return fail(ErrorKind::busy,
                fmt::format("job {} left the machine off side {}; a restart of netperfd tries again to "
                            "bring it back",
                            (*left)->job, (*left)->side));
  }
  std::string text;
  const auto add = [&](std::string_view field) { text.append(field).push_back('\0'); };
  add(kMagic);
  add(boot_id_);
  add(std::to_string(note.job));
  add(note.side);
  add(std::to_string(note.apply.size()));
  for (const std::string& word : note.apply) add(word);
  if (auto cleared = clear(); !cleared) return cleared;
  const ssize_t wrote = ::pwrite(file_.get(), text.data(), text.size(), 0);
  if (wrote < 0) return fail_errno(path_, errno);
  if (static_cast<std::size_t>(wrote) != text.size()) return fail_errno(path_, ENOSPC);
  if (::fsync(file_.get()) != 0) return fail_errno(path_, errno);
  return {};
}

Status SideJournalFile::clear() {
  if (::ftruncate(file_.get(), 0) != 0 || ::fsync(file_.get()) != 0) return fail_errno(path_, errno);
  return {};
}

}  // namespace netperfd::command
