// SPDX-License-Identifier: GPL-2.0-or-later
// Collects the lines of one test that iperf3 printed for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/model/run_record.hpp"
#include "daemon/workload/iperf3/document.hpp"
#include "daemon/workload/iperf3/text_row.hpp"

namespace netperfd::workload {

// Which numbers the rows of a table have, by its head.
enum class TextTable {
  plain,      // TCP's receiver, or a protocol whose sender knows no retransmits
  retr,       // TCP's sender
  datagrams,  // UDP's sender
  loss,       // UDP's receiver
  both,       // a bidirectional test of UDP
};

class TextTestBuilder {
 public:
  Iperf3Document document;   // the values that are not in rows
  bool has_head = false;     // the line on the connection, which tells the side
  bool reverse = false;      // the line on the reverse mode
  bool has_options = false;  // the line that -V prints on the test

  [[nodiscard]] bool has_rows() const { return !intervals_.empty() || has_end(); }
  [[nodiscard]] bool has_end() const { return !end_.empty(); }
  [[nodiscard]] std::size_t rows() const { return rows_; }

  void begin_table(TextTable table);
  void begin_end() { in_end_ = true; }
  // False if this stream has such a row already, or one of later times: the row is of another test.
  [[nodiscard]] bool add(const TextRow& row);
  void add_out_of_order(const TextRow& row);
  void add_unreadable(std::size_t line);

  struct Built {
    Iperf3Document document;
    std::vector<QualityFlag> flags;
  };
  // Of a test that has_end().
  [[nodiscard]] Built build() &&;

 private:
  struct Rows {
    std::vector<TextRow> streams, sums;
  };
  // What is printed at the end of a stream, or of all of one direction if there is no socket.
  struct EndRows {
    std::optional<std::int64_t> socket;
    bool of_client_sending = true;  // if the rows have roles
    std::optional<TextRow> sender, receiver;
    std::optional<TextRow> both;  // before 3.7, UDP: what was sent, and what the receiver lost of it
    std::optional<std::uint64_t> out_of_order;
  };

  [[nodiscard]] EndRows& end_of(const TextRow& row);
  [[nodiscard]] bool add_end(const TextRow& row);
  void decide_protocol();
  [[nodiscard]] bool writer_sends() const;
  [[nodiscard]] bool client_sends(const TextRow& row) const;
  [[nodiscard]] Figures figures_of(const TextRow& row) const;
  [[nodiscard]] std::optional<Figures> figures_of(const std::optional<TextRow>& row) const;
  [[nodiscard]] IntervalFigures interval_of(const Rows& rows) const;
  [[nodiscard]] StreamFigures stream_of(const EndRows& rows) const;
  [[nodiscard]] EndFigures direction_of(bool client_sends);
  void take_both(const Figures& row, bool writer_sends, EndFigures& end);
  void count_streams();
  void note_rounding(const TextRow& row);
  [[nodiscard]] std::vector<QualityFlag> flags() const;

  std::vector<Rows> intervals_;
  std::vector<EndRows> end_;
  std::map<std::int64_t, std::pair<double, bool>> latest_;  // of each stream: its start, and if it is omitted
  std::size_t rows_ = 0;
  std::optional<TextTable> table_, end_table_;
  bool in_end_ = false;
  bool has_roles_ = false;
  bool udp_ = false;
  bool protocol_assumed_ = false;
  bool receiver_computed_ = false;
  double bytes_rounding_ = 0, rate_rounding_ = 0;  // the largest share of a figure at the end
};

}  // namespace netperfd::workload
