#include "daemon/core/side_switch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace netperfd::core {
namespace {

std::string failure(const Variant& side, const std::vector<std::string>& argv, const std::string& error) {
  return fmt::format("side {}: {}: {}", side.name, fmt::join(argv, " "), error);
}

}  // namespace

bool has_commands(const JobSpec& spec) {
  if (!spec.design || !spec.design->has_variants()) return false;
  for (const Variant* side : {&*spec.design->a, &*spec.design->b}) {
    if (!side->apply.empty() || !side->verify.empty()) return true;
  }
  return false;
}

SideSwitch::SideSwitch(Ports ports, JobId job, Design design)
    : ports_(ports), job_(job), design_(std::move(design)) {}

void SideSwitch::bring(char variant, Done done) {
  target_ = variant;
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
  if (variant('A').verify.empty()) return try_side_b();
  run(variant('A').verify, [this](const CommandEnd& end) {
    if (end.error.empty()) return found('A', 'A');
    try_side_b();
  });
}

void SideSwitch::try_side_b() {
  if (variant('B').verify.empty()) return found('A', std::nullopt);
  run(variant('B').verify, [this](const CommandEnd& end) {
    if (end.error.empty()) return found('B', 'B');
    found('A', std::nullopt);
  });
}

void SideSwitch::found(char original, std::optional<char> applied) {
  original_ = original;
  applied_ = applied;
  switch_over();
}

void SideSwitch::switch_over() {
  if (given_up_) return finish({});
  if (applied_ == target_) return verify();
  const Variant& side = variant(target_);
  if (side.apply.empty()) {
    applied_ = target_;
    return verify();
  }
  if (const auto noted = note_original(); !noted) {
    return finish(
        fail(ErrorKind::io, fmt::format("side {}: not applied, since the way back could not be noted: {}",
                                        side.name, noted.error().message)));
  }
  applied_.reset();
  switched_ = true;
  switching_ = true;
  run(side.apply, [this, &side](const CommandEnd& end) {
    switching_ = false;
    if (!end.error.empty()) return finish(fail(ErrorKind::io, failure(side, side.apply, end.error)));
    applied_ = target_;
    if (given_up_) return finish({});
    verify();
  });
}

void SideSwitch::verify() {
  const Variant& side = variant(target_);
  if (side.verify.empty()) return finish({});
  run(side.verify, [this, &side](const CommandEnd& end) {
    if (end.error.empty()) return finish({});
    applied_.reset();  // even if its switch succeeded
    finish(fail(ErrorKind::io, failure(side, side.verify, end.error)));
  });
}

void SideSwitch::go_back() {
  const bool is_back = !switched_ || applied_ == original_;
  const Variant& side = variant(original_.value_or('A'));
  if (is_back || side.apply.empty()) return finish(noted_ ? ports_.journal.clear() : Status{});
  applied_.reset();
  switching_ = true;
  run(side.apply, [this, &side](const CommandEnd& end) {
    switching_ = false;
    if (!end.error.empty()) {
      return finish(
          fail(ErrorKind::io, fmt::format("the machine was on side {} and could not be brought back: {}",
                                          side.name, failure(side, side.apply, end.error))));
    }
    applied_ = original_;
    finish(ports_.journal.clear());
  });
}

Status SideSwitch::note_original() {
  const Variant& side = variant(*original_);
  if (noted_ || side.apply.empty()) return {};
  auto written = ports_.journal.write({.job = job_, .side = side.name, .apply = side.apply});
  noted_ = written.has_value();
  return written;
}

void SideSwitch::run(const std::vector<std::string>& argv, const Next& next) {
  auto started = ports_.commands.start(argv, kCommandTimeout, [this, next](const CommandEnd& end) {
    const auto ended = std::move(command_);
    next(end);
  });
  if (!started) return next({started.error().message});
  command_ = std::move(*started);
}

void SideSwitch::finish(const Status& status) {
  const auto done = std::exchange(done_, nullptr);
  done(status);
}

}  // namespace netperfd::core
