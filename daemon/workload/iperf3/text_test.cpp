// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/text_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "daemon/workload/iperf3/stream_sums.hpp"
#include "daemon/workload/quality_flags.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::workload {
namespace {

// The length of a test, which is printed with two decimals. Of a short one, bytes and rate tell it better.
double length_of(const TextRow& row) {
  constexpr double kShort = 1;
  constexpr double kPrinted = 0.011;  // of both ends
  const double printed = *row.figures.end - *row.figures.start;
  if (printed >= kShort || !row.figures.bytes || row.figures.bits_per_second.value_or(0) <= 0) return printed;
  const double computed = 8 * static_cast<double>(*row.figures.bytes) / *row.figures.bits_per_second;
  return std::abs(computed - printed) <= kPrinted + 0.01 * printed ? computed : printed;
}

bool is_of_udp(std::optional<TextTable> table) {
  return table == TextTable::datagrams || table == TextTable::loss || table == TextTable::both;
}

// Datagrams are counted exactly, and all have one size.
void set_exact_bytes(std::optional<std::uint64_t> block_bytes, double half_unit, Figures& figures) {
  if (block_bytes.value_or(0) == 0 || !figures.packets || !figures.bytes) return;
  const auto lost = static_cast<double>(std::max<std::int64_t>(figures.lost_packets.value_or(0), 0));
  const double datagrams = static_cast<double>(*figures.packets) - lost;
  const double exact = datagrams * static_cast<double>(*block_bytes);
  if (exact < 0 || std::abs(exact - static_cast<double>(*figures.bytes)) > half_unit + 1) return;
  figures.bytes = static_cast<std::uint64_t>(exact);
}

}  // namespace

void TextTestBuilder::begin_table(TextTable table) {
  // Only the rows at the end have a head of their own.
  if (has_rows()) in_end_ = true;
  (in_end_ ? end_table_ : table_) = table;
}

bool TextTestBuilder::add(const TextRow& row) {
  ++rows_;
  has_roles_ = has_roles_ || row.has_role;
  document.of_server = document.of_server || row.by_server;
  document.repaired_tokens += row.not_numbers;
  const bool is_both = in_end_ && row.figures.jitter_ms;
  if (is_both || row.side != TextSide::none) return add_end(row);
  const double start = *row.figures.start;
  const bool omitted = row.figures.omitted.value_or(false);
  if (row.figures.socket) {
    const auto [latest, is_first] = latest_.try_emplace(*row.figures.socket, start, omitted);
    const bool begins_anew = latest->second.second && !omitted;
    if (!is_first && start < latest->second.first && !begins_anew) return false;
    latest->second = {start, omitted};
  }
  const auto has = [&](const std::vector<TextRow>& rows) {
    return std::ranges::any_of(rows, [&](const TextRow& other) {
      return other.figures.socket == row.figures.socket && other.of_client_sending == row.of_client_sending;
    });
  };
  const auto is_next = [&](const Rows& rows) {
    const TextRow& first = rows.streams.empty() ? rows.sums.front() : rows.streams.front();
    return first.figures.start != row.figures.start || first.figures.omitted != row.figures.omitted ||
           has(row.figures.socket ? rows.streams : rows.sums);
  };
  if (intervals_.empty() || is_next(intervals_.back())) intervals_.emplace_back();
  Rows& rows = intervals_.back();
  (row.figures.socket ? rows.streams : rows.sums).push_back(row);
  return true;
}

TextTestBuilder::EndRows& TextTestBuilder::end_of(const TextRow& row) {
  const auto found = std::ranges::find_if(end_, [&](const EndRows& rows) {
    return rows.socket == row.figures.socket && rows.of_client_sending == row.of_client_sending;
  });
  if (found != end_.end()) return *found;
  end_.push_back({.socket = row.figures.socket,
                  .of_client_sending = row.of_client_sending,
                  .sender = {},
                  .receiver = {},
                  .both = {},
                  .out_of_order = {}});
  return end_.back();
}

bool TextTestBuilder::add_end(const TextRow& row) {
  in_end_ = true;
  EndRows& rows = end_of(row);
  auto& place = row.side == TextSide::sender     ? rows.sender
                : row.side == TextSide::receiver ? rows.receiver
                                                 : rows.both;
  if (place) return false;
  place = row;
  return true;
}

void TextTestBuilder::add_out_of_order(const TextRow& row) {
  if (has_end()) end_of(row).out_of_order = row.figures.out_of_order;
}

void TextTestBuilder::add_unreadable(std::size_t line) {
  if (document.unreadable_values++ == 0) document.first_unreadable = fmt::format("line {}", line);
}

