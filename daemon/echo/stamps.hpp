// SPDX-License-Identifier: GPL-2.0-or-later
// From the times of a request and its answer to the spans that are reported.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>

namespace netperfd::echo {

using Ns = std::int64_t;

inline constexpr Ns kMillisecond = 1'000'000;
inline constexpr Ns kSecond = 1'000'000'000;
// A larger change of the wall clock against the monotonic one is a step of the wall clock, or the time that
// the host slept.
inline constexpr Ns kClockStep = kMillisecond;

// The clocks at one moment. The monotonic one stands still while the host sleeps.
struct Clocks {
  Ns monotonic = 0;
  Ns wall = 0;
  Ns asleep = 0;  // since the boot, within some microseconds

  bool operator==(const Clocks&) const = default;
};
[[nodiscard]] Clocks read_clocks();

// What the kernel says of one packet: its software time, on the wall clock, and the time of the device, on
// the device's own clock, which only another time of the device may be compared with.
struct PacketStamps {
  std::optional<Ns> kernel;
  std::optional<Ns> device;

  bool operator==(const PacketStamps&) const = default;
};
// From the control messages that came with a packet.
[[nodiscard]] PacketStamps stamps_of(const msghdr& message);

// The server's times of a request, on its wall clock.
struct FarStamps {
  Ns arrival = 0;
  Ns sent = 0;

  bool operator==(const FarStamps&) const = default;
};

struct Exchange {
  Clocks sent;                   // right before the request was sent
  PacketStamps left;             // when the request left
  Clocks read;                   // when the answer was read
  PacketStamps arrived;          // when the answer arrived
  std::optional<FarStamps> far;  // only if the server has the same wall clock
};

enum class Source : std::uint8_t { program, kernel, device };

struct Spans {
  Ns round_trip = 0;
  std::optional<Ns> there, back;
  Source source = Source::program;
  bool clock_step = false;

  bool operator==(const Spans&) const = default;
};
[[nodiscard]] Spans spans_of(const Exchange& exchange);

// Time in the queues of this host until `left`; absent if a step of the clock makes it unknown.
[[nodiscard]] std::optional<Ns> queued_of(const Clocks& sent, const PacketStamps& left, const Clocks& now);

}  // namespace netperfd::echo
