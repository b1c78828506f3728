// SPDX-License-Identifier: GPL-2.0-or-later
// A row of the tables that iperf3 prints for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "daemon/workload/iperf3/document.hpp"

namespace netperfd::workload {

enum class TextSide { none, sender, receiver };

struct TextRow {
  // Without `retransmits` and `packets` where only the table's head tells which of them `count` is, and
  // without `sender`. `socket` is absent for [SUM].
  Figures figures;
  std::optional<std::uint64_t> count;  // a number of its own: retransmits or datagrams
  bool not_counted = false;  // a negative number of its own, which iperf3 prints for what it did not count
  bool of_client_sending = true;   // if `has_role`
  bool has_role = false;           // [TX-C] and the like, of a bidirectional test
  bool by_server = false;          // the role is of a server's output
  TextSide side = TextSide::none;  // of a row at the end: whose count it is
  double bytes_half_unit = 0;      // what rounding may have changed
  double rate_half_unit = 0;
  unsigned not_numbers = 0;  // printed as nan or inf
};

enum class TextRowKind {
  other,         // no row
  figures,       // `row` has been read
  out_of_order,  // its figures are times and out_of_order
  unreadable,    // a row that is cut off, or that another line has been mixed into
};

// Whatever stands before the row, such as a time or a title, is ignored.
[[nodiscard]] TextRowKind read_text_row(std::string_view line, TextRow& row);

}  // namespace netperfd::workload
