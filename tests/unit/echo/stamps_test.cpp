// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/stamps.hpp"

#include <gtest/gtest.h>
#include <linux/errqueue.h>

#include <array>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

namespace netperfd::echo {
namespace {

constexpr Ns kWall = 1'800'000'000 * kSecond;  // wall clock at monotonic 0
constexpr Ns kYear = kSecond * 365 * 24 * 3600;
constexpr Ns kMicrosecond = 1000;

Clocks at(Ns time) {
  return {.monotonic = time, .wall = kWall + time};
}

// Sent at 0 and arrived after 500 us; read 20 us later.
Exchange usual() {
  return {.sent = at(0),
          .left = {},
          .read = at(520 * kMicrosecond),
          .arrived = {.kernel = kWall + 500 * kMicrosecond, .device = {}},
          .far = {}};
}

TEST(EchoSpans, the_kernels_time_counts_not_that_of_reading) {
  const Spans spans = spans_of(usual());
  EXPECT_EQ(spans.round_trip, 500 * kMicrosecond);
  EXPECT_EQ(spans.source, Source::kernel);
  EXPECT_FALSE(spans.clock_step);
  EXPECT_FALSE(spans.there || spans.back);
}

TEST(EchoSpans, without_a_time_of_the_kernel_the_monotonic_clock_counts) {
  Exchange exchange = usual();
  exchange.arrived = {};
  const Spans spans = spans_of(exchange);
  EXPECT_EQ(spans.round_trip, 520 * kMicrosecond);
  EXPECT_EQ(spans.source, Source::program);
  EXPECT_FALSE(spans.clock_step);
}

TEST(EchoSpans, both_ways_add_up_to_the_round_trip_without_the_time_in_the_server) {
  Exchange exchange = usual();
  exchange.far = {.arrival = kWall + 200 * kMicrosecond, .sent = kWall + 250 * kMicrosecond};
  const Spans spans = spans_of(exchange);
  EXPECT_EQ(spans.there, 200 * kMicrosecond);
  EXPECT_EQ(spans.back, 250 * kMicrosecond);
}

TEST(EchoSpans, times_of_the_server_outside_of_the_round_trip_count_for_nothing) {
  for (const Ns off : {-kYear, -201 * kMicrosecond, 251 * kMicrosecond, kYear}) {
    Exchange exchange = usual();
    exchange.far = {.arrival = kWall + 200 * kMicrosecond + off, .sent = kWall + 250 * kMicrosecond + off};
    const Spans spans = spans_of(exchange);
    EXPECT_EQ(spans.round_trip, 500 * kMicrosecond);
    EXPECT_FALSE(spans.there || spans.back) << off;
  }
}

TEST(EchoSpans, a_step_of_the_wall_clock_leaves_the_round_trip_of_the_monotonic_clock_only) {
  for (const Ns step : {-kYear, -2 * kMillisecond, 2 * kMillisecond, kYear}) {
    for (const bool before_arrival : {false, true}) {
      Exchange exchange = usual();
      exchange.read.wall += step;
      if (before_arrival) *exchange.arrived.kernel += step;
      exchange.far = {.arrival = kWall + 200 * kMicrosecond, .sent = kWall + 250 * kMicrosecond};
      const Spans spans = spans_of(exchange);
      EXPECT_TRUE(spans.clock_step);
      EXPECT_EQ(spans.round_trip, 520 * kMicrosecond);
      EXPECT_EQ(spans.source, Source::program);
      EXPECT_FALSE(spans.there || spans.back);
    }
  }
}

TEST(EchoSpans, a_step_and_back_shows_in_an_impossible_round_trip) {
  for (const Ns kernel : {Ns{-1}, 520 * kMicrosecond + 1, kYear, -kYear}) {
    Exchange exchange = usual();
    exchange.arrived.kernel = kWall + kernel;
    const Spans spans = spans_of(exchange);
    EXPECT_TRUE(spans.clock_step) << kernel;
    EXPECT_EQ(spans.round_trip, 520 * kMicrosecond);
  }
}

TEST(EchoSpans, the_time_that_the_host_slept_is_no_step_and_counts) {
  constexpr Ns kSlept = 60 * kSecond;
  Exchange exchange = usual();
  exchange.read.asleep = kSlept;
  exchange.read.wall += kSlept;
  *exchange.arrived.kernel += kSlept;
  Spans spans = spans_of(exchange);
  EXPECT_FALSE(spans.clock_step);
  EXPECT_EQ(spans.round_trip, kSlept + 500 * kMicrosecond);
  exchange.arrived = {};
  spans = spans_of(exchange);
  EXPECT_EQ(spans.round_trip, kSlept + 520 * kMicrosecond);
}

TEST(EchoSpans, a_clock_that_is_slewed_is_not_a_step) {
  Exchange exchange = usual();
  exchange.read.wall += kClockStep;
  EXPECT_FALSE(spans_of(exchange).clock_step);
}

TEST(EchoSpans, times_of_the_device_count_only_in_pairs_and_with_the_own_queue) {
  // The clock of the device began to count a minute ago.
  constexpr Ns kDevice = 60 * kSecond;
  Exchange exchange = usual();
  exchange.left = {.kernel = kWall + 30 * kMicrosecond, .device = kDevice};
  exchange.arrived.device = kDevice + 400 * kMicrosecond;
  Spans spans = spans_of(exchange);
  EXPECT_EQ(spans.source, Source::device);
  EXPECT_EQ(spans.round_trip, 430 * kMicrosecond);

  Exchange lacks = exchange;
  lacks.left.device.reset();
  EXPECT_EQ(spans_of(lacks).source, Source::kernel);
  lacks = exchange;
  lacks.arrived.device.reset();
  EXPECT_EQ(spans_of(lacks).source, Source::kernel);
  lacks = exchange;
  lacks.left.kernel.reset();
  EXPECT_EQ(spans_of(lacks).source, Source::kernel);
  // A device whose clock was set in between.
  for (const Ns device : {kDevice - 1, kDevice + 491 * kMicrosecond, kYear}) {
    exchange.arrived.device = device;
    spans = spans_of(exchange);
    EXPECT_EQ(spans.source, Source::kernel) << device;
    EXPECT_EQ(spans.round_trip, 500 * kMicrosecond);
  }
}

TEST(EchoSpans, the_time_in_the_own_queue_is_unknown_across_a_step) {
  const PacketStamps left{.kernel = kWall + 30 * kMicrosecond, .device = {}};
  EXPECT_EQ(queued_of(at(0), left, at(kMillisecond)), 30 * kMicrosecond);
  EXPECT_FALSE(queued_of(at(0), {}, at(kMillisecond)));
  Clocks stepped = at(kMillisecond);
  stepped.wall += kYear;
  EXPECT_FALSE(queued_of(at(0), left, stepped));
  EXPECT_FALSE(queued_of(at(kMillisecond), left, at(2 * kMillisecond))) << "it left before it was sent";
}

// Control messages by hand, as the kernel writes them.
class Control {
 public:
  void add(int level, int type, const void* data, std::size_t size) {
    const std::size_t begin = bytes_.size();
    bytes_.resize(begin + CMSG_SPACE(size));
    cmsghdr header{};
    header.cmsg_len = CMSG_LEN(size);
    header.cmsg_level = level;
    header.cmsg_type = type;
    std::memcpy(bytes_.data() + begin, &header, sizeof header);
    std::memcpy(bytes_.data() + begin + CMSG_LEN(0), data, size);
  }
  void add_times(timespec software, timespec device) {
    const std::array<timespec, 3> times{software, timespec{}, device};
    add(SOL_SOCKET, SCM_TIMESTAMPING, times.data(), sizeof times);
  }
  [[nodiscard]] PacketStamps stamps() {
    msghdr message{};
    message.msg_control = bytes_.data();
    message.msg_controllen = bytes_.size();
    return stamps_of(message);
  }

