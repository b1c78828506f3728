// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "daemon/workload/quality_flags.hpp"
#include "daemon/workload/udp_loss.hpp"

namespace netperfd::workload {
namespace {

constexpr double kSumTolerance = 0.01;  // between two ways to compute the same sum
constexpr double kSentAboveReceived = 0.05;

struct EndGroup {
  Direction direction;
  const EndFigures* figures;
};

bool agree(std::uint64_t a, std::uint64_t b) {
  const auto larger = static_cast<double>(std::max(a, b));
  return larger - static_cast<double>(std::min(a, b)) <= kSumTolerance * larger;
}

bool present(const EndFigures& figures) {
  return figures.sum || figures.sent || figures.received;
}

// The keys' names are unreliable: -R does not change them, and a UDP `sum_sent` always says "sender". So the
// direction is taken from the `sender` of the TCP sums and of the UDP `sum`, and from the names only if these
// are absent.
Direction direction_of_end(const EndFigures& figures, bool reverse_key, const Iperf3Spec& asked) {
  const std::optional<Figures>& speaker = figures.sum    ? figures.sum
                                          : figures.sent ? figures.sent
                                                         : figures.received;
  if (speaker->sender) return *speaker->sender ? Direction::send : Direction::receive;
  return reverse_key || asked.direction == Direction::receive ? Direction::receive : Direction::send;
}

std::vector<EndGroup> end_groups(const Iperf3Document& document, const Iperf3Spec& asked) {
  std::vector<EndGroup> groups;
  if (present(document.end)) groups.push_back({direction_of_end(document.end, false, asked), &document.end});
  if (present(document.end_reverse)) {
    const Direction direction = direction_of_end(document.end_reverse, true, asked);
    if (groups.empty() || groups.front().direction != direction)
      groups.push_back({direction, &document.end_reverse});
  }
  return groups;
}

const Figures* pointer(const std::optional<Figures>& figures) {
  return figures ? &*figures : nullptr;
}

// Before 3.11 a UDP test has only `sum`: the sender's bytes together with the receiver's jitter and loss.
bool is_sum_alone(const EndFigures& figures, Protocol protocol) {
  return protocol == Protocol::udp && figures.sum && !figures.sent && !figures.received;
}

// Absent if iperf3 does not report the loss.
std::optional<std::uint64_t> bytes_less_lost(const Figures& sum, std::optional<std::uint64_t> block_bytes) {
  const std::uint64_t block = block_bytes.value_or(0);
  if (!sum.bytes || !sum.lost_packets || *sum.lost_packets < 0 || block == 0) return std::nullopt;
  const std::uint64_t datagrams = *sum.bytes / block, lost = static_cast<std::uint64_t>(*sum.lost_packets);
  if (lost > datagrams) return std::nullopt;
  return *sum.bytes - lost * block;
}

const Figures* speaker_of(const StreamFigures& stream) {
  for (const auto* figures : {&stream.udp, &stream.sender, &stream.receiver}) {
    if (*figures) return pointer(*figures);
  }
  return nullptr;
}

// The far side's figures, as opposed to the client's own.
const Figures* far_figures(const EndGroup& group) {
  return pointer(group.direction == Direction::send ? group.figures->received : group.figures->sent);
}

// ---- One direction ----------------------------------------------------------------------------------------

class DirectionTotals {
 public:
  DirectionTotals(const Iperf3Document& document, const Iperf3Spec& asked, const IntervalTotals& intervals,
                  const EndGroup& group, bool answered, Iperf3Report& report)
      : document_(document),
        asked_(asked),
        intervals_(intervals),
        counted_(group.direction == Direction::send ? intervals.send : intervals.receive),
        direction_(group.direction),
        answered_(answered),
        sent_(known(group.figures->sent, group.direction == Direction::send)),
        received_(known(group.figures->received, group.direction == Direction::receive)),
        report_(report) {
    if (is_sum_alone(*group.figures, asked.protocol)) take_sum_alone(group.figures->sum);
  }

