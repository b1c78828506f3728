// iperf3's document as it came: the values netperfd reads, under iperf3's own names, nothing judged yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/run_record.hpp"

namespace netperfd::workload {

// Any interval, stream or sum object; all of them use these keys, each a few of them.
struct Figures {
  std::optional<std::int64_t> socket;
  std::optional<double> start, end, seconds;
  std::optional<std::uint64_t> bytes;
  std::optional<double> bits_per_second;
  std::optional<std::uint64_t> retransmits;
  std::optional<std::uint64_t> snd_cwnd, rtt, rttvar, pmtu;               // of an interval
  std::optional<std::uint64_t> max_snd_cwnd, min_rtt, mean_rtt, max_rtt;  // of a stream at the end
  std::optional<double> jitter_ms;                                        // UDP from here on
  std::optional<std::uint64_t> packets, out_of_order;
  std::optional<std::int64_t> lost_packets;
  std::optional<double> lost_percent;
  std::optional<bool> omitted;
  // Of an interval, a stream and a TCP sum: the client is the sender. Of a UDP `sum_sent` and `sum_received`:
  // the side that counted, whatever the direction.
  std::optional<bool> sender;
};

struct IntervalFigures {
  std::vector<Figures> streams;
  std::vector<Figures> sums;  // `sum` and, of a --bidir test, `sum_bidir_reverse`
};

struct StreamFigures {
  std::optional<Figures> sender, receiver;  // TCP and SCTP
  std::optional<Figures> udp;               // the sender's bytes and packets beside the receiver's loss
};

// The sums at the end, of one direction.
struct EndFigures {
  std::optional<Figures> sum;  // UDP: mixes both sides, used for its `sender` alone where there are others
  std::optional<Figures> sent, received;
};

struct Iperf3Document {
  bool found = false;         // there is something to read, perhaps in part
  bool complete = false;      // the document is whole
  bool cut_short = false;     // it is not, since the bytes end before it
  std::string problem;        // why it is not, in the JSON library's words
  std::size_t documents = 0;  // how many were printed
  std::size_t text_bytes = 0;
  std::size_t repaired_tokens = 0;
  std::size_t unreadable_values = 0;
  std::string first_unreadable;  // its key

  std::vector<std::string> errors;  // iperf3's words
  std::string version;              // "3.12"
  std::optional<Endpoint> client, server;
  std::optional<std::uint64_t> mss_bytes;
  std::string protocol;  // "TCP"
  std::optional<std::uint64_t> num_streams, block_bytes;
  std::optional<double> duration_s, omit_s;
  // What else it says of what was asked; netperfd's own runs know that.
  bool of_server = false;                // `iperf3 -s` wrote it
  std::optional<Endpoint> asked;         // the server as the client was told it
  std::optional<std::uint64_t> start_s;  // since 1970
  std::optional<std::uint64_t> bytes, blocks, reverse, bidirectional, bitrate;

  std::vector<IntervalFigures> intervals;
  std::vector<StreamFigures> streams;
  EndFigures end;          // of the keys without a suffix
  EndFigures end_reverse;  // of the keys with _bidir_reverse
  std::string sender_congestion;
  std::optional<double> cpu_host_percent, cpu_remote_percent;
};

// Never fails: what is not there or has an impossible type stays absent.
[[nodiscard]] Iperf3Document read_document(std::string_view bytes);

// The sums of one `interval` line of --json-stream; nothing for any other line.
[[nodiscard]] std::vector<Figures> read_live_sums(std::string_view line);

}  // namespace netperfd::workload
