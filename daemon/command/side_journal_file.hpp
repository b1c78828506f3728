// SPDX-License-Identifier: GPL-2.0-or-later
// The undo notes of designs, in a file that outlives the daemon.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/process_lock.hpp"
#include "daemon/core/ports/side_journal.hpp"

namespace netperfd::command {

// Locked while it is open: only the daemon that wrote a note may undo it as long as it lives.
class SideJournalFile final : public core::SideJournal {
 public:
  // Opens the file or makes an empty one that only root can access. A disk that has no room for it or is
  // mounted read-only is no error: then write() tries again. busy if another process has it open;
  // access_denied if somebody else could have written it, since root runs the commands in it.
  [[nodiscard]] static Result<SideJournalFile> open(const std::string& path, const std::string& boot_id);

  // Without a note that was never finished, since nothing was done after it, and without those of another
  // boot, which began on a side of its own.
  [[nodiscard]] Result<std::vector<core::SideNote>> left() const override;
  [[nodiscard]] Status write(const core::SideNote& note) override;
  [[nodiscard]] Status clear(JobId job) override;
  // A word that names this file among all of the machine: whoever has it locked also owns the commands that
  // were started in its name.
  [[nodiscard]] Result<std::string> owner() const;

 private:
  SideJournalFile(std::string path, std::string boot_id);
  // A note and where it is in the file.
  struct Entry {
    core::SideNote note;
    std::size_t begin = 0, end = 0;  // in bytes
  };
  [[nodiscard]] Status open_file();
  [[nodiscard]] Result<std::vector<Entry>> entries() const;
  [[nodiscard]] Status truncate(std::size_t length);

  std::string path_;
  std::string boot_id_;
  ProcessLock lock_;              // without a file: there was no room for one
  std::optional<Error> refused_;  // why no note can be written
};

}  // namespace netperfd::command
