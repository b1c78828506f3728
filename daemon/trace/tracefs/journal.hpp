// SPDX-License-Identifier: GPL-2.0-or-later
// Records on disk, before each change, what a trace session changes outside its own instance.
//
// The journal is a file of lines, each synced before the change that it announces. A process that is killed
// leaves announced changes, of which the last may not have happened. A line without its newline was never
// synced, so its change was never made. tracefs does not survive a boot, so a journal of another boot is
// void.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/process_lock.hpp"

namespace netperfd::trace {

enum class ChangeKind {
  instance,  // a directory created below instances/
  setting,   // a file with one value
  list,      // a file that O_TRUNC empties and whose items are written one by one
  trigger,   // a stacktrace trigger added to a file without one
};

struct Change {
  ChangeKind kind = ChangeKind::setting;
  std::string path;    // relative to tracefs
  std::string before;  // the file's text before its first change
  // For a setting: its text after the last change; absent if the session died before it was noted.
  std::optional<std::string> left;
};

// The journal of one session, locked while it is open.
class Journal {
 public:
  // Opens the file or makes an empty one. Busy if another session has it open. On a file system that is
  // mounted read-only, what a dead session left can be read.
  [[nodiscard]] static Result<Journal> open(const std::string& path, const std::string& boot_id);

  // Changes left by a dead session of this boot, in their original order, followed by those of this session.
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
  // Lines that are not in the journal's format, without a truncated last line.
  [[nodiscard]] std::size_t damaged_lines() const { return damaged_lines_; }
  [[nodiscard]] bool of_another_boot() const { return of_another_boot_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // Starts an empty journal, discarding earlier contents.
  [[nodiscard]] Status begin();
  // Call it before the change. If the path is known already, only `left` is cleared.
  [[nodiscard]] Status announce(Change change);
  // Call it after the change of a setting. Not synced: if the line is lost, the file is restored
  // unconditionally.
  void note_left(const std::string& path, std::string text);
  // The change is undone: later restores skip it.
  void note_undone(const std::string& path);
  // Removes the file; the lock stays until this object is destroyed.
  [[nodiscard]] Status remove();

 private:
  Journal(std::string path, std::string boot_id, ProcessLock lock);
  void load(std::string_view text);
  [[nodiscard]] bool load_line(std::string_view line);
  [[nodiscard]] Status put(const std::vector<std::string_view>& fields, bool sync);
  [[nodiscard]] Change* find(std::string_view path);

  std::string path_;
  std::string boot_id_;
  ProcessLock lock_;
  std::vector<Change> changes_;
  std::size_t damaged_lines_ = 0;
  bool of_another_boot_ = false;
};

}  // namespace netperfd::trace
