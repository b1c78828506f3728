// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/stream_sums.hpp"

#include <algorithm>
#include <type_traits>

namespace netperfd::workload {
namespace {

// The sum over streams. One that does not fit, since a count wrapped around, keeps the count, which is set
// aside as impossible.
template <class Number>
void add_to(std::optional<Number>& sum, const std::optional<Number>& value) {
  if (!value) return;
  if constexpr (std::is_integral_v<Number>) {
    Number total{};
    const bool fits = !__builtin_add_overflow(sum.value_or(0), *value, &total);
    sum = fits ? total : std::max(sum.value_or(0), *value);
  } else {
    sum = sum.value_or(0) + *value;
  }
}

}  // namespace

Figures sum_of_streams(const std::vector<Figures>& streams, std::optional<bool> sender) {
  Figures sum;
  for (const Figures& stream : streams) {
    if (stream.sender != sender) continue;
    if (!sum.start) {
      sum.start = stream.start;
      sum.end = stream.end;
      sum.seconds = stream.seconds;
    }
    add_to(sum.bytes, stream.bytes);
    add_to(sum.bits_per_second, stream.bits_per_second);
    add_to(sum.retransmits, stream.retransmits);
    add_to(sum.packets, stream.packets);
    add_to(sum.lost_packets, stream.lost_packets);
    sum.omitted = stream.omitted;
  }
  sum.sender = sender;
  return sum;
}

std::vector<Figures> sums_of_streams(const std::vector<Figures>& streams) {
  std::vector<Figures> sums;
  for (const auto& sender : {std::optional<bool>(true), std::optional<bool>(false), std::optional<bool>()}) {
    if (std::ranges::any_of(streams, [&](const Figures& stream) { return stream.sender == sender; })) {
      sums.push_back(sum_of_streams(streams, sender));
    }
  }
  return sums;
}

}  // namespace netperfd::workload
