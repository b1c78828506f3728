// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "daemon/workload/iperf3/end.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::workload {
namespace {

using rows::plain_number;

constexpr double kShare = 0.1;
constexpr double kLeastSeconds = 0.5;  // a client needs some time to end a test

// Whether a length can be that of a test that another source says took `seconds`.
bool fits(double length, double seconds, bool may_drain) {
  constexpr double kDrainShare = 0.5;
  constexpr double kDrainSeconds = 2;
  const double least = seconds - kShare * seconds - kLeastSeconds;
  const double most = may_drain ? seconds + kDrainShare * seconds + kDrainSeconds
                                : seconds + kShare * seconds + kLeastSeconds;
  return length >= least && length <= most;
}

bool agree(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b && fits(*a, *b, false);
}

// The two others that agree against the sum.
std::optional<double> majority(const TimeWitnesses& witnesses) {
  if (agree(witnesses.intervals, witnesses.asked)) return witnesses.intervals;
  if (agree(witnesses.streams, witnesses.intervals)) return witnesses.intervals;
  if (agree(witnesses.streams, witnesses.asked)) return witnesses.streams;
  return std::nullopt;
}

}  // namespace

bool are_shortened(const CountedPart& intervals, std::uint64_t bytes, double seconds) {
  constexpr double kMore = 1.1;
  constexpr double kTolerance = 0.2;
  if (intervals.bytes == 0 || intervals.covered_s <= 0) return false;
  const double longer = seconds / intervals.covered_s;
  const double more = static_cast<double>(bytes) / static_cast<double>(intervals.bytes);
  return longer > kMore && more > kMore && std::abs(more - longer) <= kTolerance * longer;
}

TimeWitnesses time_witnesses(const Iperf3Document& document, const TestSpec& asked,
                             const CountedPart& counted, Direction direction) {
  TimeWitnesses witnesses;
  std::vector<double> seconds;
  bool shortened = false;
  for (const EndGroup& group : end_groups(document, asked)) {
    if (group.direction != direction) continue;
    for (const auto* sum : {&group.figures->sent, &group.figures->received, &group.figures->sum}) {
      shortened = shortened ||
                  (*sum && are_shortened(counted, (*sum)->bytes.value_or(0), (*sum)->seconds.value_or(0)));
    }
    const Figures* sent = pointer(group.figures->sent);
    if (document.streams.empty() && sent != nullptr && sent->seconds.value_or(0) > 0)
      seconds.push_back(*sent->seconds);
  }
  if (counted.intervals > 0 && !shortened) witnesses.intervals = counted.covered_s;
  if (asked.traffic.duration) witnesses.asked = in_seconds(*asked.traffic.duration);
  witnesses.omitted = in_seconds(asked.traffic.omit);
  for (const StreamFigures& stream : document.streams) {
    const Figures* speaker = speaker_of(stream);
    if (speaker != nullptr && speaker->seconds && direction_of(*speaker, asked) == direction)
      seconds.push_back(*speaker->seconds);
  }
  if (seconds.empty()) return witnesses;
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::ranges::nth_element(seconds, middle);
  witnesses.streams = *middle;
  return witnesses;
}

bool has_time(const Figures& figures, bool far) {
  return figures.seconds && (figures.bytes.value_or(0) > 0 || (far && *figures.seconds != 0));
}

JudgedTime judge_time(double seconds, bool far, const TimeWitnesses& witnesses) {
  // A test cannot take longer by more than this: its timer ends it.
  constexpr double kLongestDelay = 60;
  const bool impossible = !(seconds > 0 && seconds < 1e9) ||
                          (witnesses.asked && seconds > *witnesses.asked + witnesses.omitted + kLongestDelay);
  const auto supports = [&](const std::optional<double>& witness) {
    return witness && (fits(seconds, *witness, far) || fits(seconds, *witness + witnesses.omitted, far));
  };
  // The streams' time is that of their sender, beyond which a receiver goes on until its queues are empty.
  const bool fits_streams = !witnesses.streams || fits(seconds, *witnesses.streams, true) ||
                            fits(seconds, *witnesses.streams + witnesses.omitted, true);
  if (!impossible && (supports(witnesses.intervals) || supports(witnesses.asked) ||
                      (!witnesses.intervals && !witnesses.asked && fits_streams)))
    return {.seconds = seconds, .contradiction = {}};
  if (seconds == 0 && far)
    return {.seconds = {},
            .contradiction = "iperf3's end gives it 0 s, so its time and its rate are not known"};
  const auto used = majority(witnesses);
  std::string words = fmt::format("iperf3's end says that it took {} s", plain_number(seconds, 9));
  if (witnesses.intervals)
    words += fmt::format(", its intervals cover {} s", plain_number(*witnesses.intervals, 4));
  if (witnesses.streams) words += fmt::format(", its streams took {} s", plain_number(*witnesses.streams, 9));
  if (witnesses.asked) words += fmt::format(", {} s were asked", plain_number(*witnesses.asked, 4));
  words += used ? fmt::format("; {} s was used, which two of them support", plain_number(*used, 4))
                : "; no two of them agree, so time and rate are not known";
  return {.seconds = used, .contradiction = std::move(words)};
}

std::optional<double> rate_of(const Figures& figures) {
  constexpr double kTolerance = 0.1;  // some versions divide the bytes of one side by the time of the other
  if (!figures.bytes || !figures.seconds) return figures.bits_per_second;
  if (*figures.seconds <= 0) return *figures.bytes > 0 ? std::nullopt : figures.bits_per_second;
  const double rate = 8 * static_cast<double>(*figures.bytes) / *figures.seconds;
  const bool holds =
      figures.bits_per_second && std::abs(*figures.bits_per_second - rate) <= kTolerance * rate;
  return holds ? figures.bits_per_second : rate;
}

bool told_by_rate(const Figures& figures, std::uint64_t bytes) {
  constexpr double kTolerance = 0.01;
  if (!figures.bits_per_second || figures.seconds.value_or(0) <= 0) return false;
  const double told = *figures.bits_per_second * *figures.seconds / 8;
  return std::abs(told - static_cast<double>(bytes)) <= kTolerance * static_cast<double>(bytes);
}

}  // namespace netperfd::workload
