// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/side_journal_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/command/note_file.hpp"

namespace netperfd::command {
namespace {

// The fields of a note:
//   netperfd-side 1   BOOT_ID   JOB   SIDE   NUMBER_OF_WORDS   WORD...
constexpr std::string_view kMagic = "netperfd-side 1";
constexpr std::size_t kFixedFields = 5;

std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path();
}

std::optional<core::SideNote> note_of(const std::vector<std::string>& fields, const std::string& boot_id) {
  if (fields.size() <= kFixedFields || fields[0] != kMagic || fields[1] != boot_id) return std::nullopt;
  const auto job = number_of(fields[2]);
  const auto words = number_of(fields[4]);
  if (!job || words != static_cast<std::int64_t>(fields.size() - kFixedFields)) return std::nullopt;
  return core::SideNote{
      .job = *job, .side = fields[3], .apply = {fields.begin() + kFixedFields, fields.end()}};
}

}  // namespace

SideJournalFile::SideJournalFile(std::string path, std::string boot_id)
    : path_(std::move(path)), boot_id_(std::move(boot_id)) {}

Result<SideJournalFile> SideJournalFile::open(const std::string& path, const std::string& boot_id) {
  SideJournalFile journal(path, boot_id);
  if (auto opened = journal.open_file(); !opened) return std::unexpected(std::move(opened.error()));
  return journal;
}

// Closes the file first: to close it later would give up the new lock.
Status SideJournalFile::open_file() {
  lock_ = ProcessLock{};
  refused_.reset();
  auto lock = ProcessLock::take(path_, O_RDWR | O_CREAT, 0600);
  if (!lock) {
    refused_ = lock.error();
    const bool is_absent = ::access(path_.c_str(), F_OK) != 0 && errno == ENOENT;
    if (is_absent && (refused_->kind == ErrorKind::no_space || is_on_read_only_disk(folder_of(path_))))
      return {};
    if (!is_on_read_only_disk(path_)) return std::unexpected(*refused_);
    lock = ProcessLock::take(path_, O_RDONLY, 0);
    if (!lock) return std::unexpected(std::move(lock.error()));
  }
  if (auto checked = check_owner(lock->file(), path_); !checked) return checked;
  lock_ = std::move(*lock);
  return {};
}

Result<std::optional<core::SideNote>> SideJournalFile::read() const {
  if (!lock_.file()) return std::nullopt;
  // Reads the file that was checked when it was opened, not whatever is at the path now.
  if (::lseek(lock_.file().get(), 0, SEEK_SET) < 0) return fail_errno(path_, errno);
  const auto text = read_file(lock_.file(), path_, kLongestNote);
  if (!text) return std::unexpected(text.error());
  return note_of(fields_of(*text), boot_id_);
}

Status SideJournalFile::write(const core::SideNote& note) {
  if (refused_) {
    if (auto opened = open_file(); !opened) return opened;
    if (refused_) return std::unexpected(*refused_);
  }
  const auto left = read();
  if (!left) return std::unexpected(left.error());
  if (*left) {
    return fail(ErrorKind::busy,
                fmt::format("job {} left {}; a restart of netperfd tries again to bring it back",
                            (*left)->job, left_by(**left)));
  }
  std::vector<std::string> fields{std::string{kMagic}, boot_id_, std::to_string(note.job), note.side,
                                  std::to_string(note.apply.size())};
  fields.insert(fields.end(), note.apply.begin(), note.apply.end());
  const std::string text = text_of_fields(fields);
  if (auto cleared = clear(); !cleared) return cleared;
  const ssize_t wrote = ::pwrite(lock_.file().get(), text.data(), text.size(), 0);
  if (wrote < 0) return fail_errno(path_, errno);
  if (static_cast<std::size_t>(wrote) != text.size()) return fail_errno(path_, ENOSPC);
  if (::fsync(lock_.file().get()) != 0) return fail_errno(path_, errno);
  return {};
}

Status SideJournalFile::clear() {
  if (!lock_.file()) return {};
  if (::ftruncate(lock_.file().get(), 0) != 0 || ::fsync(lock_.file().get()) != 0)
    return fail_errno(path_, errno);
  return {};
}

// By its folder, since a full disk may have no room for the file.
Result<std::string> SideJournalFile::owner() const {
  const std::string path = folder_of(path_);
  struct stat folder{};
  if (::stat(path.c_str(), &folder) != 0) return fail_errno(path, errno);
  return fmt::format("{:x}.{:x}.{:x}", folder.st_dev, folder.st_ino,
                     std::hash<std::string>{}(std::filesystem::path(path_).filename()));
}

}  // namespace netperfd::command
