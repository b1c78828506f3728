// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/prober.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "daemon/echo/channel.hpp"
#include "daemon/echo/lines.hpp"

namespace netperfd::echo {
namespace {

void print(const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

Result<std::vector<std::unique_ptr<Channel>>> open_channels(const ProbeOptions& options) {
  const int family = options.family == 4 ? AF_INET : options.family == 6 ? AF_INET6 : AF_UNSPEC;
  std::optional<Address> bind;
  if (!options.bind.empty()) {
    auto found = resolve(options.bind, 0, family);
    if (!found) return std::unexpected(std::move(found.error()));
    bind = *found;
  }
  const auto server = resolve(options.to, options.port, bind ? bind->family() : family);
  if (!server) return std::unexpected(server.error());
  std::vector<std::unique_ptr<Channel>> channels;
  for (const ProbeSpec& spec : options.probes) {
    std::uint64_t session = 0;
    if (options.session) {
      session = first_session(*options.session) + channels.size();
    } else if (::getrandom(&session, sizeof session, 0) != sizeof session) {
      return fail_errno("getrandom", errno);
    }
    auto channel = Channel::open({.probe = spec, .server = *server, .bind = bind, .session = session});
    if (!channel) return std::unexpected(std::move(channel.error()));
    channels.push_back(std::move(*channel));
  }
  return channels;
}

class Prober {
 public:
  Prober(const ProbeOptions& options, std::vector<std::unique_ptr<Channel>> channels, const Fd& stop,
         const Fd& phases)
      : options_(options), channels_(std::move(channels)), stop_(stop), phases_(phases) {
    for (const ProbeSpec& spec : options.probes) trackers_.emplace_back(options.limits, Schedule(spec.rate));
  }

  [[nodiscard]] Status run(Ns begin);

 private:
  [[nodiscard]] Ns now() const { return read_clocks().monotonic - start_; }
  [[nodiscard]] Status wait();
  [[nodiscard]] Status receive();
  [[nodiscard]] Status send(Ns time);
  void begin_phase();
  void stop(Ns at);
  [[nodiscard]] bool print_complete();

  const ProbeOptions& options_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<RequestTracker> trackers_;
  const Fd& stop_;
  const Fd& phases_;
  Ns start_ = 0;
  std::optional<Ns> stopped_;
  std::uint32_t phase_ = 0;
  std::vector<pollfd> polled_;
};

Status Prober::run(Ns begin) {
  start_ = read_clocks().monotonic;
  print(start_line(options_, {.server = channels_.front()->server().text(),
                              .client = channels_.front()->local().text(),
                              .same_clock = std::ranges::any_of(channels_, &Channel::same_clock),
                              .greeting = start_ - begin}));
  for (;;) {
    if (auto done = receive(); !done) return done;
    // One time for both: a request that is due at the end itself must not slip in between.
    const Ns time = now();
    if (!stopped_ && options_.duration && time >= *options_.duration) stop(*options_.duration);
    if (auto done = send(time); !done) return done;
    if (!stopped_ && take_signal(phases_) != 0) begin_phase();
    if (!stopped_ && take_signal(stop_) != 0) stop(now());
    if (print_complete()) break;
    if (auto done = wait(); !done) return done;
  }
  print(end_line(trackers_, *stopped_));
  return {};
}

Status Prober::wait() {
  Ns until = std::numeric_limits<Ns>::max();
  for (RequestTracker& tracker : trackers_) {
    until = std::min(until, tracker.next_end().value_or(until));
    if (!stopped_) until = std::min(until, tracker.next_due());
  }
  if (!stopped_ && options_.duration) until = std::min(until, *options_.duration);

  polled_.clear();
  for (const auto& channel : channels_)
    polled_.push_back({.fd = channel->fd(), .events = channel->events(), .revents = 0});
  polled_.push_back({.fd = stopped_ ? -1 : stop_.get(), .events = POLLIN, .revents = 0});
  polled_.push_back({.fd = stopped_ ? -1 : phases_.get(), .events = POLLIN, .revents = 0});
  const Ns left = std::max(until - now(), Ns{0});
  const timespec longest{.tv_sec = left / kSecond, .tv_nsec = left % kSecond};
  if (::ppoll(polled_.data(), polled_.size(), &longest, nullptr) < 0 && errno != EINTR)
    return fail_errno("ppoll", errno);
  return {};
}

Status Prober::receive() {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (i >= polled_.size() || polled_[i].revents == 0) continue;
    if (auto done = channels_[i]->receive(trackers_[i]); !done) return done;
  }
  return {};
}

Status Prober::send(Ns time) {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const auto sequence = trackers_[i].advance(time);
    if (!sequence) continue;
    const auto clocks = channels_[i]->send(*sequence);
    if (!clocks) return std::unexpected(clocks.error());
    if (*clocks) {
      trackers_[i].sent(*sequence, (*clocks)->monotonic - start_, **clocks);
    } else {
      trackers_[i].not_sent();
    }
  }
  return {};
}

void Prober::begin_phase() {
  const Ns at = now();
  ++phase_;
  for (RequestTracker& tracker : trackers_) tracker.phase(at);
  print(phase_line(phase_, at));
}

void Prober::stop(Ns at) {
  stopped_ = at;
  for (RequestTracker& tracker : trackers_) tracker.stop(at);
}

// True: all of it.
bool Prober::print_complete() {
  bool all = true;
  for (std::size_t i = 0; i < trackers_.size(); ++i) {
    for (const Interval& interval : trackers_[i].take_complete()) print(interval_line(i, interval));
    all = all && trackers_[i].is_done();
  }
  return all;
}

}  // namespace

Status probe(const ProbeOptions& options, const Fd& stop, const Fd& phases, Ns begin) {
  (void)::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // the default adds 50 us to each wait
  auto channels = open_channels(options);
  if (!channels) return std::unexpected(std::move(channels.error()));
  const Ns timeout = std::max(options.limits.timeout, 2 * kSecond);
  for (const auto& channel : *channels) {
    if (auto done = channel->greet({.timeout = timeout, .stop = stop}); !done) return done;
  }
  return Prober(options, std::move(*channels), stop, phases).run(begin);
}

}  // namespace netperfd::echo
