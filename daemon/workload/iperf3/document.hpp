// SPDX-License-Identifier: GPL-2.0-or-later
// iperf3's document, unjudged: the values that netperfd reads, under iperf3's own names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::workload {

// Any interval, stream or sum object; each of them uses some of these keys.
struct Figures {
  std::optional<std::int64_t> socket;
  std::optional<double> start, end, seconds;
  std::optional<std::uint64_t> bytes;
  std::optional<double> bits_per_second;
  std::optional<std::uint64_t> retransmits;
  std::optional<std::uint64_t> snd_cwnd, rtt, rttvar, pmtu;  // intervals only
  std::optional<double> jitter_ms;                           // UDP only, from here on
  std::optional<std::uint64_t> packets, out_of_order;
  std::optional<std::int64_t> lost_packets;
  std::optional<double> lost_percent;
  std::optional<bool> omitted;
  // In intervals, streams and TCP sums: the client is the sender. In UDP's `sum_sent` and `sum_received`: the
  // side that counted, whatever the direction.
  std::optional<bool> sender;
};

struct IntervalFigures {
  std::vector<Figures> streams;
  std::vector<Figures> sums;   // `sum` and, for a --bidir test, `sum_bidir_reverse`
  bool sums_computed = false;  // from the streams, since the document has none
};

struct StreamFigures {
  std::optional<Figures> sender, receiver;  // TCP and SCTP
  std::optional<Figures> udp;               // the sender's bytes and packets, the receiver's loss
};

// The final sums of one direction.
struct EndFigures {
  std::optional<Figures> sum;  // UDP: mixes both sides; if there are other sums, only its `sender` is used
  std::optional<Figures> sent, received;
};

// Why no document of iperf3 has as many values, which cost memory and time whatever their size; empty: it may
// be. Ask before the bytes are read.
[[nodiscard]] std::string excess_of(std::string_view bytes);

struct Iperf3Document {
  bool found = false;         // there is something to read, perhaps only in part
  bool complete = false;      // the whole document is there
  bool cut_short = false;     // incomplete because the bytes end early
  std::string problem;        // why it is incomplete, in the JSON library's words
  std::size_t documents = 0;  // number of documents printed
  std::size_t text_bytes = 0;
  std::size_t repaired_tokens = 0;
  std::size_t replaced_bytes = 0;  // that are not UTF-8
  // The runs that the bytes tell of, also those cut short; where there are several, a document or stream for
  // each.
  std::size_t runs = 0;
  std::vector<std::string> run_texts;
  std::size_t broken = 0;   // runs without a text: only their beginning can be read
  bool other_json = false;  // there is JSON that is not iperf3's
  std::size_t unreadable_values = 0;
  std::string first_unreadable;  // its key

  std::vector<std::string> errors;  // in iperf3's words
  std::string version;              // "3.12"
  std::optional<Endpoint> client, server;
  std::optional<std::uint64_t> mss_bytes;
  std::string protocol;  // "TCP"
  std::optional<std::uint64_t> num_streams, block_bytes;
  std::optional<double> duration_s, omit_s, interval_s;
  // Further options of the test. netperfd's own runs know them; imported documents need them.
  std::string system;  // "Linux host 6.12.9 #1 SMP x86_64"
  // Written by `iperf3 -s`. Everything here is told as by its client all the same; only what the server
  // counted itself is known.
  bool of_server = false;
  std::optional<Endpoint> asked;         // the server as given to the client
  std::optional<std::uint64_t> start_s;  // since 1970
  std::optional<std::uint64_t> bytes, blocks, reverse, bidirectional, bitrate;
  std::vector<Fact> facts;  // what else it tells of the test

  std::vector<IntervalFigures> intervals;
  std::vector<StreamFigures> streams;
  EndFigures end;          // from the keys without a suffix
  EndFigures end_reverse;  // from the keys with _bidir_reverse
  std::string sender_congestion;
  std::optional<double> cpu_host_percent, cpu_remote_percent;
};

// Never fails: missing values, and values of an impossible type, stay absent.
[[nodiscard]] Iperf3Document read_document(std::string_view bytes);

// Makes unknown what iperf3 writes for SCTP and does not know: it counts no retransmits, and its round-trip
// times are in ticks of the kernel's clock, of which the document does not tell the length. No other protocol
// is touched.
void drop_unknown_of_sctp(Iperf3Document& document);

// The sums of one `interval` line of --json-stream; empty for any other line.
[[nodiscard]] std::vector<Figures> read_live_sums(std::string_view line);

}  // namespace netperfd::workload