  void add() {
    Totals sum = sum_of_end();
    for (const StreamFigures& stream : document_.streams) {
      const Figures* speaker = speaker_of(stream);
      if (speaker != nullptr && direction_of(*speaker, asked_) == direction_)
        streams_.push_back(stream_totals(stream));
    }
    check_bytes(sum);
    check_retransmits(sum);
    if (asked_.protocol == Protocol::udp) add_loss(sum);
    add_path(sum);
    flag_unknown(sum);
    report_.sums.push_back(sum);
    report_.streams.insert(report_.streams.end(), streams_.begin(), streams_.end());
  }

 private:
  const Iperf3Document& document_;
  const Iperf3Spec& asked_;
  const IntervalTotals& intervals_;
  const CountedPart& counted_;
  Direction direction_;
  bool answered_;
  const Figures* sent_;
  const Figures* received_;
  Figures of_receiver_;  // used if iperf3 has none
  Iperf3Report& report_;
  std::vector<Totals> streams_;

  [[nodiscard]] const Figures* known(const std::optional<Figures>& figures, bool own) const {
    return own || answered_ ? pointer(figures) : nullptr;
  }

  // For a receiving client, the received bytes are then taken from the intervals.
  void take_sum_alone(const std::optional<Figures>& sum) {
    const bool sends = direction_ == Direction::send;
    sent_ = known(sum, sends);
    if (sends && !answered_) return;
    of_receiver_.jitter_ms = sum->jitter_ms;
    of_receiver_.lost_packets = sum->lost_packets;
    if (sends) {
      of_receiver_.bytes = bytes_less_lost(*sum, document_.block_bytes);
    } else if (counted_.intervals > 0) {
      of_receiver_.bytes = counted_.bytes;
    }
    const double seconds = sends ? sum->seconds.value_or(0) : counted_.covered_s;
    if (of_receiver_.bytes && seconds > 0) {
      of_receiver_.bits_per_second = 8 * static_cast<double>(*of_receiver_.bytes) / seconds;
    }
    received_ = &of_receiver_;
    if (!sends || !of_receiver_.bytes) return;
    flag(Quality::receiver_computed,
         "this iperf3 does not tell what arrived; it was computed as what was sent less the lost datagrams");
  }

  void flag(Quality code, const std::string& message) {
    add_flag(report_.flags, code, fmt::format("{}: {}", to_string(direction_), message));
  }

  [[nodiscard]] Totals sum_of_end() const {
    Totals sum;
    sum.direction = direction_;
    if (sent_ != nullptr) {
      sum.seconds = sent_->seconds;
      sum.sent_bytes = sent_->bytes;
      sum.sent_bits_per_second = sent_->bits_per_second;
      sum.retransmits = sent_->retransmits;
    }
    if (received_ != nullptr) {
      if (received_->seconds) sum.seconds = received_->seconds;
      sum.received_bytes = received_->bytes;
      sum.received_bits_per_second = received_->bits_per_second;
    }
    return sum;
  }

  [[nodiscard]] Totals stream_totals(const StreamFigures& stream) const {
    const bool sends = direction_ == Direction::send;
    Totals totals;
    totals.direction = direction_;
    totals.stream = speaker_of(stream)->socket;
    if (const Figures* sender = known(stream.udp ? stream.udp : stream.sender, sends)) {
      totals.seconds = sender->seconds;
      totals.sent_bytes = sender->bytes;
      totals.sent_bits_per_second = sender->bits_per_second;
      totals.retransmits = sender->retransmits;
    }
    if (const Figures* receiver = known(stream.receiver, !sends)) {
      totals.seconds = receiver->seconds;
      totals.received_bytes = receiver->bytes;
      totals.received_bits_per_second = receiver->bits_per_second;
    }
    const auto counted = totals.stream ? intervals_.streams.find(*totals.stream) : intervals_.streams.end();
    if (counted == intervals_.streams.end()) return totals;
    const CountedPart& part = counted->second;
    if (sends) {
      // iperf3's own extremes at the end include the omitted part.
      totals.max_snd_cwnd = part.max_snd_cwnd;
      totals.min_rtt = part.min_rtt;
      totals.mean_rtt = part.mean_rtt;
      totals.max_rtt = part.max_rtt;
    } else if (stream.udp) {
      // At the end a UDP stream has only the sender's bytes; the received bytes come from its intervals.
      totals.received_bytes = part.bytes;
      if (part.covered_s > 0) {
        totals.received_bits_per_second = 8 * static_cast<double>(part.bytes) / part.covered_s;
      }
    }
    return totals;
  }

