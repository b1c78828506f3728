// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/boot_journal_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <vector>

#include "daemon/command/note_file.hpp"

namespace netperfd::command {
namespace {

// The fields of a note:
//   netperfd-boots 3   JOB   AT (us)   BOOTS   ORIGINAL   HELD   BLOCK   LETTER   TARGET   FROM   ARRIVED
//   FAILURES   SPENT (us)   SINCE_BOOT (us)   BOOT   NUMBER of words of the check of the original side
//   NUMBER of those of its switch   WORD...
// AT, SPENT, SINCE_BOOT and BOOT are the time taken. Version 2 has only AT, the moment of the first reboot;
// version 1 has neither the numbers nor the switch.
constexpr std::array<std::string_view, 3> kMagicOfBoots{"netperfd-boots 1", "netperfd-boots 2",
                                                        "netperfd-boots 3"};
constexpr std::array<std::size_t, kMagicOfBoots.size()> kFirstWord{12, 14, 17};

std::vector<std::string> fields_of_note(const core::BootNote& note) {
  const auto at = std::chrono::duration_cast<std::chrono::microseconds>(note.taken.at.time_since_epoch());
  std::vector<std::string> fields{std::string{kMagicOfBoots.back()},
                                  std::to_string(note.job),
                                  std::to_string(std::max<std::int64_t>(0, at.count())),
                                  std::to_string(note.boots),
                                  std::string{note.original},
                                  note.held ? "1" : "0",
                                  std::to_string(note.block),
                                  std::to_string(note.letter),
                                  std::string{note.target},
                                  note.from,
                                  note.arrived,
                                  std::to_string(note.failures),
                                  std::to_string(note.taken.spent.count()),
                                  std::to_string(note.taken.since_boot.count()),
                                  note.taken.boot,
                                  std::to_string(note.is_original.size()),
                                  std::to_string(note.to_original.size())};
  for (const auto* command : {&note.is_original, &note.to_original})
    fields.insert(fields.end(), command->begin(), command->end());
  return fields;
}

// Reads fields one after another; `good` says whether all of them were what was asked for.
class FieldReader {
 public:
  explicit FieldReader(const std::vector<std::string>& fields) : fields_(fields) {}

  std::int64_t number(std::int64_t most) {
    const auto found = number_of(text());
    good_ = good_ && found && *found >= 0 && *found <= most;
    return found.value_or(0);
  }
  std::uint32_t count() {
    return static_cast<std::uint32_t>(number(std::numeric_limits<std::uint32_t>::max()));
  }
  char side() {
    const std::string& field = text();
    good_ = good_ && (field == "A" || field == "B");
    return field == "B" ? 'B' : 'A';
  }
  const std::string& text() { return fields_[next_++]; }
  [[nodiscard]] bool good() const { return good_; }

 private:
  const std::vector<std::string>& fields_;
  std::size_t next_ = 1;  // after the magic word
  bool good_ = true;
};

std::optional<core::BootNote> note_of_boots(const std::vector<std::string>& fields) {
  if (fields.empty()) return std::nullopt;
  const auto magic = std::ranges::find(kMagicOfBoots, fields[0]);
  if (magic == kMagicOfBoots.end()) return std::nullopt;
  const auto version = static_cast<std::size_t>(magic - kMagicOfBoots.begin()) + 1;
  const std::size_t first = kFirstWord[version - 1];
  if (fields.size() <= first) return std::nullopt;
  FieldReader reader(fields);
  constexpr auto kAny = std::numeric_limits<std::int64_t>::max();
  constexpr auto kMostTime = kAny / 4;  // their sums are numbers too
  core::BootNote note;
  note.job = reader.number(kAny);
  note.taken.at = WallTime{std::chrono::microseconds{reader.number(kMostTime)}};
  note.boots = reader.count();
  note.original = reader.side();
  note.held = reader.number(1) == 1;
  note.block = reader.count();
  note.letter = reader.count();
  note.target = reader.side();
  note.from = reader.text();
  note.arrived = reader.text();
  note.failures = reader.count();
  if (version > 2) {
    note.taken.spent = std::chrono::microseconds{reader.number(kMostTime)};
    note.taken.since_boot = std::chrono::microseconds{reader.number(kMostTime)};
    note.taken.boot = reader.text();
  }
  const std::size_t of_check = version == 1 ? fields.size() - first : reader.count();
  const std::size_t of_switch = version == 1 ? 0 : reader.count();
  if (!reader.good() || of_check == 0 || first + of_check + of_switch != fields.size()) return std::nullopt;
  const auto check = fields.begin() + static_cast<std::ptrdiff_t>(first);
  const auto change = check + static_cast<std::ptrdiff_t>(of_check);
  note.is_original.assign(check, change);
  note.to_original.assign(change, fields.end());
  return note;
}

Status sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  const Fd opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!opened || ::fsync(opened.get()) != 0) return fail_errno(folder, errno);
  return {};
}

}  // namespace

BootJournalFile::BootJournalFile(std::string path, std::string boot_id)
    : path_(std::move(path)), boot_id_(std::move(boot_id)) {
  utsname name{};
  if (::uname(&name) == 0) kernel_ = name.release;
}

Result<std::optional<core::BootNote>> BootJournalFile::read() const {
  const Fd file{::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (!file) {
    if (errno == ENOENT) return std::nullopt;
    return fail_errno(path_, errno);
  }
  if (auto checked = check_owner(file, path_); !checked) return std::unexpected(std::move(checked.error()));
  const auto text = read_file(file, path_, kLongestNote);
  if (!text) return std::unexpected(text.error());
  auto note = note_of_boots(fields_of(*text));
  if (!note) return fail(ErrorKind::io, fmt::format("{}: is not a note of netperfd's reboots", path_));
  return note;
}

Status BootJournalFile::write(const core::BootNote& note) {
  const std::string text = text_of_fields(fields_of_note(note));
  const std::string fresh = path_ + ".new";
  const Fd file{::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!file) return fail_errno(fresh, errno);
  const ssize_t wrote = ::write(file.get(), text.data(), text.size());
  if (wrote < 0) return fail_errno(fresh, errno);
  if (static_cast<std::size_t>(wrote) != text.size()) return fail_errno(fresh, ENOSPC);
  if (::fsync(file.get()) != 0) return fail_errno(fresh, errno);
  if (::rename(fresh.c_str(), path_.c_str()) != 0) return fail_errno(path_, errno);
  return sync_folder_of(path_);
}

Status BootJournalFile::clear() {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) return fail_errno(path_, errno);
  return sync_folder_of(path_);
}

}  // namespace netperfd::command
