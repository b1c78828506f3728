#include "daemon/trace/drain.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace netperfd::trace {

Drain::Drain(core::Clock& clock, Tally& tally, std::vector<RingPipe> pipes, DrainSettings settings)
    : clock_(clock),
      tally_(tally),
      pipes_(std::move(pipes)),
      settings_(settings),
      buffer_(settings.subbuffer_bytes),
      timer_(clock_.after(settings_.period, [this] { turn(); })) {}

void Drain::finish(std::function<void(Status)> done) {
  done_ = std::move(done);
  timer_ = clock_.after(std::chrono::milliseconds{0}, [this] { turn(); });
}

void Drain::turn() {
  const bool more = read_some();
  if (more || !done_) {
    timer_ = clock_.after(more ? std::chrono::milliseconds{0} : settings_.period, [this] { turn(); });
    return;
  }
  pipes_.clear();
  const auto done = std::exchange(done_, {});
  done(error_ ? Status{std::unexpected(*error_)} : Status{});
}

// Where somebody has switched tracing on again the rest would have no end.
bool Drain::may_read_on(std::size_t read) {
  rest_bytes_ += read;
  if (settings_.rest_bytes == 0 || rest_bytes_ <= settings_.rest_bytes) return true;
  if (!error_)
    error_ = Error{ErrorKind::io, "events still came after tracing was switched off; the rest was not read"};
  return false;
}

bool Drain::read_some() {
  std::size_t budget = settings_.turn_bytes;
  for (std::size_t looked_at = 0; looked_at < pipes_.size(); ++looked_at) {
    const RingPipe& pipe = pipes_[next_];
    for (;;) {
      if (budget < buffer_.size()) return true;
      const auto size = pipe.file->read(buffer_);
      if (!size && !error_) error_ = size.error();
      if (!size || *size == 0) break;
      const std::size_t used = tally_.add(pipe.cpu, std::span(buffer_).first(*size));
      budget -= std::min(budget, *size);
      if (!done_ && used < buffer_.size() / 2) break;
      if (done_ && !may_read_on(*size)) return false;
    }
    next_ = (next_ + 1) % pipes_.size();
  }
  return false;
}

}  // namespace netperfd::trace
