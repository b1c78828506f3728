// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "daemon/workload/iperf3/end.hpp"
#include "daemon/workload/iperf3/impossible.hpp"
#include "daemon/workload/iperf3/times.hpp"
#include "daemon/workload/iperf3/udp_loss.hpp"
#include "daemon/workload/quality_flags.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::workload {
namespace {

constexpr double kSumTolerance = 0.01;  // between two ways to compute the same sum
constexpr double kSentAboveReceived = 0.05;

bool agree(std::uint64_t a, std::uint64_t b) {
  const auto larger = static_cast<double>(std::max(a, b));
  return larger - static_cast<double>(std::min(a, b)) <= kSumTolerance * larger;
}

// ---- One direction ----------------------------------------------------------------------------------------

class DirectionTotals {
 public:
  DirectionTotals(const Iperf3Document& document, const TestSpec& asked, const IntervalTotals& intervals,
                  const EndGroup& group, bool answered, ParsedReport& parsed)
      : document_(document),
        asked_(asked),
        intervals_(intervals),
        counted_(group.direction == Direction::send ? intervals.send : intervals.receive),
        direction_(group.direction),
        sends_(writer_sends(document, group.direction)),
        answered_(answered),
        possible_(document, asked),
        witnesses_(time_witnesses(document, asked, counted_, group.direction)),
        report_(parsed.report),
        flags_(parsed.flags) {
    sent_ = timed(known(group.figures->sent, sends_), !sends_, of_sender_);
    received_ = timed(known(group.figures->received, !sends_), sends_, of_receiver_);
    if (is_sum_alone(*group.figures, asked.traffic.protocol)) take_sum_alone(group.figures->sum);
    drop_silent_receiver();
  }

  void add() {
    Totals sum = sum_of_end();
    for (const StreamFigures& stream : document_.streams) {
      const Figures* speaker = speaker_of(stream);
      if (speaker != nullptr && direction_of(*speaker, asked_) == direction_)
        streams_.push_back(stream_totals(stream));
    }
    check_bytes(sum);
    check_rates(sum);
    check_retransmits(sum);
    if (asked_.traffic.protocol == Protocol::udp) add_loss(sum);
    add_path(sum);
    drop_impossible(sum);
    flag_unknown(sum);
    report_.sums.push_back(sum);
    report_.streams.insert(report_.streams.end(), streams_.begin(), streams_.end());
  }

 private:
  const Iperf3Document& document_;
  const TestSpec& asked_;
  const IntervalTotals& intervals_;
  const CountedPart& counted_;
  Direction direction_;
  bool sends_;  // who wrote the document
  bool answered_;
  Possible possible_;
  const Figures* sent_ = nullptr;
  const Figures* received_ = nullptr;
  Figures of_sender_, of_receiver_;  // used if iperf3 has none, or a time that cannot be
  TimeWitnesses witnesses_;
  std::string wrong_time_;  // the last one that was flagged
  WorkloadReport& report_;
  std::vector<QualityFlag>& flags_;
  std::vector<Totals> streams_;

  // A server that learnt of one direction prints 0 bytes for the other all the same.
  [[nodiscard]] const Figures* known(const std::optional<Figures>& figures, bool own) const {
    const bool never_learnt = document_.of_server && figures && figures->bytes.value_or(0) == 0;
    return own || (answered_ && !never_learnt) ? pointer(figures) : nullptr;
  }

  // The figures, with a time that is possible, if need be in `mended`.
  [[nodiscard]] const Figures* timed(const Figures* figures, bool far, Figures& mended) {
    if (figures == nullptr || !has_time(*figures, far)) return figures;
    const JudgedTime time = judge_time(*figures->seconds, far, witnesses_);
    if (time.contradiction.empty()) return figures;
    if (time.contradiction != wrong_time_) flag(Quality::sums_disagree, time.contradiction);
    wrong_time_ = time.contradiction;
    mended = *figures;
    mended.seconds = time.seconds;
    if (!time.seconds) mended.bits_per_second.reset();
    return &mended;
  }

  // The same for a stream, whose sum has the flag.
  void set_time(const Figures& figures, bool far, Totals& totals, std::optional<double>& rate) const {
    Figures timed = figures;
    if (has_time(figures, far)) {
      timed.seconds = judge_time(*figures.seconds, far, witnesses_).seconds;
      if (!timed.seconds) timed.bits_per_second.reset();
    }
    if (timed.seconds) totals.seconds = timed.seconds;
    rate = rate_of(timed);
  }

