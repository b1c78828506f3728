// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3_document.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

#include "daemon/workload/iperf3_json.hpp"
#include "daemon/workload/iperf3_values.hpp"

namespace netperfd::workload {
namespace {

using nlohmann::json;

using Reader = ValueReader;

Figures read_figures(Reader& reader, const json& object) {
  Figures figures;
  figures.socket = reader.integer(object, "socket");
  figures.start = reader.number(object, "start");
  figures.end = reader.number(object, "end");
  figures.seconds = reader.number(object, "seconds");
  figures.bytes = reader.count(object, "bytes");
  figures.bits_per_second = reader.number(object, "bits_per_second");
  figures.retransmits = reader.count(object, "retransmits");
  figures.snd_cwnd = reader.count(object, "snd_cwnd");
  figures.rtt = reader.count(object, "rtt");
  figures.rttvar = reader.count(object, "rttvar");
  figures.pmtu = reader.count(object, "pmtu");
  figures.max_snd_cwnd = reader.count(object, "max_snd_cwnd");
  figures.min_rtt = reader.count(object, "min_rtt");
  figures.mean_rtt = reader.count(object, "mean_rtt");
  figures.max_rtt = reader.count(object, "max_rtt");
  figures.jitter_ms = reader.number(object, "jitter_ms");
  figures.packets = reader.count(object, "packets");
  figures.out_of_order = reader.count(object, "out_of_order");
  figures.lost_packets = reader.integer(object, "lost_packets");
  figures.lost_percent = reader.number(object, "lost_percent");
  figures.omitted = reader.boolean(object, "omitted");
  figures.sender = reader.boolean(object, "sender");
  return figures;
}

std::optional<Figures> read_part(Reader& reader, const json& object, const char* key) {
  const json& part = reader.part(object, key);
  if (!part.is_object()) return std::nullopt;
  return read_figures(reader, part);
}

std::vector<Figures> read_sums(Reader& reader, const json& interval) {
  std::vector<Figures> sums;
  for (const char* key : {"sum", "sum_bidir_reverse"}) {
    if (auto sum = read_part(reader, interval, key)) sums.push_back(*sum);
  }
  return sums;
}

template <class Number>
void add_to(std::optional<Number>& sum, const std::optional<Number>& value) {
  if (value) sum = sum.value_or(0) + *value;
}

// The sum over the streams of one direction, for an interval that has none.
Figures sum_of(const std::vector<Figures>& streams, std::optional<bool> sender) {
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

std::vector<Figures> sums_of(const std::vector<Figures>& streams) {
  std::vector<Figures> sums;
  for (const auto& sender : {std::optional<bool>(true), std::optional<bool>(false), std::optional<bool>()}) {
    if (std::ranges::any_of(streams, [&](const Figures& stream) { return stream.sender == sender; })) {
      sums.push_back(sum_of(streams, sender));
    }
  }
  return sums;
}

IntervalFigures read_interval(Reader& reader, const json& object) {
  IntervalFigures interval;
  for (const json& stream : reader.part(object, "streams")) {
    interval.streams.push_back(read_figures(reader, stream));
  }
  interval.sums = read_sums(reader, object);
  if (interval.sums.empty()) {
    interval.sums = sums_of(interval.streams);
    interval.sums_computed = !interval.sums.empty();
  }
  return interval;
}

std::optional<Endpoint> read_endpoint(Reader& reader, const json& object, const char* host,
                                      const char* port) {
  const auto number = reader.count(object, port);
  Endpoint endpoint{.host = reader.text(object, host), .port = 0};
  if (endpoint.host.empty() || !number || *number > std::numeric_limits<std::uint16_t>::max())
    return std::nullopt;
  endpoint.port = static_cast<std::uint16_t>(*number);
  return endpoint;
}

void read_start(Reader& reader, const json& start, Iperf3Document& document) {
  document.version = reader.text(start, "version");
  constexpr std::string_view kProgram = "iperf ";
  if (document.version.starts_with(kProgram)) document.version.erase(0, kProgram.size());
  document.system = reader.text(start, "system_info");
  // All streams of a test connect the same two hosts, so the first represents them all.
  if (const json& connected = reader.part(start, "connected"); !connected.empty() && connected.is_array()) {
    document.client = read_endpoint(reader, connected.front(), "local_host", "local_port");
    document.server = read_endpoint(reader, connected.front(), "remote_host", "remote_port");
  }
  document.mss_bytes = reader.count(start, "tcp_mss");
  if (!document.mss_bytes) document.mss_bytes = reader.count(start, "tcp_mss_default");
  const json& test = reader.part(start, "test_start");
  document.protocol = reader.text(test, "protocol");
  document.num_streams = reader.count(test, "num_streams");
  document.block_bytes = reader.count(test, "blksize");
  document.duration_s = reader.number(test, "duration");
  document.omit_s = reader.number(test, "omit");
  document.of_server = start.contains("accepted_connection");
  document.asked = read_endpoint(reader, reader.part(start, "connecting_to"), "host", "port");
  document.start_s = reader.count(reader.part(start, "timestamp"), "timesecs");
  document.bytes = reader.count(test, "bytes");
  document.blocks = reader.count(test, "blocks");
  document.reverse = reader.count(test, "reverse");
  document.bidirectional = reader.count(test, "bidir");
  document.bitrate = reader.count(test, "target_bitrate");
  if (!document.bitrate) document.bitrate = reader.count(start, "target_bitrate");
}

void read_end(Reader& reader, const json& end, Iperf3Document& document) {
  for (const json& stream : reader.part(end, "streams")) {
    document.streams.push_back({.sender = read_part(reader, stream, "sender"),
                                .receiver = read_part(reader, stream, "receiver"),
                                .udp = read_part(reader, stream, "udp")});
  }
  document.end = {.sum = read_part(reader, end, "sum"),
                  .sent = read_part(reader, end, "sum_sent"),
                  .received = read_part(reader, end, "sum_received")};
  document.end_reverse = {.sum = read_part(reader, end, "sum_bidir_reverse"),
                          .sent = read_part(reader, end, "sum_sent_bidir_reverse"),
                          .received = read_part(reader, end, "sum_received_bidir_reverse")};
  document.sender_congestion = reader.text(end, "sender_tcp_congestion");
  const json& cpu = reader.part(end, "cpu_utilization_percent");
  document.cpu_host_percent = reader.number(cpu, "host_total");
  document.cpu_remote_percent = reader.number(cpu, "remote_total");
}

void read_errors(const json& value, Iperf3Document& document) {
  const auto error = value.find("error");
  if (error == value.end()) return;
  const auto add = [&](const json& words) {
    document.errors.push_back(words.is_string() ? words.get<std::string>()
                                                : std::string("an error without words"));
  };
  if (error->is_array()) {
    for (const json& words : *error) add(words);
  } else {
    add(*error);
  }
}

// Puts what a server says of itself as its client would: there `sender` is the client, and so is the first
// end of a connection. The figures that only the client has counted are 0 in a server's document.
void flip(Iperf3Document& document) {
  const auto flip_sender = [](std::optional<bool>& sender) {
    if (sender) sender = !*sender;
  };
  const auto flip_figures = [&](std::optional<Figures>& figures) {
    if (figures) flip_sender(figures->sender);
  };
  for (IntervalFigures& interval : document.intervals) {
    for (Figures& figures : interval.streams) flip_sender(figures.sender);
    for (Figures& figures : interval.sums) flip_sender(figures.sender);
  }
  for (StreamFigures& stream : document.streams) {
    for (auto* figures : {&stream.sender, &stream.receiver, &stream.udp}) flip_figures(*figures);
  }
  for (EndFigures* end : {&document.end, &document.end_reverse}) {
    for (auto* figures : {&end->sum, &end->sent, &end->received}) flip_figures(*figures);
  }
  std::swap(document.client, document.server);
  std::swap(document.cpu_host_percent, document.cpu_remote_percent);
}

}  // namespace

Iperf3Document read_document(std::string_view bytes) {
  const FoundDocument source = find_document(bytes);
  Iperf3Document document;
  document.found = source.value.is_object();
  document.complete = source.complete;
  document.cut_short = source.cut_short;
  document.problem = source.problem;
  document.documents = source.documents;
  document.text_bytes = source.text_bytes;
  document.repaired_tokens = source.repaired_tokens;
  document.replaced_bytes = source.replaced_bytes;
  document.runs = source.runs.size() + source.broken;
  document.other_json = source.other_json;
  Reader reader;
  read_errors(source.value, document);
  read_start(reader, reader.part(source.value, "start"), document);
  for (const json& interval : reader.part(source.value, "intervals")) {
    document.intervals.push_back(read_interval(reader, interval));
  }
  read_end(reader, reader.part(source.value, "end"), document);
  document.unreadable_values = reader.unreadable_values();
  document.first_unreadable = reader.first_unreadable();
  if (document.of_server) flip(document);
  return document;
}

std::vector<Figures> read_live_sums(std::string_view line) {
  const auto event = parse_stream_event(line);
  if (!event || event->name != "interval") return {};
  Reader reader;
  return read_sums(reader, event->data);
}

}  // namespace netperfd::workload
