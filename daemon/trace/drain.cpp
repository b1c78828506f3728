#include "daemon/trace/drain.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace netperfd::trace {

Drain::Drain(core::Clock& clock, Tally& tally, std::vector<RingPipe> pipes, DrainSettings settings,
             RawKeeper* keeper)
    : clock_(clock),
      tally_(tally),
      pipes_(std::move(pipes)),
      settings_(settings),
      keeper_(keeper),
      buffer_(settings.subbuffer_bytes),
      timer_(clock_.after(settings_.period, [this] { turn(); })) {}

void Drain::finish(std::function<void(Status)> done) {
  done_ = std::move(done);
  timer_ = clock_.after(std::chrono::milliseconds{0}, [this] { turn(); });
}

void Drain::turn() {
  bool more = read_some();
  if (!more && done_) {
    pipes_.clear();
    more = !tally_.end(for_at_most(settings_.decode_rest));
  }
  if (more || !done_) {
    timer_ = clock_.after(more ? std::chrono::milliseconds{0} : settings_.period, [this] { turn(); });
    return;
  }
  const auto done = std::exchange(done_, {});
  done(error_ ? Status{std::unexpected(*error_)} : Status{});
}

Tally::Question Drain::for_at_most(std::chrono::microseconds time) const {
  return [this, until = clock_.now() + time] { return clock_.now() < until; };
}

// Where somebody has switched tracing on again the rest would have no end.
bool Drain::may_read_on(std::size_t read) {
  rest_bytes_ += read;
  if (settings_.rest_bytes == 0 || rest_bytes_ <= settings_.rest_bytes) return true;
  if (!error_)
    error_ = Error{ErrorKind::io, "events still came after tracing was switched off; the rest was not read"};
  return false;
}

bool Drain::catch_up(const RingPipe& pipe, std::size_t& budget) {
  for (bool first = true;; first = false) {
    if (budget < buffer_.size()) return false;
    const auto size = pipe.file->read(buffer_);
    if (!size && !error_) error_ = size.error();
    if (!size || *size == 0) return true;
    const auto subbuffer = std::span(buffer_).first(*size);
    const std::size_t used = tally_.add(pipe.cpu, subbuffer);
    if (keeper_ != nullptr) keeper_->add(pipe.cpu, subbuffer);
    budget -= std::min(budget, *size);
    if (!done_ && !first && used < buffer_.size() / 2) return true;
    if (done_ && !may_read_on(*size)) return true;
  }
}

bool Drain::read_some() {
  std::size_t budget = settings_.turn_bytes;
  behind_.clear();
  const std::size_t first = next_;
  for (std::size_t i = 0; i < pipes_.size(); ++i) {
    const std::size_t pipe = (first + i) % pipes_.size();
    if (catch_up(pipes_[pipe], budget)) continue;
    if (behind_.empty()) next_ = pipe;
    behind_.push_back(pipes_[pipe].cpu);
  }
  tally_.end_turn(behind_, for_at_most(behind_.empty() ? settings_.decode : std::chrono::microseconds{0}));
  return !behind_.empty();
}

}  // namespace netperfd::trace