  // For a receiving client, the received bytes are then taken from the intervals.
  void take_sum_alone(const std::optional<Figures>& sum) {
    sent_ = timed(known(sum, sends_), !sends_, of_sender_);
    const bool told = sum->lost_packets.value_or(0) != 0 || sum->jitter_ms.value_or(0) != 0;
    if (sends_ && !(document_.of_server ? told : answered_)) return;
    of_receiver_.jitter_ms = sum->jitter_ms;
    of_receiver_.lost_packets = sum->lost_packets;
    if (sends_) {
      of_receiver_.bytes = bytes_less_lost(*sum, document_.block_bytes);
    } else if (counted_.intervals > 0) {
      of_receiver_.bytes = counted_.bytes;
    }
    const double seconds = sends_ ? sent_->seconds.value_or(0) : counted_.covered_s;
    if (of_receiver_.bytes && seconds > 0) {
      of_receiver_.bits_per_second = 8 * static_cast<double>(*of_receiver_.bytes) / seconds;
    }
    received_ = &of_receiver_;
    if (sent_ == nullptr) of_receiver_.seconds = seconds > 0 ? seconds : sum->seconds;
    if (!sends_ || !of_receiver_.bytes) return;
    flag(Quality::receiver_computed,
         "this iperf3 does not tell what arrived; it was computed as what was sent less the lost datagrams");
  }

  void flag(Quality code, const std::string& message) {
    add_flag(flags_, code, fmt::format("{}: {}", to_string(direction_), message));
  }

  // A UDP receiver that never answered, and one that saw no datagram at all and so no gap either, report the
  // same: nothing received, nothing lost. A kernel that took data from a TCP sender delivered some of it.
  void drop_silent_receiver() {
    if (!sends_ || sent_ == nullptr || received_ == nullptr || received_->bytes.value_or(1) != 0) return;
    const std::uint64_t sent = sent_->bytes.value_or(0);
    constexpr std::uint64_t kFewBlocks = 10;
    const bool udp = asked_.traffic.protocol == Protocol::udp && received_->lost_packets.value_or(0) == 0 &&
                     sent > kFewBlocks * document_.block_bytes.value_or(1);
    const bool other = asked_.traffic.protocol != Protocol::udp && possible_.is_received_too_little(sent, 0);
    if (!udp && !other) return;
    flag(
        Quality::impossible_figures,
        fmt::format("the receiver reports that of {} bytes sent none arrived{}; what arrived is taken as not "
                    "known",
                    sent, udp ? " and no datagram was lost" : ""));
    received_ = nullptr;
  }

  // Sets aside what contradicts the rest beyond any accident.
  void drop_impossible(Totals& sum) {
    SetAside aside;
    possible_.clear(sum, aside);
    for (Totals& stream : streams_) possible_.clear(stream, aside);
    aside.flag(flags_);
    if (!sum.sent_bytes || !sum.received_bytes) return;
    if (!possible_.is_received_too_much(*sum.sent_bytes, *sum.received_bytes)) return;
    flag(Quality::impossible_figures,
         fmt::format(
             "{} bytes received of {} sent are more than buffers explain; what the {} counted is taken "
             "as not known",
             *sum.received_bytes, *sum.sent_bytes, sends_ ? "receiver" : "sender"));
    (sends_ ? sum.received_bytes : sum.sent_bytes).reset();
    (sends_ ? sum.received_bits_per_second : sum.sent_bits_per_second).reset();
    if (!sends_) return;
    sum.lost_packets.reset();
    sum.lost_percent.reset();
  }

  [[nodiscard]] Totals sum_of_end() const {
    Totals sum;
    sum.direction = direction_;
    if (sent_ != nullptr) {
      sum.seconds = sent_->seconds;
      sum.sent_bytes = sent_->bytes;
      sum.sent_bits_per_second = rate_of(*sent_);
      sum.retransmits = sent_->retransmits;
    }
    if (received_ != nullptr) {
      if (received_->seconds) sum.seconds = received_->seconds;
      sum.received_bytes = received_->bytes;
      sum.received_bits_per_second = rate_of(*received_);
    }
    return sum;
  }

