// SPDX-License-Identifier: GPL-2.0-or-later
// Changes the files of a trace directory. Every change outside netperfd's own instance is written to the
// journal first.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/trace/tracefs/function_lines.hpp"
#include "daemon/trace/tracefs/journal.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

// The path of a file in a trace directory; "" is the top instance.
[[nodiscard]] std::string in_directory(const std::string& directory, const std::string& file);

// The text without newlines at either end.
[[nodiscard]] std::string trimmed_text(const std::string& text);

class Hold {
 public:
  // `directory`: "instances/NAME", or "" for the top instance. Both references must outlive this object.
  Hold(Tracefs& tracefs, Journal& journal, std::string directory);

  // Makes the instance; busy if it exists already. Does nothing for the top.
  [[nodiscard]] Status claim();
  // The instance can be removed from now on.
  void let_go() { mark_.reset(); }

  // For files of the directory. Our own instance is removed as a whole, so its files need no journal.
  [[nodiscard]] Status set(const std::string& file, const std::string& text);
  // Empties the list and writes `text` into it.
  [[nodiscard]] Status set_list(const std::string& file, const std::string& text);
  // Empties a list of functions and adds `patterns`, names by their line numbers, one write each, so that a
  // pattern that matches no function fails alone: it is returned in `refused`, which must be empty.
  [[nodiscard]] Status set_functions(const std::string& file, const std::vector<std::string>& patterns,
                                     std::vector<std::string>& refused);
  // Busy if the file has a trigger already: a second one would be refused, and removing it later would remove
  // the other one.
  [[nodiscard]] Status set_trigger(const std::string& file, const std::string& text);

  // For a file of the top instance that all instances share.
  [[nodiscard]] Status set_shared(const std::string& file, const std::string& text);
  [[nodiscard]] Status empty_shared_list(const std::string& file);
  // Adds a file to the journal that changes along with another one.
  [[nodiscard]] Status remember(const std::string& file);

  // Without newlines at either end.
  [[nodiscard]] Result<std::string> read(const std::string& file) const;
  [[nodiscard]] bool exists(const std::string& file) const;
  [[nodiscard]] std::string path(const std::string& file) const { return in_directory(directory_, file); }
  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] bool at_top() const { return directory_.empty(); }
  [[nodiscard]] Tracefs& tracefs() const { return tracefs_; }

 private:
  [[nodiscard]] Status write_functions(const std::string& file, const std::vector<std::string>& patterns,
                                       const FunctionLines& lines, std::vector<std::string>& refused);
  [[nodiscard]] Status change(ChangeKind kind, const std::string& path, const std::function<Status()>& make);

  Tracefs& tracefs_;
  Journal& journal_;
  std::string directory_;
  std::unique_ptr<TracefsFile> mark_;  // own_instance.hpp: the instance is in use
};

}  // namespace netperfd::trace
