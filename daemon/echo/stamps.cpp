// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/stamps.hpp"

#include <linux/errqueue.h>

#include <algorithm>
#include <cstring>
#include <ctime>

namespace netperfd::echo {
namespace {

Ns read_clock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

std::optional<Ns> known(const timespec& stamp) {
  // Whatever a driver says: a product that overflows is no time.
  constexpr time_t kLatest = std::int64_t{1} << 33;
  if (stamp.tv_sec <= 0 || stamp.tv_sec >= kLatest || stamp.tv_nsec < 0 || stamp.tv_nsec >= kSecond)
    return std::nullopt;
  return stamp.tv_sec * kSecond + stamp.tv_nsec;
}

// 0 unless the host slept.
Ns asleep_between(const Clocks& before, const Clocks& after) {
  const Ns asleep = after.asleep - before.asleep;
  return asleep > kClockStep ? asleep : 0;
}

Ns passed(const Clocks& before, const Clocks& after) {
  return after.monotonic - before.monotonic + asleep_between(before, after);
}

bool stepped(const Clocks& before, const Clocks& after) {
  const Ns change = after.wall - before.wall - passed(before, after);
  return change > kClockStep || change < -kClockStep;
}

bool within(Ns span, Ns longest) {
  return span >= 0 && span <= longest;
}

}  // namespace

Clocks read_clocks() {
  // If this thread is preempted between them, they look like a step of the clock: read again then.
  constexpr Ns kTogether = 20'000;
  Clocks clocks;
  for (int attempt = 0; attempt < 4; ++attempt) {
    clocks.monotonic = read_clock(CLOCK_MONOTONIC);
    clocks.wall = read_clock(CLOCK_REALTIME);
    clocks.asleep = read_clock(CLOCK_BOOTTIME) - clocks.monotonic;
    if (read_clock(CLOCK_MONOTONIC) - clocks.monotonic < kTogether) break;
  }
  return clocks;
}

PacketStamps stamps_of(const msghdr& message) {
  PacketStamps stamps;
  msghdr copy = message;  // CMSG_NXTHDR() takes no const
  for (cmsghdr* part = CMSG_FIRSTHDR(&copy); part != nullptr; part = CMSG_NXTHDR(&copy, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SO_TIMESTAMPING) continue;
    scm_timestamping times{};
    if (part->cmsg_len < CMSG_LEN(sizeof times)) continue;
    std::memcpy(&times, CMSG_DATA(part), sizeof times);
    if (const auto kernel = known(times.ts[0])) stamps.kernel = kernel;
    if (const auto device = known(times.ts[2])) stamps.device = device;
  }
  return stamps;
}

std::optional<Ns> queued_of(const Clocks& sent, const PacketStamps& left, const Clocks& now) {
  if (!left.kernel || stepped(sent, now)) return std::nullopt;
  const Ns queued = *left.kernel - sent.wall;
  if (!within(queued, passed(sent, now))) return std::nullopt;
  return queued;
}

Spans spans_of(const Exchange& exchange) {
  const Ns longest = passed(exchange.sent, exchange.read);
  const Spans in_program{.round_trip = longest, .there = {}, .back = {}};
  Spans step = in_program;
  step.clock_step = true;
  if (stepped(exchange.sent, exchange.read)) return step;

  Spans spans = in_program;
  if (exchange.arrived.kernel) {
    spans.round_trip = *exchange.arrived.kernel - exchange.sent.wall;
    spans.source = Source::kernel;
    if (!within(spans.round_trip, longest)) return step;
  }
  if (exchange.far) {
    const Ns there = exchange.far->arrival - exchange.sent.wall;
    const Ns back = exchange.sent.wall + spans.round_trip - exchange.far->sent;
    if (within(there, spans.round_trip) && within(back, spans.round_trip)) {
      spans.there = there;
      spans.back = back;
    }
  }
  // The clock of the device times the way outside; until the driver, the queue of this host counts too.
  const auto queued = queued_of(exchange.sent, exchange.left, exchange.read);
  if (queued && exchange.left.device && exchange.arrived.device) {
    const Ns outside = *exchange.arrived.device - *exchange.left.device;
    if (within(outside, longest) && within(*queued + outside, longest)) {
      spans.round_trip = *queued + outside;
      spans.source = Source::device;
    }
  }
  return spans;
}

}  // namespace netperfd::echo
