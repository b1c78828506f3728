// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/tcp_sampler.hpp"

#include <algorithm>
#include <utility>

namespace netperfd::counters {
namespace {

// A test may start with only some of its connections, but soon has all of them.
constexpr std::uint64_t kSearchedTicks = 8;

bool contains(const std::vector<TcpConnection>& connections, const TcpConnection& wanted) {
  return std::ranges::any_of(connections, [&](const TcpConnection& each) { return each.is(wanted); });
}

}  // namespace

TcpSampler::TcpSampler(core::Clock& clock, const Fd& diag, TcpSamplerSettings sampling)
    : clock_(clock), diag_(diag), settings_(std::move(sampling)) {
  // This also makes the kernel load the module before anything is measured.
  auto found = find_connections(diag_, settings_.peer);
  if (found) {
    foreign_ = std::move(*found);
  } else {
    trouble_ = found.error().message;
  }
}

void TcpSampler::start(core::LiveRates live, std::chrono::steady_clock::time_point released) {
  if (!trouble_.empty()) return;
  live_ = std::move(live);
  released_ = released;
  begin_ = std::chrono::steady_clock::now();
  arm();
}

void TcpSampler::arm() {
  timer_ = clock_.after(settings_.period * stride_, [this] { tick(); });
}

void TcpSampler::tick() {
  tick_ += stride_;
  if (known_.size() <= settings_.connections && tick_ <= kSearchedTicks) find_more();
  look();
  if (live_) report_rates();
  if (kept_.size() > settings_.most_samples) make_room();
  arm();
}

void TcpSampler::find_more() {
  auto found = find_connections(diag_, settings_.peer);
  if (!found) return;
  for (const TcpConnection& connection : *found) {
    if (contains(foreign_, connection) || contains(known_, connection)) continue;
    known_.push_back(connection);
    closed_.push_back(false);
  }
}

void TcpSampler::look() {
  const auto time =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - released_);
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (closed_[i]) continue;
    auto now = look_again(diag_, known_[i]);
    if (!now) {
      closed_[i] = true;
      continue;
    }
    known_[i] = *now;
    kept_.push_back({tick_, i, known_[i].sample});
    kept_.back().sample.time = time;
  }
}

void TcpSampler::report_rates() {
  unreported_ += settings_.period * stride_;
  if (unreported_ < std::chrono::seconds{1}) return;
  unreported_ = {};
  const auto now =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin_);
  // Once all are closed, the test is over.
  const bool open = std::ranges::any_of(closed_, [](bool closed) { return !closed; });
  if (open && now > reported_at_) {
    if (settings_.direction != Direction::receive) report_rate(Direction::send, now);
    if (settings_.direction != Direction::send) report_rate(Direction::receive, now);
  }
  reported_ = known_;
  reported_at_ = now;
}

void TcpSampler::report_rate(Direction direction, std::chrono::microseconds now) {
  const bool sends = direction == Direction::send;
  const auto for_control = control();
  std::uint64_t bytes = 0;
  std::uint64_t retransmits = 0;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (i == for_control) continue;
    const TcpConnection before = i < reported_.size() ? reported_[i] : TcpConnection{};
    bytes +=
        sends ? known_[i].bytes_acked - before.bytes_acked : known_[i].bytes_received - before.bytes_received;
    retransmits += known_[i].sample.retransmits - before.sample.retransmits;
  }
  const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
  Interval interval;
  interval.direction = direction;
  interval.sender = sends;
  interval.omitted = now <= settings_.omit;
  const auto from = interval.omitted ? std::chrono::microseconds{0} : settings_.omit;
  interval.start_s = std::max(0.0, seconds(reported_at_ - from));
  interval.end_s = seconds(now - from);
  interval.seconds = seconds(now - reported_at_);
  interval.bytes = bytes;
  constexpr double kBits = 8;
  interval.bits_per_second = kBits * static_cast<double>(bytes) / interval.seconds;
  if (sends) interval.retransmits = retransmits;
  live_(interval);
}

std::optional<std::size_t> TcpSampler::control() const {
  if (known_.size() <= settings_.connections) return std::nullopt;
  const auto least = std::ranges::min_element(known_, {}, &TcpConnection::bytes);
  return static_cast<std::size_t>(least - known_.begin());
}

void TcpSampler::make_room() {
  stride_ *= 2;
  std::erase_if(kept_, [this](const Kept& kept) { return kept.tick % stride_ != 0; });
  // Keeps later ticks at multiples of the new stride.
  tick_ -= tick_ % stride_;
}

std::vector<TcpSample> TcpSampler::finish() {
  timer_.reset();
  const auto for_control = control();
  std::vector<TcpSample> samples;
  samples.reserve(kept_.size());
  for (const Kept& kept : kept_) {
    if (kept.connection != for_control) samples.push_back(kept.sample);
  }
  return samples;
}

}  // namespace netperfd::counters
