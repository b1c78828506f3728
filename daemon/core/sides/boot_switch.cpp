// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/sides/boot_switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "daemon/model/units.hpp"

namespace netperfd::core {

BootSwitch::BootSwitch(Ports ports, JobId job, Design design, std::uint32_t most,
                       std::function<void()> changed)
    : ports_(ports), job_(job), design_(std::move(design)), most_(most), changed_(std::move(changed)) {
  auto read = ports_.journal.read();
  if (!read) {
    unreadable_ = std::unexpected(std::move(read.error()));
  } else if (*read && (*read)->job == job_) {
    note_ = std::move(*read);
    held_ = note_->held;
  }
}

void BootSwitch::bring(const Slot& slot, Done done) {
  target_ = slot;
  start(std::move(done), [this] { go_on(); });
}

void BootSwitch::restore(Done done) {
  start(std::move(done), [this] { go_back(); });
}

void BootSwitch::leave(Done done) {
  start(std::move(done), [this] { finish(note_ ? ports_.journal.clear() : Status{}); });
}

void BootSwitch::suspend(Done done) {
  start(std::move(done), [this] { finish({}); });
}

// `done` must not be called from inside this call.
void BootSwitch::start(Done done, std::function<void()> first) {
  given_up_ = false;
  done_ = std::move(done);
  turn_ = ports_.clock.after(std::chrono::milliseconds{0}, [this, first = std::move(first)] {
    const auto kept = std::move(turn_);
    first();
  });
}

void BootSwitch::give_up() {
  given_up_ = true;
  if (switching_) return;
  command_.reset();
  turn_ = ports_.clock.after(std::chrono::milliseconds{0}, [this] {
    const auto kept = std::move(turn_);
    finish({});
  });
}

Status BootSwitch::hold(bool held) {
  if (held && switching_) return fail(ErrorKind::not_running, "the machine reboots already");
  // What else note_ has now may not be noted yet: the reboot that it is for has not been asked.
  if (auto kept = ports_.journal.read(); kept && *kept && (*kept)->job == job_) {
    (*kept)->held = held;
    if (Status noted = ports_.journal.write(**kept); !noted) return noted;
  }
  held_ = held;
  if (note_) note_->held = held;
  if (announced_ && !command_ && !given_up_) {
    turn_.reset();
    announce();
  }
  return {};
}

// Whether this boot is that of the letter.
bool BootSwitch::is_for_target() const {
  return note_ && note_->block == target_.block && note_->letter == target_.letter &&
         note_->arrived == ports_.journal.boot_id();
}

std::optional<BootState> BootSwitch::boot_state() const {
  return BootState{.boots = note_ ? std::optional{note_->boots} : std::nullopt,
                   .side = on_ == '\0' ? std::string{} : side_of(on_).name,
                   .held = held_,
                   .announced_since = announced_since_};
}

bool BootSwitch::is_booted_for(const Slot& slot) const {
  return note_ && note_->boots > 0 && note_->block == slot.block && note_->letter == slot.letter &&
         note_->from != ports_.journal.boot_id() &&
         (note_->arrived.empty() || note_->arrived == ports_.journal.boot_id());
}

void BootSwitch::go_on() {
  if (!unreadable_) return finish(unreadable_);
  if (!note_) return find_original('A');
  if (note_->block != target_.block || note_->letter != target_.letter) {
    note_->failures = 0;
    return request();
  }
  if (is_for_target()) return verify();
  if (!note_->arrived.empty()) return request();  // another boot than the one that arrived, or a failed one
  if (note_->from == ports_.journal.boot_id()) return missed("the machine did not reboot");
  arrive();
}

void BootSwitch::find_original(char next) {
  const Variant& side = side_of(next);
  run(side.verify, [this, next](const CommandEnd& end) {
    if (!end.error.empty() && next == 'A') return find_original('B');
    const bool is_there = end.error.empty();
    if (is_there) on_ = next;
    note_.emplace();
    note_->job = job_;
    note_->taken = {.spent = {},
                    .at = ports_.clock.now(),
                    .since_boot = ports_.clock.since_boot(),
                    .boot = ports_.journal.boot_id()};
    note_->original = is_there ? next : 'A';
    note_->is_original = side_of(note_->original).verify;
    note_->to_original = side_of(note_->original).apply;
    note_->held = held_;
    request();
  });
}

void BootSwitch::arrive() {
  if (design_.reboots->prepare.empty()) return verify();
  run(design_.reboots->prepare, [this](const CommandEnd& end) {
    if (!end.error.empty()) {
      return missed(command_failed(side_of(note_->target), "prepare", design_.reboots->prepare, end));
    }
    verify();
  });
}

void BootSwitch::verify() {
  const Variant& side = side_of(note_->target);
  run(side.verify, [this, &side](const CommandEnd& end) {
    if (!end.error.empty()) return missed(command_failed(side, "check", side.verify, end));
    on_ = note_->target;
    if (note_->arrived == ports_.journal.boot_id()) {
      report_boot({});  // a daemon that ended while it settled has not
      return finish({});
    }
    note_->arrived = ports_.journal.boot_id();
    note_->failures = 0;
    if (auto noted = note(); !noted) return finish(noted);
    settle();
  });
}

// The boot is not on its side.
void BootSwitch::missed(const std::string& why) {
  on_ = '\0';
  report_boot(why);
  note_->arrived = kFailedBoot;
  ++note_->failures;
  // The next daemon must not count it again. If this fails, so does the note of the next reboot.
  (void)note();
  if (note_->failures < kMostFailures) return request();
  if (target_.letter == 0) {
    return finish(
        fail(ErrorKind::io, fmt::format("the machine was on side {} and could not be brought back: {}",
                                        side_of(note_->original).name, why)));
  }
  finish(fail(ErrorKind::io, fmt::format("{}; this was boot {} of the job, and {} boots in a row have failed",
                                         why, note_->boots, note_->failures)));
}

// To the store: the boot is ready or, with `failure`, not on its side.
void BootSwitch::report_boot(const std::string& failure) {
  if (settled_ && failure.empty()) return;
  settled_ = failure.empty();
  BootArrival arrival{.settled = {}, .boot_id = {}, .kernel = {}, .failure = failure};
  if (failure.empty()) arrival.settled = ports_.clock.now();
  if (note_->from != ports_.journal.boot_id()) {
    arrival.boot_id = ports_.journal.boot_id();
    arrival.kernel = ports_.journal.kernel();
  }
  (void)ports_.store.end_boot(job_, note_->boots, arrival);
}

void BootSwitch::settle() {
  wait(design_.reboots->settle,
       fmt::format("lets the machine settle for {} after its boot", format_duration(design_.reboots->settle)),
       [this] {
         report_boot({});
         finish({});
       });
}

// Within a boot, a wall clock that is set counts for nothing. Over a reboot there is no other clock: it
// counts, but for no less than the time since the boot. One that was set back while the machine was down then
// hides no more than the time it was down; one that was set forward ends the job early, never late.
void BootSwitch::count_time() {
  TimeTaken& taken = note_->taken;
  const TimeTaken now{.spent = {},
                      .at = ports_.clock.now(),
                      .since_boot = ports_.clock.since_boot(),
                      .boot = ports_.journal.boot_id()};
  constexpr std::chrono::microseconds kNone{0};
  auto passed = std::max<std::chrono::microseconds>(kNone, now.at - taken.at);
  if (taken.boot == now.boot) {
    passed = std::max(kNone, now.since_boot - taken.since_boot);
  } else if (!taken.boot.empty()) {
    passed = std::max(passed, now.since_boot);
  }
  const auto spent = taken.spent + passed;
  taken = now;
  taken.spent = spent;
}

Status BootSwitch::note() {
  count_time();
  return ports_.journal.write(*note_);
}

Status BootSwitch::within_limits() {
  if (note_->boots >= most_) {
    return fail(
        ErrorKind::io,
        fmt::format("reboots of the job so far: {}, as many as `design.reboots.most` allows", note_->boots));
  }
  count_time();
  if (note_->taken.spent >= design_.reboots->within) {
    return fail(ErrorKind::io, fmt::format("the job has taken {}, as long as `design.reboots.within` allows",
                                           format_duration(design_.reboots->within)));
  }
  return {};
}

void BootSwitch::request() {
  if (target_.letter != 0) {  // the way back is always allowed
    if (auto allowed = within_limits(); !allowed) return finish(allowed);
  }
  note_->block = target_.block;
  note_->letter = target_.letter;
  note_->target = target_.letter == 0 ? note_->original : target_.variant;
  note_->arrived.clear();
  announce();
}

void BootSwitch::announce() {
  announced_ = true;
  announced_since_ = ports_.clock.now();
  const Variant& side = side_of(note_->target);
  if (held_) return say(fmt::format("is held before the reboot into side {}", side.name));
  const auto notice = design_.reboots->notice;
  const std::string words = fmt::format("reboots into side {} in {}", side.name, format_duration(notice));
  say(words);
  // What becomes of it does not matter: nobody may be logged in.
  run({"/usr/bin/wall",
       fmt::format("netperfd will reboot this machine in {}, since job {} needs it on side {}. "
                   "`netperfctl hold {}` puts that off, `netperfctl stop {}` ends the job.",
                   format_duration(notice), job_, side.name, job_, job_)},
      [this, notice, words](const CommandEnd&) {
        if (held_) return announce();
        wait(notice, words, [this] { reboot(); });
      });
}

void BootSwitch::reboot() {
  announced_ = false;
  const Variant& side = side_of(note_->target);
  settled_ = false;
  ++note_->boots;
  note_->from = ports_.journal.boot_id();
  if (auto noted = note(); !noted) {
    return finish(fail(ErrorKind::io, fmt::format("side {}: not booted, since that could not be noted: {}",
                                                  side.name, noted.error().message)));
  }
  BootRecord boot{.number = note_->boots,
                  .block = note_->letter == 0 ? 0 : note_->block,
                  .letter = note_->letter,
                  .side = note_->target,
                  .variant = {},
                  .asked = ports_.clock.now(),
                  .settled = {},
                  .boot_id = {},
                  .kernel = {},
                  .failure = {}};
  (void)ports_.store.add_boot(job_, boot);
  switching_ = true;
  say(fmt::format("reboots into side {}", side.name));
  run(side.apply, [this, &side](const CommandEnd& end) {
    switching_ = false;
    if (given_up_) return finish({});
    if (!end.error.empty()) return missed(command_failed(side, "switch", side.apply, end));
    wait(kShutdownTimeout, fmt::format("reboots into side {}", side.name),
         [this] { missed("the machine did not reboot"); });
  });
}

void BootSwitch::go_back() {
  if (!note_) return finish({});
  target_ = {};
  run(note_->is_original, [this](const CommandEnd& end) {
    if (end.error.empty()) {
      on_ = note_->original;
      return finish(ports_.journal.clear());
    }
    note_->failures = kMostFailures - 1;  // it is tried once
    request();
  });
}

void BootSwitch::run(const std::vector<std::string>& argv, const Next& next) {
  auto started = ports_.commands.start(argv, kCommandTimeout, [this, next](const CommandEnd& end) {
    const auto ended = std::move(command_);
    next(end);
  });
  if (!started) return next({started.error().message});
  command_ = std::move(*started);
}

void BootSwitch::wait(std::chrono::milliseconds delay, std::string words, std::function<void()> next) {
  turn_ = ports_.clock.after(delay, [this, next = std::move(next)] {
    const auto kept = std::move(turn_);
    say({});
    next();
  });
  say(std::move(words));
}

void BootSwitch::say(std::string words) {
  waiting_ = std::move(words);
  changed_();
}

void BootSwitch::finish(const Status& status) {
  turn_.reset();
  announced_ = false;
  announced_since_.reset();
  waiting_.clear();
  const auto done = std::exchange(done_, nullptr);
  done(status);
}

}  // namespace netperfd::core