  [[nodiscard]] Totals stream_totals(const StreamFigures& stream) const {
    Totals totals;
    totals.direction = direction_;
    totals.stream = speaker_of(stream)->socket;
    if (const Figures* sender = known(stream.udp ? stream.udp : stream.sender, sends_)) {
      totals.sent_bytes = sender->bytes;
      set_time(*sender, !sends_, totals, totals.sent_bits_per_second);
      totals.retransmits = sender->retransmits;
    }
    if (const Figures* receiver = known(stream.receiver, !sends_)) {
      totals.received_bytes = receiver->bytes;
      set_time(*receiver, sends_, totals, totals.received_bits_per_second);
    }
    const auto counted = totals.stream ? intervals_.streams.find(*totals.stream) : intervals_.streams.end();
    if (counted == intervals_.streams.end()) return totals;
    const CountedPart& part = counted->second;
    if (sends_) {
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
    check_against_streams(sum.sent_bytes, sum.sent_bits_per_second, &Totals::sent_bytes, "sent", sends_,
                          sum.seconds);
    check_against_streams(sum.received_bytes, sum.received_bits_per_second, &Totals::received_bytes,
                          "received", !sends_, sum.seconds);
    auto& bytes = sends_ ? sum.sent_bytes : sum.received_bytes;
    auto& rate = sends_ ? sum.sent_bits_per_second : sum.received_bits_per_second;
    if (!bytes || counted_.intervals == 0 || agree(*bytes, counted_.bytes)) return;
    const std::uint64_t with_omitted = counted_.bytes + counted_.omitted_bytes;
    const bool holds_omitted = counted_.omitted_bytes > 0 && agree(*bytes, with_omitted);
    // What the far side counted decides, where the intervals agree with it.
    const auto& far = sends_ ? sum.received_bytes : sum.sent_bytes;
    const bool far_agrees = !holds_omitted && far && agree(*far, counted_.bytes);
    const Figures* own = sends_ ? sent_ : received_;
    const bool rate_agrees =
        !holds_omitted && !far_agrees && own != nullptr && told_by_rate(*own, counted_.bytes);
    flag(Quality::sums_disagree,
         fmt::format(
             "iperf3's end has {} bytes {}, its counted intervals {}; {}", *bytes,
             sends_ ? "sent" : "received", counted_.bytes,
             holds_omitted ? "the end holds the omitted part too, so the intervals were used"
             : far_agrees  ? "the other side agrees with the intervals, so those were used"
             : rate_agrees
                 ? "the rate of the end agrees with the intervals, so those were used"
                 : "the end was used, since intervals can be lost, repeated or cut by the omitted part"));
    if (holds_omitted || far_agrees || rate_agrees) {
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
    const Figures* side = (own == sends_) ? sent_ : received_;
    const bool intervals_agree = own && counted_.intervals > 0 && agree(*streams, counted_.bytes);
    const bool rate_agrees = !intervals_agree && side != nullptr && told_by_rate(*side, *streams);
    const bool use_streams = intervals_agree || rate_agrees;
    flag(Quality::sums_disagree,
         fmt::format("iperf3's sum has {} bytes {}, its streams together {}; {}", *bytes, what, *streams,
                     intervals_agree ? "the intervals agree with the streams, so those were used"
                     : rate_agrees   ? "the rate of the sum agrees with the streams, so those were used"
                                     : "the sum was used"));
    if (use_streams) {
      bytes = streams;
      if (seconds && *seconds > 0) rate = 8 * static_cast<double>(*streams) / *seconds;
    }
  }

  // Flags a rate of iperf3's that its bytes and its time contradict.
  void check_rates(const Totals& sum) {
    constexpr double kTolerance = 0.1;
    const auto check = [&](const Figures* side, const std::optional<std::uint64_t>& bytes,
                           const std::optional<double>& rate, const char* what) {
      if (side == nullptr || !side->bits_per_second || side->seconds.value_or(0) <= 0 || !rate) return;
      if (bytes != side->bytes || side == &of_sender_ || side == &of_receiver_) return;  // has its own flag
      if (std::abs(*side->bits_per_second - *rate) <= kTolerance * *rate) return;
      flag(Quality::sums_disagree,
           fmt::format("iperf3's end gives a rate of {} bit/s for {} bytes {} in {} s; those are {} bit/s, "
                       "which was used",
                       rows::plain_number(*side->bits_per_second, 4), *bytes, what,
                       rows::plain_number(*side->seconds, 4), rows::plain_number(*rate, 4)));
    };
    check(sent_, sum.sent_bytes, sum.sent_bits_per_second, "sent");
    check(received_, sum.received_bytes, sum.received_bits_per_second, "received");
  }

  void check_retransmits(const Totals& sum) {
    constexpr std::uint64_t kFew = 10;  // a few more occur between the last interval and the end
    if (!sends_ || !sum.retransmits || !counted_.retransmits) return;
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
    if (!loss.impossible.empty()) flag(Quality::impossible_figures, loss.impossible);
    if (!loss.disagreement.empty()) flag(Quality::loss_disagrees, loss.disagreement);
    if (!loss.lost && loss.impossible.empty())
      flag(Quality::loss_unknown, "the receiver never told what it lost");
    const bool streams_hold = loss.lost && loss.disagreement.empty() && loss.impossible.empty();
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
    } else if (asked_.traffic.protocol == Protocol::tcp && !sum.retransmits) {
      flag(Quality::retransmits_unknown, "the sender's kernel told no retransmits");
    }
    if (asked_.traffic.protocol == Protocol::udp || !sum.sent_bytes || !sum.received_bytes) return;
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

void add_totals(const Iperf3Document& document, const TestSpec& asked, const IntervalTotals& intervals,
                ParsedReport& parsed) {
  const bool answered = far_side_answered(document, asked);
  for (const EndGroup& group : end_groups(document, asked)) {
    DirectionTotals(document, asked, intervals, group, answered, parsed).add();
  }
}

}  // namespace netperfd::workload