  // Compares the client's own bytes from three sources, and the far side's from two.
  void check_bytes(Totals& sum) {
    const bool sends = direction_ == Direction::send;
    check_against_streams(sum.sent_bytes, sum.sent_bits_per_second, &Totals::sent_bytes, "sent", sends,
                          sum.seconds);
    check_against_streams(sum.received_bytes, sum.received_bits_per_second, &Totals::received_bytes,
                          "received", !sends, sum.seconds);
    auto& bytes = sends ? sum.sent_bytes : sum.received_bytes;
    auto& rate = sends ? sum.sent_bits_per_second : sum.received_bits_per_second;
    if (!bytes || counted_.intervals == 0 || agree(*bytes, counted_.bytes)) return;
    const std::uint64_t with_omitted = counted_.bytes + counted_.omitted_bytes;
    const bool holds_omitted = counted_.omitted_bytes > 0 && agree(*bytes, with_omitted);
    flag(Quality::sums_disagree,
         fmt::format(
             "iperf3's end has {} bytes {}, its counted intervals {}; {}", *bytes,
             sends ? "sent" : "received", counted_.bytes,
             holds_omitted
                 ? "the end holds the omitted part too, so the intervals were used"
                 : "the end was used, since intervals can be lost, repeated or cut by the omitted part"));
    if (holds_omitted) {
      bytes = counted_.bytes;
      if (counted_.covered_s > 0) rate = 8 * static_cast<double>(counted_.bytes) / counted_.covered_s;
    }
  }

  void check_against_streams(std::optional<std::uint64_t>& bytes, std::optional<double>& rate,
                             std::optional<std::uint64_t> Totals::* member, const char* what, bool own,
                             std::optional<double> seconds) {
    std::optional<std::uint64_t> streams;
    for (const Totals& stream : streams_) {
      if (!(stream.*member)) return;  // not every stream has it
      streams = streams.value_or(0) + *(stream.*member);
    }
    if (!bytes || !streams || agree(*bytes, *streams)) return;
    const bool use_streams = own && counted_.intervals > 0 && agree(*streams, counted_.bytes);
    flag(Quality::sums_disagree,
         fmt::format(
             "iperf3's sum has {} bytes {}, its streams together {}; {}", *bytes, what, *streams,
             use_streams ? "the intervals agree with the streams, so those were used" : "the sum was used"));
    if (use_streams) {
      bytes = streams;
      if (seconds && *seconds > 0) rate = 8 * static_cast<double>(*streams) / *seconds;
    }
  }

  void check_retransmits(const Totals& sum) {
    constexpr std::uint64_t kFew = 10;  // a few more occur between the last interval and the end
    if (direction_ != Direction::send || !sum.retransmits || !counted_.retransmits) return;
    const std::uint64_t end = *sum.retransmits;
    const std::uint64_t counted = *counted_.retransmits;
    if (agree(end, counted) || std::max(end, counted) - std::min(end, counted) <= kFew) return;
    flag(Quality::sums_disagree,
         fmt::format("iperf3's end has {} retransmits, its counted intervals {}; the end was used", end,
                     counted));
  }

  void add_loss(Totals& sum) {
    const UdpLoss loss = udp_loss(
        {.sent = sent_, .received = received_, .block_bytes = document_.block_bytes, .seconds = sum.seconds});
    sum.packets = loss.packets;
    sum.lost_packets = loss.lost;
    sum.lost_percent = loss.lost_percent;
    sum.jitter_ms = received_ != nullptr ? received_->jitter_ms : std::nullopt;
    if (!loss.disagreement.empty()) flag(Quality::loss_disagrees, loss.disagreement);
    if (!loss.lost) flag(Quality::loss_unknown, "the receiver never told what it lost");
    const bool streams_hold = loss.lost && loss.disagreement.empty();
    auto stream = streams_.begin();
    for (const StreamFigures& figures : document_.streams) {
      const Figures* speaker = speaker_of(figures);
      if (speaker == nullptr || direction_of(*speaker, asked_) != direction_) continue;
      if (figures.udp) add_stream_loss(*figures.udp, streams_hold, sum, *stream);
      ++stream;
    }
  }

