// The way back of a design, in a file that outlives the daemon.
#pragma once

#include <optional>
#include <string>

#include "daemon/base/fd.hpp"
#include "daemon/core/command_ports.hpp"

namespace netperfd::command {

// Locked as long as it is open: what a living daemon has noted is its own to undo.
class SideJournalFile final : public core::SideJournal {
 public:
  // Opens what is there or makes an empty one, for root alone. busy where another process has it open;
  // access_denied where somebody else could have written it, since root runs what it says.
  [[nodiscard]] static Result<SideJournalFile> open(const std::string& path, const std::string& boot_id);

  // What a dead daemon left; absent where there is nothing, where the note was never finished, and so nothing
  // was done after it, and where it is of another boot, which began on a side of its own.
  [[nodiscard]] Result<std::optional<core::SideNote>> read() const;
  [[nodiscard]] Status write(const core::SideNote& note) override;
  [[nodiscard]] Status clear() override;

 private:
  SideJournalFile(std::string path, std::string boot_id, Fd file);

  std::string path_;
  std::string boot_id_;
  Fd file_;
};

}  // namespace netperfd::command
