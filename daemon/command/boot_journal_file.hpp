// SPDX-License-Identifier: GPL-2.0-or-later
// The note of a design that reboots the machine, in a file beside the database.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "daemon/core/ports/boot_journal.hpp"

namespace netperfd::command {

// The store's lock guarantees that one daemon at a time uses it. A new note replaces the file, so a crash
// leaves one of both.
class BootJournalFile final : public core::BootJournal {
 public:
  BootJournalFile(std::string path, std::string boot_id);

  [[nodiscard]] const std::string& boot_id() const override { return boot_id_; }
  [[nodiscard]] const std::string& kernel() const override { return kernel_; }
  // access_denied if somebody else could have written the file; io if it is no such note.
  [[nodiscard]] Result<std::optional<core::BootNote>> read() const override;
  [[nodiscard]] Status write(const core::BootNote& note) override;
  [[nodiscard]] Status clear() override;

 private:
  std::string path_;
  std::string boot_id_, kernel_;
};

}  // namespace netperfd::command