// Before 3.18, SCTP prints what TCP prints where its sender knows no retransmits. Later it prints a count of
// them in a table without such a column.
void TextTestBuilder::decide_protocol() {
  const auto has_jitter = [](const std::optional<TextRow>& row) { return row && row->figures.jitter_ms; };
  const auto has_loss = [&](const EndRows& rows) {
    return has_jitter(rows.sender) || has_jitter(rows.receiver) || has_jitter(rows.both);
  };
  if (document.protocol.empty()) {
    const auto has_count = [](const EndRows& rows) {
      return rows.sender && (rows.sender->count || rows.sender->not_counted);
    };
    const bool counts = std::ranges::any_of(end_, has_count);
    if (is_of_udp(table_) || is_of_udp(end_table_) || std::ranges::any_of(end_, has_loss)) {
      document.protocol = "UDP";
    } else if (counts && end_table_ == TextTable::plain) {
      document.protocol = "SCTP";
    } else {
      protocol_assumed_ = table_ != TextTable::retr && end_table_ != TextTable::retr && !counts;
      document.protocol = "TCP";
    }
  }
  udp_ = document.protocol == "UDP";
}

// Of a test in one direction.
bool TextTestBuilder::writer_sends() const {
  if (has_head && !document.of_server) return !reverse;
  if (table_) {
    if (*table_ == TextTable::retr || *table_ == TextTable::datagrams) return true;
    if (*table_ == TextTable::loss || document.of_server) return false;
    return end_table_ != TextTable::retr;  // the far side told its retransmits
  }
  const auto moved = [&](std::optional<TextRow> EndRows::* side) {
    return std::ranges::any_of(
        end_, [&](const EndRows& rows) { return rows.*side && (rows.*side)->figures.bytes.value_or(0) > 0; });
  };
  return !document.of_server || (moved(&EndRows::sender) && !moved(&EndRows::receiver));
}

bool TextTestBuilder::client_sends(const TextRow& row) const {
  return has_roles_ ? row.of_client_sending : document.reverse.value_or(0) == 0;
}

Figures TextTestBuilder::figures_of(const TextRow& row) const {
  Figures figures = row.figures;
  if (row.count) (udp_ ? figures.packets : figures.retransmits) = row.count;
  if (row.side == TextSide::sender) {
    figures.lost_packets.reset();
    figures.jitter_ms.reset();
  }
  figures.seconds = length_of(row);
  if (udp_) set_exact_bytes(document.block_bytes, row.bytes_half_unit, figures);
  figures.sender = client_sends(row);
  return figures;
}

std::optional<Figures> TextTestBuilder::figures_of(const std::optional<TextRow>& row) const {
  return row ? std::optional(figures_of(*row)) : std::nullopt;
}

IntervalFigures TextTestBuilder::interval_of(const Rows& rows) const {
  IntervalFigures interval;
  for (const TextRow& row : rows.streams) {
    Figures figures = figures_of(row);
    figures.seconds.reset();
    interval.streams.push_back(figures);
  }
  for (const bool sender : {true, false}) {
    const auto is_here = [&](const TextRow& row) { return client_sends(row) == sender; };
    const auto sum = std::ranges::find_if(rows.sums, is_here);
    if (sum != rows.sums.end()) {
      interval.sums.push_back(figures_of(*sum));
    } else if (const auto streams = std::ranges::count_if(rows.streams, is_here); streams > 0) {
      // iperf3 prints no sum of one.
      interval.sums.push_back(sum_of_streams(interval.streams, sender));
      const auto only = std::ranges::find(interval.streams, std::optional(sender), &Figures::sender);
      if (streams == 1) interval.sums.back().jitter_ms = only->jitter_ms;
      interval.sums_computed = interval.sums_computed || streams > 1;
    }
    if (!interval.sums.empty()) interval.sums.back().seconds.reset();
  }
  return interval;
}

StreamFigures TextTestBuilder::stream_of(const EndRows& rows) const {
  StreamFigures stream{
      .sender = figures_of(rows.sender), .receiver = figures_of(rows.receiver), .udp = std::nullopt};
  if (!udp_) return stream;
  stream.udp = stream.sender ? stream.sender : rows.both ? figures_of(rows.both) : stream.receiver;
  if (!stream.udp) return stream;
  if (stream.receiver) {
    stream.udp->jitter_ms = stream.receiver->jitter_ms;
    stream.udp->lost_packets = stream.receiver->lost_packets;
  }
  stream.udp->out_of_order = rows.out_of_order;
  return stream;
}

