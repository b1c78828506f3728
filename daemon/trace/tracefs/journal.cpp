// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace netperfd::trace {
namespace {

// The lines:
//   netperfd-journal 1 BOOT_ID
//   change KIND PATH BEFORE     announced
//   again PATH                  announced once more
//   left PATH TEXT
//   undone PATH
// with a tab between fields; backslash, newline and tab in a field are escaped.
constexpr std::string_view kMagic = "netperfd-journal";
constexpr std::string_view kVersion = "1";
constexpr std::size_t kLongest = std::size_t{16} << 20;
constexpr std::size_t kLongestFirst = 1024;

constexpr std::array<std::pair<ChangeKind, std::string_view>, 4> kKinds{{
    {ChangeKind::instance, "instance"},
    {ChangeKind::setting, "setting"},
    {ChangeKind::list, "list"},
    {ChangeKind::trigger, "trigger"},
}};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\\\";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\t':
        result += "\\t";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    ++i;
    result += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
  }
  return result;
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (;;) {
    const auto tab = line.find('\t');
    fields.push_back(unescaped(line.substr(0, tab)));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

bool is_first_line(const std::vector<std::string>& fields) {
  return fields.size() == 3 && fields[0] == kMagic && fields[1] == kVersion;
}

// The boot id in the journal's first line; absent if it is not such a line.
Result<std::optional<std::string>> boot_of(const Fd& file, const std::string& path) {
  std::array<char, kLongestFirst> bytes{};
  const ssize_t got = ::pread(file.get(), bytes.data(), bytes.size(), 0);
  if (got < 0) return fail_errno(path, errno);
  const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return std::optional<std::string>{};
  auto fields = fields_of(text.substr(0, end));
  if (!is_first_line(fields)) return std::optional<std::string>{};
  return std::optional<std::string>{std::move(fields[2])};
}

Result<ProcessLock> open_locked(const std::string& path) {
  auto lock = ProcessLock::take(path, O_RDWR | O_CREAT | O_APPEND, 0600);
  if (!lock && is_on_read_only_disk(path)) lock = ProcessLock::take(path, O_RDONLY, 0);
  if (lock || lock.error().kind != ErrorKind::busy) return lock;
  return fail(ErrorKind::busy,
              fmt::format("Another trace session of netperfd is under way: it holds {}.", path));
}

}  // namespace

Journal::Journal(std::string path, std::string boot_id, ProcessLock lock)
    : path_(std::move(path)), boot_id_(std::move(boot_id)), lock_(std::move(lock)) {}

Result<Journal> Journal::open(const std::string& path, const std::string& boot_id) {
  auto lock = open_locked(path);
  if (!lock) return std::unexpected(lock.error());
  // The first line decides: a journal of another boot is ignored, however long it is.
  const auto boot = boot_of(lock->file(), path);
  if (!boot) return std::unexpected(boot.error());
  Journal journal(path, boot_id, std::move(*lock));
  journal.of_another_boot_ = *boot && **boot != boot_id;
  if (journal.of_another_boot_) return journal;
  const auto text = read_file(journal.lock_.file(), path, kLongest);
  if (!text) return std::unexpected(text.error());
  journal.load(*text);
  return journal;
}

void Journal::load(std::string_view text) {
  bool first = true;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (std::exchange(first, false)) {
      const auto fields = fields_of(line);
      if (!is_first_line(fields)) ++damaged_lines_;
    } else if (!load_line(line)) {
      ++damaged_lines_;
    }
  }
}

bool Journal::load_line(std::string_view line) {
  const auto fields = fields_of(line);
  if (fields.size() == 4 && fields[0] == "change") {
    const auto* const kind =
        std::ranges::find(kKinds, fields[1], &std::pair<ChangeKind, std::string_view>::second);
    if (kind == kKinds.end() || fields[2].empty()) return false;
    changes_.push_back({.kind = kind->first, .path = fields[2], .before = fields[3], .left = std::nullopt});
    return true;
  }
  if (fields.size() < 2) return false;
  Change* const change = find(fields[1]);
  if (change == nullptr) return false;
  if (fields.size() == 3 && fields[0] == "left") {
    change->left = fields[2];
  } else if (fields.size() == 2 && fields[0] == "again") {
    change->left.reset();
  } else if (fields.size() == 2 && fields[0] == "undone") {
    std::erase_if(changes_, [&](const Change& known) { return known.path == fields[1]; });
  } else {
    return false;
  }
  return true;
}

Status Journal::begin() {
  if (::ftruncate(lock_.file().get(), 0) != 0) return fail_errno(path_, errno);
  changes_.clear();
  damaged_lines_ = 0;
  of_another_boot_ = false;
  return put({kMagic, kVersion, boot_id_}, true);
}

Status Journal::announce(Change change) {
  if (Change* const known = find(change.path); known != nullptr) {
    known->left.reset();
    return put({"again", change.path}, true);
  }
  const auto* const kind =
      std::ranges::find(kKinds, change.kind, &std::pair<ChangeKind, std::string_view>::first);
  const auto written = put({"change", kind->second, change.path, change.before}, true);
  if (written) changes_.push_back(std::move(change));
  return written;
}

void Journal::note_left(const std::string& path, std::string text) {
  Change* const change = find(path);
  if (change == nullptr) return;
  if (put({"left", path, text}, false)) change->left = std::move(text);
}

void Journal::note_undone(const std::string& path) {
  // If the line cannot be written, a later undo finds the file as it was before and leaves it alone.
  (void)put({"undone", path}, false);
  std::erase_if(changes_, [&](const Change& change) { return change.path == path; });
}

Status Journal::remove() {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) return fail_errno("remove " + path_, errno);
  return {};
}

Status Journal::put(const std::vector<std::string_view>& fields, bool sync) {
  std::string line;
  for (const auto field : fields) {
    if (!line.empty()) line += '\t';
    line += escaped(field);
  }
  line += '\n';
  const off_t size = ::lseek(lock_.file().get(), 0, SEEK_END);
  if (size < 0) return fail_errno(path_, errno);
  const ssize_t written = ::write(lock_.file().get(), line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size()) && (!sync || ::fdatasync(lock_.file().get()) == 0))
    return {};
  const int error_number = written >= 0 && written < static_cast<ssize_t>(line.size()) ? ENOSPC : errno;
  // Removes the partial line, which would spoil the next one.
  if (::ftruncate(lock_.file().get(), size) != 0) return fail_errno(path_, errno);
  return fail_errno(path_, error_number);
}

Change* Journal::find(std::string_view path) {
  const auto change = std::ranges::find(changes_, path, &Change::path);
  return change == changes_.end() ? nullptr : &*change;
}

}  // namespace netperfd::trace
