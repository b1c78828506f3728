// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/show_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::show {
namespace {

std::string rtt_text(std::uint64_t microseconds) {
  return format_milliseconds(static_cast<double>(microseconds) / 1000);
}

std::string without_unit(const std::string& figure) {
  return figure.substr(0, figure.find(' '));
}

struct Rates {
  std::vector<double> means;  // of the points
  double lowest = std::numeric_limits<double>::max(), highest = std::numeric_limits<double>::lowest();
};

// Rates of the direction's counted intervals as one side, sender or receiver, saw them.
Rates interval_rates(const ShowView& view, const SumView& sum, bool sender) {
  Rates rates;
  for (const IntervalPointView& point : view.over_time.points) {
    if (point.direction != sum.direction || point.sender != sender || point.omitted) continue;
    if (!point.bits_per_second || !point.lowest_bits_per_second || !point.highest_bits_per_second) continue;
    rates.means.push_back(*point.bits_per_second);
    rates.lowest = std::min(rates.lowest, *point.lowest_bits_per_second);
    rates.highest = std::max(rates.highest, *point.highest_bits_per_second);
  }
  return rates;
}

// "79.6 Mbit/s   ▃▅▆▆▅▆▆▇▆▆   lowest 74.0, highest 83.2"
std::string rate_words(const Screen& screen, const std::optional<double>& rate, const Rates& rates) {
  std::string text = rate ? format_rate(*rate) : "not known";
  if (rates.means.size() < 2) return text;
  std::string extremes =
      fmt::format("lowest {}, highest {}", format_rate_like(rates.lowest, rate.value_or(rates.highest)),
                  rate ? format_rate_like(rates.highest, *rate) : format_rate(rates.highest));
  constexpr std::size_t kGaps = 6;
  constexpr std::size_t kMostCells = 40;
  const std::size_t taken = kKeyColumns + text.size() + kGaps + extremes.size();
  const std::size_t room = prose_width(screen) - std::min(prose_width(screen), taken);
  const std::string picture = sparkline(screen, rates.means, std::min(room, kMostCells));
  return fmt::format("{}   {}{}{}", text, picture, picture.empty() ? "" : "   ", extremes);
}

std::string heading(const Screen& screen, Direction direction) {
  const char* words = direction == Direction::receive ? "  from server to client" : "  from client to server";
  return paint(screen, Style::strong, words) + "\n";
}

std::string transport_words(const SumView& sum) {
  std::vector<std::string> parts;
  if (sum.retransmits)
    parts.push_back(format_count(*sum.retransmits) +
                    (*sum.retransmits == 1 ? " retransmit" : " retransmits"));
  if (sum.mean_rtt) {
    std::string rtt = "rtt " + rtt_text(*sum.mean_rtt);
    if (sum.min_rtt && sum.max_rtt) {
      rtt += fmt::format(" ({} to {})", without_unit(rtt_text(*sum.min_rtt)),
                         without_unit(rtt_text(*sum.max_rtt)));
    }
    parts.push_back(rtt);
  }
  if (sum.max_snd_cwnd) parts.push_back("max cwnd " + format_bytes(*sum.max_snd_cwnd));
  return fmt::format("{}", fmt::join(parts, "   "));
}

std::string datagram_words(const SumView& sum) {
  std::vector<std::string> parts;
  const std::string share = sum.lost_percent ? format_percent(*sum.lost_percent) : "";
  if (sum.lost_packets && sum.packets) {
    parts.push_back(fmt::format("{} of {} lost{}", format_signed_count(*sum.lost_packets),
                                format_count(*sum.packets), share.empty() ? "" : " (" + share + ")"));
  } else if (sum.lost_packets) {
    parts.push_back(fmt::format("{} lost{}", format_signed_count(*sum.lost_packets),
                                share.empty() ? "" : " (" + share + ")"));
  } else {
    parts.push_back(share.empty() ? "loss not known" : share + " lost");
  }
  parts.push_back("jitter " + (sum.jitter_ms ? format_milliseconds(*sum.jitter_ms) : "not known"));
  if (sum.out_of_order.value_or(0) > 0) parts.push_back(format_count(*sum.out_of_order) + " out of order");
  return fmt::format("{}", fmt::join(parts, "   "));
}

std::string span_text(const IntervalView& interval) {
  return fmt::format("{:.2f}-{:.2f}", interval.start_s, interval.end_s);
}

std::string stream_text(const std::optional<std::int64_t>& stream) {
  return stream ? fmt::format("{}", *stream) : "all";
}

std::string streams_of(const Screen& screen, const ShowView& view, std::optional<Direction> direction) {
  std::vector<Cells> rows;
  for (const SumView& sum : view.streams) {
    if (direction && sum.direction != direction) continue;
    rows.push_back({{stream_text(sum.stream)},
                    {or_dash(sum.received_bits_per_second, format_rate)},
                    {or_dash(sum.sent_bits_per_second, format_rate)},
                    {or_dash(sum.retransmits, format_count)},
                    {or_dash(sum.mean_rtt, rtt_text)},
                    {or_dash(sum.max_snd_cwnd, format_bytes)},
                    {or_dash(sum.lost_percent, format_percent)},
                    {or_dash(sum.jitter_ms, format_milliseconds)}});
  }
  if (rows.empty()) return "No streams are known.\n";
  return render_table(screen,
                      {{.title = "STREAM", .right = true},
                       {.title = "RECEIVED", .right = true},
                       {.title = "SENT", .right = true},
                       {.title = "RETR", .right = true, .optional = true},
                       {.title = "MEAN RTT", .right = true, .optional = true},
                       {.title = "MAX CWND", .right = true, .optional = true},
                       {.title = "LOST", .right = true, .optional = true},
                       {.title = "JITTER", .right = true, .optional = true}},
                      std::move(rows));
}

std::string intervals_of(const Screen& screen, const ShowView& view, std::optional<Direction> direction) {
  std::vector<Cells> rows;
  for (const IntervalView& interval : view.intervals) {
    if ((interval.stream && !view.list_streams) || (direction && interval.direction != direction)) continue;
    rows.push_back({{span_text(interval)},
                    {view.list_streams ? stream_text(interval.stream) : ""},
                    {interval.sender ? "sender" : "receiver"},
                    {or_dash(interval.bits_per_second, format_rate)},
                    {or_dash(interval.retransmits, format_count)},
                    {or_dash(interval.rtt, rtt_text)},
                    {or_dash(interval.snd_cwnd, format_bytes)},
                    {or_dash(interval.lost_percent, format_percent)},
                    {or_dash(interval.jitter_ms, format_milliseconds)},
                    {interval.omitted ? "omitted" : "", Style::faint}});
  }
  if (rows.empty()) return "No intervals are known.\n";
  return render_table(screen,
                      {{.title = "SECONDS", .right = true},
                       {.title = "STREAM", .right = true, .optional = true},
                       {.title = "SEEN BY", .optional = true},
                       {.title = "RATE", .right = true},
                       {.title = "RETR", .right = true, .optional = true},
                       {.title = "RTT", .right = true, .optional = true},
                       {.title = "CWND", .right = true, .optional = true},
                       {.title = "LOST", .right = true, .optional = true},
                       {.title = "JITTER", .right = true, .optional = true},
                       {.title = "", .optional = true}},
                      std::move(rows));
}

// The table of a run in one direction, or one for each of both.
template <class Table>
std::string a_direction_each(const Screen& screen, const ShowView& view, Table table) {
  if (view.details.run.direction != "both") return table(screen, view, std::nullopt);
  return heading(screen, Direction::send) + table(screen, view, Direction::send) + "\n" +
         heading(screen, Direction::receive) + table(screen, view, Direction::receive);
}

}  // namespace

