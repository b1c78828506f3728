// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/text_row.hpp"

#include <cmath>
#include <cstddef>

#include "daemon/workload/text_scan.hpp"

namespace netperfd::workload {
namespace {

constexpr double kLargestCount = 9e18;  // the store keeps signed numbers

struct Quantity {
  std::optional<double> value;
  double half_unit = 0;
};

// Bytes are counted in steps of 1024, bits in steps of 1000.
std::optional<double> take_unit(TextScan& scan) {
  constexpr std::string_view kPrefixes = "KMGTP";
  int steps = 0;
  if (const std::size_t at = kPrefixes.find(scan.rest().substr(0, 1));
      !scan.at_end() && at != std::string_view::npos) {
    steps = static_cast<int>(at) + 1;
    (void)scan.text(kPrefixes.substr(at, 1));
  }
  if (scan.text("Bytes")) return std::pow(1024.0, steps);
  if (scan.text("bits")) return std::pow(1000.0, steps) / 8;
  return std::nullopt;
}

// A number of bytes with its unit.
bool take_quantity(TextScan& scan, Quantity& quantity) {
  scan.blanks();
  const auto number = scan.number();
  scan.blanks();
  if (!number || (number->value && *number->value < 0)) return false;
  const auto unit = take_unit(scan);
  if (!unit) return false;
  if (number->value && *number->value * *unit < kLargestCount) quantity.value = *number->value * *unit;
  quantity.half_unit = number->half_unit() * *unit;
  return true;
}

bool take_times(TextScan& scan, Figures& figures) {
  scan.blanks();
  const auto start = scan.number();
  if (!start || !start->value || !scan.text("-")) return false;
  const auto end = scan.number();
  scan.blanks();
  if (!end || !end->value || !scan.text("sec")) return false;
  figures.start = start->value;
  figures.end = end->value;
  return true;
}

bool take_identity(TextScan& scan, TextRow& row) {
  scan.blanks();
  if (scan.text("SUM]")) return true;
  row.figures.socket = scan.integer();
  return row.figures.socket && scan.text("]");
}

void take_role(TextScan& scan, TextRow& row) {
  struct Role {
    std::string_view word;
    bool of_client_sending, by_server;
  };
  constexpr Role kRoles[] = {
      {"[TX-C]", true, false}, {"[RX-C]", false, false}, {"[RX-S]", true, true}, {"[TX-S]", false, true}};
  for (const Role& role : kRoles) {
    if (!scan.text(role.word)) continue;
    row.has_role = true;
    row.of_client_sending = role.of_client_sending;
    row.by_server = role.by_server;
  }
}

// Lost/Total (percent): the percentage follows from both, and is nan of none.
bool take_loss(TextScan& scan, Figures& figures) {
  scan.blanks();
  figures.lost_packets = scan.integer();
  if (!figures.lost_packets || !scan.text("/")) return false;
  figures.packets = scan.count();
  scan.blanks();
  if (!figures.packets || !scan.text("(")) return false;
  (void)scan.number();
  return scan.text("%)");
}

// What follows the rate: numbers by the protocol and the side, then a word.
bool take_rest(TextScan& scan, TextRow& row) {
  for (scan.blanks(); !scan.at_end(); scan.blanks()) {
    if (scan.text("(omitted)")) {
      row.figures.omitted = true;
    } else if (scan.text("sender")) {
      row.side = TextSide::sender;
    } else if (scan.text("receiver")) {
      row.side = TextSide::receiver;
    } else {
      TextScan ahead = scan;
      const auto number = ahead.number();
      if (!number) return false;
      ahead.blanks();
      if (ahead.text("ms")) {
        row.not_numbers += number->value ? 0U : 1U;
        row.figures.jitter_ms = number->value;
        scan = ahead;
        if (!take_loss(scan, row.figures)) return false;
      } else if (const bool has_own = row.count || row.not_counted; !has_own && TextScan(scan).count()) {
        row.count = scan.count();
      } else if (!has_own && scan.rest().starts_with('-') && TextScan(scan).integer()) {
        row.not_counted = scan.integer().has_value();
      } else if (Quantity window; take_quantity(scan, window)) {
        if (window.value) row.figures.snd_cwnd = static_cast<std::uint64_t>(std::llround(*window.value));
      } else {
        return false;
      }
    }
  }
  return true;
}

bool take_figures(TextScan& scan, TextRow& row) {
  Quantity bytes;
  Quantity rate;
  if (!take_quantity(scan, bytes) || !take_quantity(scan, rate) || !scan.text("/sec")) return false;
  if (bytes.value) row.figures.bytes = static_cast<std::uint64_t>(std::llround(*bytes.value));
  if (rate.value) row.figures.bits_per_second = 8 * *rate.value;
  row.bytes_half_unit = bytes.half_unit;
  row.rate_half_unit = 8 * rate.half_unit;
  row.not_numbers = (bytes.value ? 0U : 1U) + (rate.value ? 0U : 1U);
  return take_rest(scan, row);
}

bool take_out_of_order(TextScan scan, Figures& figures) {
  scan.blanks();
  figures.out_of_order = scan.count();
  scan.blanks();
  return figures.out_of_order && scan.text("datagrams received out-of-order");
}

}  // namespace

TextRowKind read_text_row(std::string_view line, TextRow& row) {
  for (std::size_t at = line.find('['); at != std::string_view::npos; at = line.find('[', at + 1)) {
    row = {};
    TextScan scan(line.substr(at + 1));
    if (!take_identity(scan, row)) continue;
    take_role(scan, row);
    if (!take_times(scan, row.figures)) continue;
    if (take_out_of_order(scan, row.figures)) return TextRowKind::out_of_order;
    row.figures.out_of_order.reset();
    return take_figures(scan, row) ? TextRowKind::figures : TextRowKind::unreadable;
  }
  return TextRowKind::other;
}

}  // namespace netperfd::workload