  // A stream's loss is in the object with the sender's bytes. If the sum of the losses is wrong, so is each
  // loss.
  void add_stream_loss(const Figures& udp, bool holds, Totals& sum, Totals& stream) const {
    if (sent_ != nullptr) stream.packets = packets_sent(udp, document_.block_bytes);
    if (received_ == nullptr) return;
    stream.jitter_ms = udp.jitter_ms;
    stream.out_of_order = udp.out_of_order;
    if (udp.out_of_order) sum.out_of_order = sum.out_of_order.value_or(0) + *udp.out_of_order;
    if (!holds || !udp.lost_packets) return;
    stream.lost_packets = udp.lost_packets;
    if (stream.packets && *stream.packets > 0) {
      stream.lost_percent =
          100 * static_cast<double>(*udp.lost_packets) / static_cast<double>(*stream.packets);
    }
  }

  // Summarizes congestion window and round-trip times over the streams.
  void add_path(Totals& sum) const {
    std::uint64_t rtt_sum = 0;
    std::uint64_t rtt_count = 0;
    for (const Totals& stream : streams_) {
      if (stream.max_snd_cwnd)
        sum.max_snd_cwnd = std::max(sum.max_snd_cwnd.value_or(0), *stream.max_snd_cwnd);
      if (stream.min_rtt) sum.min_rtt = std::min(sum.min_rtt.value_or(*stream.min_rtt), *stream.min_rtt);
      if (stream.max_rtt) sum.max_rtt = std::max(sum.max_rtt.value_or(0), *stream.max_rtt);
      if (!stream.mean_rtt) continue;
      rtt_sum += *stream.mean_rtt;
      ++rtt_count;
    }
    if (rtt_count > 0) sum.mean_rtt = rtt_sum / rtt_count;
  }

  void flag_unknown(const Totals& sum) {
    if (!sum.received_bytes) {
      flag(Quality::receiver_unknown, "the receiver never told what arrived; there is only what was sent");
    }
    if (!sum.sent_bytes) {
      flag(Quality::sender_unknown, "the sender never told what it sent; there is only what arrived");
    } else if (asked_.protocol == Protocol::tcp && !sum.retransmits) {
      flag(Quality::retransmits_unknown, "the sender's kernel told no retransmits");
    }
    if (asked_.protocol == Protocol::udp || !sum.sent_bytes || !sum.received_bytes) return;
    const auto sent = static_cast<double>(*sum.sent_bytes);
    const auto received = static_cast<double>(*sum.received_bytes);
    if (sent - received <= kSentAboveReceived * sent) return;
    flag(Quality::sent_above_received,
         fmt::format(
             "{} bytes were sent and {} had arrived when the test ended; the throughput is what arrived",
             *sum.sent_bytes, *sum.received_bytes));
  }
};

}  // namespace

bool far_side_answered(const Iperf3Document& document, const Iperf3Spec& asked) {
  if (document.cpu_remote_percent.value_or(0) > 0) return true;
  const auto groups = end_groups(document, asked);
  return std::any_of(groups.begin(), groups.end(), [](const EndGroup& group) {
    const Figures* far = far_figures(group);
    return far != nullptr && far->bytes.value_or(0) > 0;
  });
}

void add_totals(const Iperf3Document& document, const Iperf3Spec& asked, const IntervalTotals& intervals,
                Iperf3Report& report) {
  const bool answered = far_side_answered(document, asked);
  for (const EndGroup& group : end_groups(document, asked)) {
    DirectionTotals(document, asked, intervals, group, answered, report).add();
  }
}

}  // namespace netperfd::workload
