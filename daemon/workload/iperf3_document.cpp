// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3_document.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "daemon/model/text.hpp"
#include "daemon/workload/iperf3_json.hpp"

namespace netperfd::workload {
namespace {

using nlohmann::json;

// Reads values by key. A missing key or null is not an error. A value of a wrong type or an impossible size
// is counted and stays absent.
class Reader {
 public:
  [[nodiscard]] std::optional<double> number(const json& object, const char* key) {
    const json* value = find(object, key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number()) return unreadable(key);
    return value->get<double>();
  }

  // cJSON writes a large count as a decimal fraction with an exponent, so a whole double is accepted as a
  // count.
  [[nodiscard]] std::optional<std::uint64_t> count(const json& object, const char* key) {
    const json* value = find(object, key);
    if (value == nullptr) return std::nullopt;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    constexpr double kLimit = 9.2e18;  // below both 2^63 and 2^64
    if (value->is_number_float()) {
      const auto real = value->get<double>();
      if (real >= 0 && real < kLimit && std::floor(real) == real) return static_cast<std::uint64_t>(real);
    }
    return unreadable(key);
  }

  [[nodiscard]] std::optional<std::int64_t> integer(const json& object, const char* key) {
    const json* value = find(object, key);
    if (value == nullptr) return std::nullopt;
    if (value->is_number_integer() &&
        !(value->is_number_unsigned() && value->get<std::uint64_t>() > kMaxInteger)) {
      return value->get<std::int64_t>();
    }
    return unreadable(key);
  }

  [[nodiscard]] std::optional<bool> boolean(const json& object, const char* key) {
    const json* value = find(object, key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_boolean()) return unreadable(key);
    return value->get<bool>();
  }

  [[nodiscard]] std::string text(const json& object, const char* key) {
    const json* value = find(object, key);
    if (value == nullptr) return {};
    // These texts reach terminals and the bus; all genuine texts of iperf3 here are short.
    constexpr std::size_t kLongest = 255;
    if (const auto* text = value->get_ptr<const std::string*>();
        text != nullptr && text->size() <= kLongest && is_printable(*text)) {
      return *text;
    }
    (void)unreadable(key);
    return {};
  }

  // The object or array under `key`, or an empty value, which all other functions here treat as an empty
  // object.
  [[nodiscard]] const json& part(const json& object, const char* key) {
    static const json nothing;
    const json* value = find(object, key);
    if (value == nullptr) return nothing;
    if (value->is_structured()) return *value;
    (void)unreadable(key);
    return nothing;
  }

  [[nodiscard]] std::size_t unreadable_values() const { return unreadable_; }
  [[nodiscard]] const std::string& first_unreadable() const { return first_; }

 private:
  static constexpr auto kMaxInteger = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

  std::size_t unreadable_ = 0;
  std::string first_;

  static const json* find(const json& object, const char* key) {
    const auto at = object.find(key);
    return at == object.end() || at->is_null() ? nullptr : &*at;
  }

  std::nullopt_t unreadable(const char* key) {
    if (unreadable_++ == 0) first_ = key;
    return std::nullopt;
  }
};

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

IntervalFigures read_interval(Reader& reader, const json& object) {
  IntervalFigures interval;
  for (const json& stream : reader.part(object, "streams")) {
    interval.streams.push_back(read_figures(reader, stream));
  }
  interval.sums = read_sums(reader, object);
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
  Reader reader;
  read_errors(source.value, document);
  read_start(reader, reader.part(source.value, "start"), document);
  for (const json& interval : reader.part(source.value, "intervals")) {
    document.intervals.push_back(read_interval(reader, interval));
  }
  read_end(reader, reader.part(source.value, "end"), document);
  document.unreadable_values = reader.unreadable_values();
  document.first_unreadable = reader.first_unreadable();
  return document;
}

std::vector<Figures> read_live_sums(std::string_view line) {
  const auto event = parse_stream_event(line);
  if (!event || event->name != "interval") return {};
  Reader reader;
  return read_sums(reader, event->data);
}

}  // namespace netperfd::workload
