// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/side_journal_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
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

std::optional<core::SideNote> note_of(const std::vector<std::string>& fields, const std::string& boot_id) {
  if (fields.size() <= kFixedFields || fields[0] != kMagic || fields[1] != boot_id) return std::nullopt;
  const auto job = number_of(fields[2]);
  const auto words = number_of(fields[4]);
  if (!job || words != static_cast<std::int64_t>(fields.size() - kFixedFields)) return std::nullopt;
  return core::SideNote{
      .job = *job, .side = fields[3], .apply = {fields.begin() + kFixedFields, fields.end()}};
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
  const auto text = read_file(file_, path_, kLongestNote);
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
  std::vector<std::string> fields{std::string{kMagic}, boot_id_, std::to_string(note.job), note.side,
                                  std::to_string(note.apply.size())};
  fields.insert(fields.end(), note.apply.begin(), note.apply.end());
  const std::string text = text_of_fields(fields);
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
