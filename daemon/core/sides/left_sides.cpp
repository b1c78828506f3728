// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/sides/left_sides.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <utility>

#include "daemon/core/sides/sides.hpp"
#include "daemon/core/sides/touched_parts.hpp"

namespace netperfd::core {

Result<std::vector<LeftSide>> LeftSides::list() const {
  auto notes = ports_.journal.left();
  if (!notes) return std::unexpected(std::move(notes.error()));
  std::vector<LeftSide> all;
  for (SideNote& note : *notes) {
    const auto failed = failures_.find(note.job);
    all.push_back({std::move(note), failed == failures_.end() ? std::string{} : failed->second});
  }
  return all;
}

void LeftSides::bring_back(std::optional<JobId> job, Done done) {
  done_ = std::move(done);
  error_.clear();
  waiting_.clear();
  auto left = list();
  if (!left) error_ = left.error().message;
  if (left) {
    for (LeftSide& each : *left) {
      if (!job || each.note.job == *job) waiting_.push_back(std::move(each.note));
    }
  }
  turn_ = ports_.clock.after(std::chrono::milliseconds{0}, [this] {
    const auto kept = std::move(turn_);
    try_next();
  });
}

void LeftSides::try_next() {
  if (waiting_.empty()) {
    const auto done = std::exchange(done_, nullptr);
    return done(error_.empty() ? Status{} : fail(ErrorKind::io, error_));
  }
  const SideNote note = std::move(waiting_.front());
  waiting_.pop_front();
  auto started = ports_.commands.start(note.apply, kCommandTimeout, [this, note](const CommandEnd& end) {
    const auto kept = std::move(command_);
    ended(note, end);
  });
  if (!started) return ended(note, {.error = started.error().message, .ran = false});
  command_ = std::move(*started);
}

void LeftSides::ended(const SideNote& note, const CommandEnd& end) {
  // What is gone took with it what was changed.
  const bool is_gone = ports_.parts != nullptr && !gone_part(*ports_.parts, note.apply).empty();
  std::string failure = is_gone ? "" : end.error;
  if (failure.empty()) {
    if (auto cleared = ports_.journal.clear(note.job); !cleared) failure = cleared.error().message;
  }
  failures_.erase(note.job);
  if (!failure.empty()) {
    failures_[note.job] = failure;
    add_error(note, fmt::format("and could not be brought back: {}; to try it, run as root: {}", failure,
                                fmt::join(note.apply, " ")));
  }
  try_next();
}

void LeftSides::skip_others() {
  for (const SideNote& note : waiting_)
    add_error(note, "which is not brought back now: netperfd is stopping");
  waiting_.clear();
}

void LeftSides::add_error(const SideNote& note, const std::string& why) {
  error_ += fmt::format("{}{}, {}", error_.empty() ? "" : "; ", words_of(note), why);
}

std::string words_of(const SideNote& note) {
  if (note.parts.empty()) return fmt::format("job {} left {}", note.job, left_by(note));
  return fmt::format("job {} left {} ({})", note.job, left_by(note), fmt::join(note.parts, ", "));
}

std::string next_try(JobId job) {
  return fmt::format(
      "netperfd tries again before the next job, `netperfctl undo {}` tries now, and `netperfctl doctor` "
      "says "
      "more",
      job);
}

}  // namespace netperfd::core
