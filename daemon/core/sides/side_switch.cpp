// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/sides/side_switch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "daemon/core/sides/left_sides.hpp"
#include "daemon/core/sides/touched_parts.hpp"

namespace netperfd::core {

SideSwitch::SideSwitch(Ports ports, JobId job, SideCommands sides)
    : ports_(ports), job_(job), sides_(std::move(sides)) {}

void SideSwitch::bring(const Slot& slot, Done done) {
  target_ = {.variant = slot.variant, .build = slot.build, .point = slot.point};
  target_for_ = slot;
  given_up_ = false;
  start(std::move(done), [this] { original_ ? switch_over() : find_original(); });
}

void SideSwitch::restore(Done done) {
  given_up_ = false;
  start(std::move(done), [this] { go_back(); });
}

// `done` must not be called from inside this call.
void SideSwitch::start(Done done, std::function<void()> first) {
  done_ = std::move(done);
  turn_ = ports_.clock.after(std::chrono::milliseconds{0}, [this, first = std::move(first)] {
    const auto kept = std::move(turn_);
    first();
  });
}

void SideSwitch::give_up() {
  given_up_ = true;
  if (!command_ || switching_) return;
  command_.reset();
  turn_ = ports_.clock.after(std::chrono::milliseconds{0}, [this] {
    const auto kept = std::move(turn_);
    finish({});
  });
}

void SideSwitch::find_original() {
  if (given_up_) return finish({});
  if (!sides_.undo().empty()) return found({}, std::nullopt);
  candidates_.clear();
  for (const char variant : {kHome, 'B', 'A'}) {
    if (variant == kHome && !sides_.design().home) continue;
    if (sides_.check_of({.variant = variant, .build = 0}).empty()) continue;
    const std::uint32_t builds = sides_.design().builds();
    for (std::uint32_t build = builds; build > 1; --build) candidates_.push_back({variant, build});
    candidates_.push_back({.variant = variant, .build = std::min(builds, 1U)});
  }
  try_next();
}

void SideSwitch::try_next() {
  if (given_up_) return finish({});
  if (candidates_.empty()) {
    return found({.variant = 'A', .build = std::min(sides_.design().builds(), 1U)}, std::nullopt);
  }
  const Place place = candidates_.back();
  candidates_.pop_back();
  run(sides_.check_of(place), [this, place](const CommandEnd& end) {
    if (end.error.empty()) return found(place, place);
    try_next();
  });
}

void SideSwitch::found(Place original, std::optional<Place> applied) {
  original_ = original;
  applied_ = applied;
  switch_over();
}

void SideSwitch::switch_over() {
  if (given_up_) return finish({});
  const bool same_letter = applied_for_.block == target_for_.block &&
                           applied_for_.letter == target_for_.letter &&
                           applied_for_.point == target_for_.point;
  if (applied_ == target_ && same_letter) return verify();
  const Variant& side = sides_.side_of(target_);
  const std::vector<std::string> argv = sides_.switch_to(target_);
  if (argv.empty()) {
    applied_ = target_;
    return verify();
  }
  if (const auto noted = note_original(); !noted) {
    return finish(
        fail(ErrorKind::io, fmt::format("side {}: not applied, since {}", side.name, noted.error().message)));
  }
  const auto before = std::exchange(applied_, std::nullopt);
  const bool was_switched = std::exchange(switched_, true);
  const bool was_gone = is_gone(argv);  // a command may itself move away what it names
  switching_ = true;
  run(argv, [this, &side, argv, before, was_switched, was_gone](const CommandEnd& end) {
    switching_ = false;
    if (!end.error.empty()) {
      if (!end.ran || (was_gone && is_gone(argv))) {  // it has changed nothing
        applied_ = before;
        switched_ = was_switched;
      }
      return finish(fail(ErrorKind::io, command_failed(side, "switch", argv, end)));
    }
    applied_ = target_;
    applied_for_ = target_for_;
    if (given_up_) return finish({});
    verify();
  });
}

void SideSwitch::verify() {
  const Variant& side = sides_.side_of(target_);
  const std::vector<std::string> argv = sides_.check_of(target_);
  if (argv.empty()) return finish({});
  run(argv, [this, &side, argv](const CommandEnd& end) {
    if (end.error.empty()) return finish({});
    applied_.reset();  // even if its switch succeeded
    finish(fail(ErrorKind::io, command_failed(side, "check", argv, end)));
  });
}

void SideSwitch::go_back() {
  if (switched_ && !sides_.undo().empty()) return undo();
  const bool is_back = !switched_ || applied_ == original_;
  const Place place = original_.value_or(Place{});
  const Variant& side = sides_.side_of(place);
  const std::vector<std::string> argv = sides_.switch_to(place);
  if (is_back || argv.empty()) return finish(clear_note());
  applied_.reset();
  switching_ = true;
  run(argv, [this, &side, argv](const CommandEnd& end) {
    switching_ = false;
    if (!end.error.empty() && !is_gone(argv)) {
      return finish(fail(ErrorKind::io,
                         fmt::format("the machine was on side {} and could not be brought back: {}; {}",
                                     side.name, command_failed(side, "switch", argv, end), next_try(job_))));
    }
    applied_ = original_;
    finish(clear_note());
  });
}

void SideSwitch::undo() {
  applied_.reset();
  switching_ = true;
  run(sides_.undo(), [this](const CommandEnd& end) {
    switching_ = false;
    if (!end.error.empty()) {
      return finish(fail(ErrorKind::io,
                         fmt::format("the machine could not be brought back to what it was before: {}; to "
                                     "try it, run as root: {}; {}",
                                     end.error, fmt::join(sides_.undo(), " "), next_try(job_))));
    }
    switched_ = false;
    finish(clear_note());
  });
}

Status SideSwitch::note_original() {
  std::vector<std::string> back = sides_.undo();
  const bool undoes = !back.empty();
  if (!undoes) back = sides_.switch_to(*original_);
  if (noted_ || back.empty()) return {};
  if (auto free = find_conflict(); !free) return free;
  if (ports_.parts != nullptr && ports_.parts->lacks_program(back.front())) {
    return fail(ErrorKind::not_found,
                fmt::format("the way back could not be run: there is no program {}", back.front()));
  }
  const std::string side = undoes ? "" : sides_.side_of(*original_).name;
  auto written = ports_.journal.write(
      {.job = job_, .side = side, .apply = std::move(back), .parts = parts_of_design(sides_.design())});
  if (!written) {
    return fail(written.error().kind,
                fmt::format("the way back could not be noted: {}", written.error().message));
  }
  noted_ = true;
  return {};
}

// Whether an earlier job left something in the same part of the machine.
Status SideSwitch::find_conflict() const {
  const auto left = ports_.journal.left();
  if (!left) {
    return fail(left.error().kind,
                fmt::format("it is not known what is to be brought back: {}", left.error().message));
  }
  const std::vector<std::string> own = parts_of_design(sides_.design());
  for (const SideNote& note : *left) {
    std::vector<std::string> common = common_parts(note.parts, own);
    if (note.job != job_ && !note.parts.empty() && common.empty()) continue;
    SideNote shown = note;
    if (!common.empty()) shown.parts = std::move(common);
    return fail(ErrorKind::busy, fmt::format("{}; {}", words_of(shown), next_try(note.job)));
  }
  return {};
}

Status SideSwitch::clear_note() {
  return std::exchange(noted_, false) ? ports_.journal.clear(job_) : Status{};
}

bool SideSwitch::is_gone(const std::vector<std::string>& argv) const {
  return ports_.parts != nullptr && !gone_part(*ports_.parts, argv).empty();
}

void SideSwitch::run(const std::vector<std::string>& argv, const Next& next) {
  auto started = ports_.commands.start(argv, kCommandTimeout, [this, next](const CommandEnd& end) {
    const auto ended = std::move(command_);
    next(end);
  });
  if (!started) {
    const bool ran = started.error().kind == ErrorKind::internal;
    return next({.error = started.error().message, .ran = ran});
  }
  command_ = std::move(*started);
}

void SideSwitch::finish(const Status& status) {
  const auto done = std::exchange(done_, nullptr);
  done(status);
}

}  // namespace netperfd::core
