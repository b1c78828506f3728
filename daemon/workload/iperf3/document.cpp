// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/document.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <utility>

#include "daemon/workload/iperf3/document_facts.hpp"
#include "daemon/workload/iperf3/figures.hpp"
#include "daemon/workload/iperf3/json.hpp"
#include "daemon/workload/iperf3/values.hpp"

namespace netperfd::workload {
namespace {

using nlohmann::json;

using Reader = ValueReader;

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
  document.interval_s = reader.number(test, "interval");
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
  FoundDocument source = find_document(bytes);
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
  document.broken = source.broken;
  for (const FoundRun& run : source.runs) {
    if (document.runs < 2) break;
    document.run_texts.push_back(
        run.text.empty() ? std::string(bytes.substr(run.extent.begin, run.extent.end - run.extent.begin))
                         : run.text);
  }
  document.other_json = source.other_json;
  Reader reader;
  read_errors(source.value, document);
  read_start(reader, reader.part(source.value, "start"), document);
  std::size_t unreadable = 0;
  std::string first;
  for (const json& place : reader.part(source.value, "intervals")) {
    if (!place.is_number_unsigned() || !source.rows) continue;
    ReadRow& row = source.rows->at(place.get<std::size_t>());
    document.intervals.push_back(std::move(row.figures));
    if (unreadable == 0) first = row.first_unreadable;
    unreadable += row.unreadable_values;
  }
  read_end(reader, reader.part(source.value, "end"), document);
  document.facts = document_facts(member(source.value, "start"), member(source.value, "end"));
  document.unreadable_values = reader.unreadable_values() + unreadable;
  document.first_unreadable = unreadable > 0 ? first : reader.first_unreadable();
  if (document.of_server) flip(document);
  drop_unknown_of_sctp(document);
  return document;
}

void drop_unknown_of_sctp(Iperf3Document& document) {
  if (document.protocol != "SCTP" && document.protocol != "sctp") return;
  const auto drop = [](Figures& figures) {
    figures.retransmits.reset();
    figures.rtt.reset();
    figures.rttvar.reset();
  };
  const auto drop_all = [&](std::initializer_list<std::optional<Figures>*> parts) {
    for (std::optional<Figures>* figures : parts) {
      if (*figures) drop(**figures);
    }
  };
  for (IntervalFigures& interval : document.intervals) {
    std::ranges::for_each(interval.streams, drop);
    std::ranges::for_each(interval.sums, drop);
  }
  for (StreamFigures& stream : document.streams) drop_all({&stream.sender, &stream.receiver});
  for (EndFigures* end : {&document.end, &document.end_reverse}) drop_all({&end->sent, &end->received});
}

std::vector<Figures> read_live_sums(std::string_view line) {
  const auto event = parse_stream_event(line);
  if (!event || event->name != "interval") return {};
  Reader reader;
  return read_sums(reader, event->data);
}

}  // namespace netperfd::workload
