// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/bring_back.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/core/sides/touched_parts.hpp"
#include "daemon/model/units.hpp"

namespace netperfd::command {
namespace {

// Runs the loop until the command has ended.
Result<core::CommandEnd> run_to_end(EventLoop& loop, Commands& commands, const std::vector<std::string>& argv,
                                    std::chrono::milliseconds timeout) {
  std::optional<core::CommandEnd> end;
  const auto command = commands.start(argv, timeout, [&end](const core::CommandEnd& seen) { end = seen; });
  if (!command) return std::unexpected(command.error());
  while (!end) {
    if (const int r = sd_event_run(loop.raw(), UINT64_MAX); r < 0) return fail_errno("sd_event_run", -r);
  }
  return *end;
}

// A sentence on what was done.
Result<std::string> bring_back_one(EventLoop& loop, Commands& commands, SideJournalFile& journal,
                                   const core::MachineParts& parts, const core::SideNote& left,
                                   std::chrono::milliseconds timeout) {
  const std::string what =
      fmt::format("job {} left {}: {}", left.job, core::left_by(left), fmt::join(left.apply, " "));
  const auto end = run_to_end(loop, commands, left.apply, timeout);
  const std::string error = end ? end->error : end.error().message;
  const std::string gone = error.empty() ? "" : core::gone_part(parts, left.apply);
  if (!error.empty() && gone.empty()) return fail(ErrorKind::io, fmt::format("{}: {}", what, error));
  if (auto cleared = journal.clear(left.job); !cleared) return std::unexpected(std::move(cleared.error()));
  return gone.empty() ? fmt::format("{}: done", what)
                      : fmt::format("{}: nothing is left to be brought back, since {} is gone", what, gone);
}

}  // namespace

Result<std::string> bring_back(EventLoop& loop, Commands& commands, SideJournalFile& journal,
                               const core::MachineParts& parts, std::chrono::milliseconds timeout) {
  const auto notes = journal.left();
  if (!notes) return std::unexpected(notes.error());
  if (notes->empty()) return std::string{};
  // If two commands ran at once, the machine could end on either side.
  if (auto ended = commands.end_those_of_others(); !ended) return std::unexpected(std::move(ended.error()));
  std::vector<std::string> done;
  std::optional<Error> failed;
  const auto until = std::chrono::steady_clock::now() + timeout;
  for (const core::SideNote& left : *notes) {
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    Result<std::string> one =
        fail(ErrorKind::busy, fmt::format("job {} left {}: not tried, since others took {}", left.job,
                                          core::left_by(left), format_duration(timeout)));
    if (rest.count() > 0) one = bring_back_one(loop, commands, journal, parts, left, rest);
    done.push_back(one ? *one : one.error().message);
    if (!one) failed = one.error();
  }
  const std::string all = fmt::format("{}", fmt::join(done, "; "));
  if (failed) return fail(failed->kind, all);
  return all;
}

Result<std::string> end_reboots(EventLoop& loop, Commands& commands, core::BootJournal& journal,
                                const std::function<bool(JobId)>& is_live,
                                std::chrono::milliseconds timeout) {
  const auto note = journal.read();
  if (!note) return std::unexpected(note.error());
  if (!*note) return std::string{};
  // The reboot that the last daemon asked for may still be under way.
  auto ended = commands.end_those_of_others();
  if (!ended) return std::unexpected(std::move(ended.error()));
  if (is_live((*note)->job)) return std::string{};
  const core::BootNote& left = **note;
  const auto failure_of = [&](const std::vector<std::string>& argv) {
    const auto end = run_to_end(loop, commands, argv, timeout);
    return end ? end->error : end.error().message;
  };
  const std::string error = left.letter == 0 ? failure_of(left.is_original) : "";
  // The last daemon died in this boot while it asked for the way back. The note stays for the next boot.
  const bool was_asked_here = left.letter == 0 && left.from == journal.boot_id() && !left.to_original.empty();
  if (!error.empty() && was_asked_here && failure_of(left.to_original).empty()) {
    return fmt::format("job {} has ended after {} reboots, and reboots the machine back to its side",
                       left.job, left.boots);
  }
  if (auto cleared = journal.clear(); !cleared) return std::unexpected(std::move(cleared.error()));
  if (left.letter != 0) return fmt::format("job {} reboots this machine no more", left.job);
  if (error.empty()) {
    return fmt::format("job {} has ended after {} reboots, and the machine is back on its side", left.job,
                       left.boots);
  }
  return fail(
      ErrorKind::io,
      fmt::format("job {} has ended after {} reboots, and the machine is not back on its side: {}: {}",
                  left.job, left.boots, fmt::join(left.is_original, " "), error));
}

}  // namespace netperfd::command
