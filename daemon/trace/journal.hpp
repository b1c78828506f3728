// What a trace session changes outside its own instance, on disk before each change.
//
// A file of lines, each synced before the change it announces is made. A process that is killed leaves
// announced changes of which the last may not have happened; a line without its newline was never synced, so
// its change was never made. tracefs does not survive a boot, so a journal of another boot says nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"

namespace netperfd::trace {

enum class ChangeKind {
  instance,  // a directory made below instances/
  setting,   // a file with one value
  list,      // a file that O_TRUNC empties and that takes its items one by one
  trigger,   // a stacktrace trigger where there was none
};

struct Change {
  ChangeKind kind = ChangeKind::setting;
  std::string path;    // relative to tracefs
  std::string before;  // as the file read before the first change of it
  // Of a setting, as it read after the last change; absent where that is not known, because the session died
  // over it.
  std::optional<std::string> left;
};

// One session's, locked as long as it is open.
class Journal {
 public:
  // Opens what is there or makes an empty one. Busy where another session has it open.
  [[nodiscard]] static Result<Journal> open(const std::string& path, const std::string& boot_id);

  // What a dead session of this boot left, in the order in which it was done; then what this one added.
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
  // Lines that are none of ours, not counting one that was torn off at the end.
  [[nodiscard]] std::size_t damaged_lines() const { return damaged_lines_; }
  [[nodiscard]] bool of_another_boot() const { return of_another_boot_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // Begins anew: forgets what there was.
  [[nodiscard]] Status begin();
  // To be called before the change. Of a path that is known already only `left` is forgotten.
  [[nodiscard]] Status announce(Change change);
  // After the change of a setting. Not synced: where the line is lost, the file is put back unconditionally.
  void note_left(const std::string& path, std::string text);
  // The change is undone: the next one to put things back need not look at it.
  void note_undone(const std::string& path);
  // Removes the file; the lock stays until this object is gone.
  [[nodiscard]] Status remove();

 private:
  Journal(std::string path, std::string boot_id, Fd file);
  void load(std::string_view text);
  [[nodiscard]] bool load_line(std::string_view line);
  [[nodiscard]] Status put(const std::vector<std::string_view>& fields, bool sync);
  [[nodiscard]] Change* find(std::string_view path);

  std::string path_;
  std::string boot_id_;
  Fd file_;
  std::vector<Change> changes_;
  std::size_t damaged_lines_ = 0;
  bool of_another_boot_ = false;
};

}  // namespace netperfd::trace