 private:
  std::vector<char> bytes_;
};

TEST(EchoControlMessages, tell_the_times_of_kernel_and_device) {
  Control control;
  const int other = 5;
  control.add(SOL_SOCKET, SO_PRIORITY, &other, sizeof other);
  control.add_times({.tv_sec = 7, .tv_nsec = 8}, {.tv_sec = 1, .tv_nsec = 2});
  EXPECT_EQ(control.stamps(), (PacketStamps{.kernel = 7 * kSecond + 8, .device = kSecond + 2}));
}

TEST(EchoControlMessages, of_a_packet_that_left_come_one_by_one) {
  Control software, device;
  software.add_times({.tv_sec = 7, .tv_nsec = 8}, {});
  device.add_times({}, {.tv_sec = 1, .tv_nsec = 2});
  EXPECT_EQ(software.stamps(), (PacketStamps{.kernel = 7 * kSecond + 8, .device = {}}));
  EXPECT_EQ(device.stamps(), (PacketStamps{.kernel = {}, .device = kSecond + 2}));
}

TEST(EchoControlMessages, that_are_short_or_impossible_tell_nothing) {
  Control control;
  const std::array<char, 16> cut{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  control.add(SOL_SOCKET, SCM_TIMESTAMPING, cut.data(), cut.size());
  control.add_times({.tv_sec = 1, .tv_nsec = kSecond}, {.tv_sec = std::int64_t{1} << 60, .tv_nsec = 0});
  control.add_times({.tv_sec = -1, .tv_nsec = 0}, {.tv_sec = 1, .tv_nsec = -1});
  EXPECT_EQ(control.stamps(), PacketStamps{});
  EXPECT_EQ(Control().stamps(), PacketStamps{});
}

}  // namespace
}  // namespace netperfd::echo
