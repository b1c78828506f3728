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

// The fields of a note, one note after the other:
//   netperfd-side 2   BOOT_ID   JOB   SIDE   NUMBER_OF_WORDS   WORD...   NUMBER_OF_PARTS   PART...
// Those of version 1, which older versions wrote, have no parts. A cleared note has another first byte, so
// that neither the notes before it nor those behind it are written again.
constexpr std::string_view kMagic = "netperfd-side 2";
constexpr std::string_view kMagicWithoutParts = "netperfd-side 1";
constexpr char kCleared = '-';

std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path();
}

// The fields of a text, in their order.
class Fields {
 public:
  explicit Fields(const std::string& text) : fields_(fields_of(text)) {}

  // Absent: there are no more.
  std::optional<std::string> next() {
    if (at_ == fields_.size()) return std::nullopt;
    bytes_ += fields_[at_].size() + 1;
    return std::move(fields_[at_++]);
  }
  // A number and as many fields.
  std::optional<std::vector<std::string>> next_list() {
    const auto field = next();
    const auto count = field ? number_of(*field) : std::nullopt;
    if (!count || *count < 0 || static_cast<std::uint64_t>(*count) > fields_.size() - at_)
      return std::nullopt;
    std::vector<std::string> list;
    for (std::int64_t i = 0; i < *count; ++i) list.push_back(*next());
    return list;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }  // of the fields so far

 private:
  std::vector<std::string> fields_;
  std::size_t at_ = 0, bytes_ = 0;
};

struct ReadNote {
  bool counts = false;  // of this boot, and not cleared
  core::SideNote note;
};

// Absent: the file ends, or what follows was never finished.
std::optional<ReadNote> next_note(Fields& fields, const std::string& boot_id) {
  auto magic = fields.next();
  if (!magic || magic->empty()) return std::nullopt;
  ReadNote read{.counts = magic->front() != kCleared, .note = {}};
  magic->front() = kMagic.front();
  if (*magic != kMagic && *magic != kMagicWithoutParts) return std::nullopt;
  const auto boot = fields.next(), job = fields.next(), side = fields.next();
  auto words = side ? fields.next_list() : std::nullopt;
  const auto number = job ? number_of(*job) : std::nullopt;
  if (!words || words->empty() || !number) return std::nullopt;
  auto parts = *magic == kMagic ? fields.next_list() : std::vector<std::string>{};
  if (!parts) return std::nullopt;
  read.counts = read.counts && *boot == boot_id;
  read.note = {.job = *number, .side = *side, .apply = std::move(*words), .parts = std::move(*parts)};
  return read;
}

void add_list(const std::vector<std::string>& list, std::vector<std::string>& fields) {
  fields.push_back(std::to_string(list.size()));
  fields.insert(fields.end(), list.begin(), list.end());
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

Result<std::vector<SideJournalFile::Entry>> SideJournalFile::entries() const {
  std::vector<Entry> all;
  if (!lock_.file()) return all;
  // Reads the file that was checked when it was opened, not whatever is at the path now.
  if (::lseek(lock_.file().get(), 0, SEEK_SET) < 0) return fail_errno(path_, errno);
  const auto text = read_file(lock_.file(), path_, kLongestNote);
  if (!text) return std::unexpected(text.error());
  Fields fields(*text);
  std::size_t begin = 0;
  while (auto read = next_note(fields, boot_id_)) {
    if (read->counts) all.push_back({std::move(read->note), begin, fields.bytes()});
    begin = fields.bytes();
  }
  return all;
}

Result<std::vector<core::SideNote>> SideJournalFile::left() const {
  auto all = entries();
  if (!all) return std::unexpected(std::move(all.error()));
  std::vector<core::SideNote> notes;
  for (Entry& entry : *all) notes.push_back(std::move(entry.note));
  return notes;
}

Status SideJournalFile::write(const core::SideNote& note) {
  if (refused_) {
    if (auto opened = open_file(); !opened) return opened;
    if (refused_) return std::unexpected(*refused_);
  }
  const auto all = entries();
  if (!all) return std::unexpected(all.error());
  for (const Entry& entry : *all) {
    if (entry.note.job != note.job) continue;
    return fail(ErrorKind::busy, fmt::format("job {} left {} before, which is still to be brought back",
                                             note.job, core::left_by(entry.note)));
  }
  std::vector<std::string> fields{std::string{kMagic}, boot_id_, std::to_string(note.job), note.side};
  add_list(note.apply, fields);
  add_list(note.parts, fields);
  const std::string text = text_of_fields(fields);
  // Behind the last one that counts. Until all of it is on disk, it is none.
  const std::size_t at = all->empty() ? 0 : all->back().end;
  if (at + text.size() > kLongestNote) return fail_errno(path_, EFBIG);
  if (auto cut = truncate(at); !cut) return cut;
  const ssize_t wrote = ::pwrite(lock_.file().get(), text.data(), text.size(), static_cast<off_t>(at));
  Status written;
  if (wrote < 0) {
    written = fail_errno(path_, errno);
  } else if (static_cast<std::size_t>(wrote) != text.size()) {
    written = fail_errno(path_, ENOSPC);
  } else if (::fsync(lock_.file().get()) != 0) {
    written = fail_errno(path_, errno);
  }
  if (!written) (void)truncate(at);  // what is refused does not count
  return written;
}

Status SideJournalFile::clear(JobId job) {
  if (!lock_.file()) return {};
  auto all = entries();
  if (!all) return std::unexpected(std::move(all.error()));
  for (const Entry& entry : *all) {
    if (entry.note.job != job) continue;
    if (::pwrite(lock_.file().get(), &kCleared, 1, static_cast<off_t>(entry.begin)) != 1)
      return fail_errno(path_, errno);
  }
  std::erase_if(*all, [job](const Entry& entry) { return entry.note.job == job; });
  return truncate(all->empty() ? 0 : all->back().end);
}

Status SideJournalFile::truncate(std::size_t length) {
  const int file = lock_.file().get();
  if (::ftruncate(file, static_cast<off_t>(length)) != 0 || ::fsync(file) != 0)
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
