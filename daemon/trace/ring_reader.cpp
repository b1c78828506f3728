// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring_reader.hpp"

#include <span>
#include <utility>

namespace netperfd::trace {

RingReader::RingReader(std::vector<RingPipe> pipes, const ReaderSettings& settings)
    : pipes_(std::move(pipes)), settings_(settings), buffer_(settings.layout.size()) {}

bool RingReader::is_half_full(std::size_t size) const {
  const auto subbuffer = std::span(buffer_).first(size);
  return SubbufferWalk(subbuffer, settings_.layout).committed() >= buffer_.size() / 2;
}

// If somebody has turned tracing on again, there is no end.
bool RingReader::may_read_on(std::size_t read, Sweep& sweep) {
  rest_bytes_ += read;
  if (settings_.rest_bytes == 0 || rest_bytes_ <= settings_.rest_bytes) return true;
  if (!sweep.error) {
    sweep.error =
        Error{ErrorKind::io, "events still came after tracing was switched off; the rest was not read"};
  }
  return false;
}

bool RingReader::catch_up(const RingPipe& pipe, Sweep& sweep) {
  for (bool first = true;; first = false) {
    if (sweep.bytes + buffer_.size() > settings_.sweep_bytes) return false;
    const auto size = pipe.file->read(buffer_);
    if (!size && !sweep.error) sweep.error = size.error();
    if (!size || *size == 0) return true;
    const auto read = std::span(buffer_).first(*size);
    sweep.subbuffers.push_back({pipe.cpu, {read.begin(), read.end()}});
    sweep.bytes += *size;
    if (!off_ && !first && !is_half_full(*size)) return true;
    if (off_ && !may_read_on(*size, sweep)) return true;
  }
}

Sweep RingReader::sweep() {
  Sweep sweep;
  const std::size_t first = next_;
  for (std::size_t i = 0; i < pipes_.size(); ++i) {
    const std::size_t pipe = (first + i) % pipes_.size();
    if (catch_up(pipes_[pipe], sweep)) continue;
    if (sweep.behind.empty()) next_ = pipe;
    sweep.behind.push_back(pipes_[pipe].cpu);
  }
  return sweep;
}

}  // namespace netperfd::trace
