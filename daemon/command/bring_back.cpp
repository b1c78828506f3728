// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/bring_back.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <optional>

namespace netperfd::command {

Result<std::string> bring_back(EventLoop& loop, Commands& commands, SideJournalFile& journal,
                               std::chrono::milliseconds timeout) {
  const auto note = journal.read();
  if (!note) return std::unexpected(note.error());
  if (!*note) return std::string{};
  const core::SideNote& left = **note;
  const std::string what =
      fmt::format("job {} left the machine off side {}: {}", left.job, left.side, fmt::join(left.apply, " "));
  // If two commands ran at once, the machine could end on either side.
  if (auto ended = commands.end_those_of_others(); !ended) return std::unexpected(std::move(ended.error()));
  std::optional<core::CommandEnd> end;
  const auto command =
      commands.start(left.apply, timeout, [&end](const core::CommandEnd& seen) { end = seen; });
  if (!command) return fail(ErrorKind::io, fmt::format("{}: {}", what, command.error().message));
  while (!end) {
    if (const int r = sd_event_run(loop.raw(), UINT64_MAX); r < 0) return fail_errno("sd_event_run", -r);
  }
  if (!end->error.empty()) return fail(ErrorKind::io, fmt::format("{}: {}", what, end->error));
  if (auto cleared = journal.clear(); !cleared) return std::unexpected(std::move(cleared.error()));
  return fmt::format("{}: done", what);
}

}  // namespace netperfd::command