std::string field(const Screen& screen, std::string_view key, std::string_view value, Style style) {
  std::string text;
  std::string label = fmt::format("  {:<{}}", key, kKeyColumns - 2);
  if (display_width(key) > kKeyColumns - 3) label = fmt::format("  {} ", key);
  const std::size_t room = std::max<std::size_t>(prose_width(screen), kKeyColumns + 20) - kKeyColumns;
  for (std::string& line : wrap(value, room)) {
    for (std::size_t at = 0; (at = line.find(kNoBreak, at)) != std::string::npos;) {
      line.replace(at, kNoBreak.size(), " ");
    }
    text += label + paint(screen, style, line) + "\n";
    label.assign(kKeyColumns, ' ');
  }
  return text;
}

std::string direction_part(const Screen& screen, const ShowView& view, const SumView& sum) {
  std::string text = view.details.sums.size() > 1 ? heading(screen, sum.direction) : "";
  text += field(screen, "received",
                rate_words(screen, sum.received_bits_per_second, interval_rates(view, sum, false)));
  text +=
      field(screen, "sent", rate_words(screen, sum.sent_bits_per_second, interval_rates(view, sum, true)));
  if (view.details.run.protocol == "udp") return text + field(screen, "datagrams", datagram_words(sum));
  const std::string transport = transport_words(sum);
  const std::string protocol = view.details.run.protocol.value_or("transport");
  return text + field(screen, protocol, transport.empty() ? "retransmits and rtt not known" : transport);
}

std::string streams_table(const Screen& screen, const ShowView& view) {
  return a_direction_each(screen, view, streams_of);
}

std::string intervals_table(const Screen& screen, const ShowView& view) {
  return a_direction_each(screen, view, intervals_of);
}

}  // namespace netperfctl::show