// What arrived follows from what was sent and the share that was lost.
void TextTestBuilder::take_both(const Figures& row, bool writer_sends, EndFigures& end) {
  const bool told = row.bytes && row.packets && row.lost_packets && *row.packets > 0 &&
                    *row.lost_packets >= 0 && !std::cmp_greater(*row.lost_packets, *row.packets);
  if (!writer_sends || !told) {
    end.sum = row;
    return;
  }
  end.sent = row;
  end.sent->lost_packets.reset();
  end.sent->jitter_ms.reset();
  end.received = row;
  const double arrived = 1 - static_cast<double>(*row.lost_packets) / static_cast<double>(*row.packets);
  end.received->bytes = static_cast<std::uint64_t>(std::llround(arrived * static_cast<double>(*row.bytes)));
  if (row.bits_per_second) end.received->bits_per_second = arrived * *row.bits_per_second;
  receiver_computed_ = true;
}

EndFigures TextTestBuilder::direction_of(bool client_sends) {
  EndFigures end;
  std::optional<Figures> both;
  const auto take = [&](std::optional<TextRow> EndRows::* side, std::optional<Figures>& figures) {
    std::vector<Figures> streams;
    for (const EndRows& rows : end_) {
      if (!(rows.*side) || this->client_sends(*(rows.*side)) != client_sends) continue;
      const TextRow& row = *(rows.*side);
      if (!rows.socket) {
        figures = figures_of(row);
        note_rounding(row);
        return;
      }
      streams.push_back(figures_of(row));
      note_rounding(row);
    }
    if (streams.size() == 1) figures = streams.front();
    if (streams.size() > 1) figures = sum_of_streams(streams, client_sends);
  };
  take(&EndRows::sender, end.sent);
  take(&EndRows::receiver, end.received);
  take(&EndRows::both, both);
  if (both && !end.sent && !end.received) take_both(*both, client_sends != document.of_server, end);
  return end;
}

void TextTestBuilder::count_streams() {
  if (document.num_streams) return;
  std::map<bool, std::set<std::int64_t>> sockets;
  for (const Rows& rows : intervals_) {
    for (const TextRow& row : rows.streams) sockets[client_sends(row)].insert(*row.figures.socket);
  }
  for (const EndRows& rows : end_) {
    if (rows.socket) sockets[rows.of_client_sending].insert(*rows.socket);
  }
  std::size_t streams = 0;
  for (const auto& [sends, of_direction] : sockets) streams = std::max(streams, of_direction.size());
  if (streams > 0) document.num_streams = streams;
}

void TextTestBuilder::note_rounding(const TextRow& row) {
  const auto note = [](double& largest, double half_unit, std::optional<double> value) {
    if (value && *value > 0) largest = std::max(largest, half_unit / *value);
  };
  const Figures figures = figures_of(row);
  if (figures.bytes == row.figures.bytes && figures.bytes)
    note(bytes_rounding_, row.bytes_half_unit, static_cast<double>(*figures.bytes));
  note(rate_rounding_, row.rate_half_unit, figures.bits_per_second);
}

std::vector<QualityFlag> TextTestBuilder::flags() const {
  std::vector<QualityFlag> flags;
  add_flag(
      flags, Quality::rounded_figures,
      fmt::format("iperf3's text for people rounds its figures: those of the end are known to {} % "
                  "(bytes) and {} % (rates)",
                  rows::plain_number(100 * bytes_rounding_, 2), rows::plain_number(100 * rate_rounding_, 2)));
  if (!has_options) {
    add_flag(flags, Quality::options_unknown,
             fmt::format("the text does not tell the options of its test, since it is not that of iperf3 -V: "
                         "neither how long it was to last nor its block length or bitrate{}",
                         protocol_assumed_ ? "; TCP is assumed, and SCTP would look alike" : ""));
  }
  if (receiver_computed_) {
    add_flag(flags, Quality::receiver_computed,
             "this iperf3 does not tell what arrived; it was computed as what was sent less the share that "
             "was lost");
  }
  return flags;
}

TextTestBuilder::Built TextTestBuilder::build() && {
  decide_protocol();
  if (has_roles_) {
    document.bidirectional = 1;
  } else {
    document.reverse = writer_sends() == document.of_server ? 1 : 0;
  }
  for (const Rows& rows : intervals_) document.intervals.push_back(interval_of(rows));
  double omitted_s = 0;
  for (const IntervalFigures& interval : document.intervals) {
    const auto& figures = interval.sums.front();
    if (figures.omitted.value_or(false)) omitted_s = *figures.end;
  }
  if (!document.omit_s && omitted_s > 0) document.omit_s = std::ceil(omitted_s - 0.05);  // whole seconds
  for (const EndRows& rows : end_) {
    if (rows.socket) document.streams.push_back(stream_of(rows));
  }
  if (has_roles_) {
    document.end = direction_of(true);
    document.end_reverse = direction_of(false);
  } else {
    document.end = direction_of(document.reverse == 0);
  }
  count_streams();
  drop_unknown_of_sctp(document);
  document.found = document.complete = true;
  document.documents = document.runs = 1;
  auto told = flags();
  return {.document = std::move(document), .flags = std::move(told)};
}

}  // namespace netperfd::workload
