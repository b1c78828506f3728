// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/figures.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/workload/iperf3/stream_sums.hpp"

namespace netperfd::workload {
namespace {

using nlohmann::json;

// What the sender's kernel tells of a connection: iperf3 writes -1 where it does not.
std::optional<std::uint64_t> read_told(ValueReader& reader, const json& object, const char* key) {
  const auto value = object.find(key);
  const bool untold =
      value != object.end() && ((value->is_number() && value->get<double>() == -1) ||
                                (value->is_string() && value->get_ref<const std::string&>() == "-1"));
  return untold ? std::nullopt : reader.count(object, key);
}

}  // namespace

Figures read_figures(ValueReader& reader, const json& object) {
  Figures figures;
  figures.socket = reader.integer(object, "socket");
  figures.start = reader.number(object, "start");
  figures.end = reader.number(object, "end");
  figures.seconds = reader.number(object, "seconds");
  figures.bytes = reader.count(object, "bytes");
  figures.bits_per_second = reader.number(object, "bits_per_second");
  figures.retransmits = read_told(reader, object, "retransmits");
  figures.snd_cwnd = read_told(reader, object, "snd_cwnd");
  figures.rtt = read_told(reader, object, "rtt");
  figures.rttvar = read_told(reader, object, "rttvar");
  figures.pmtu = read_told(reader, object, "pmtu");
  figures.jitter_ms = reader.number(object, "jitter_ms");
  figures.packets = reader.count(object, "packets");
  figures.out_of_order = reader.count(object, "out_of_order");
  figures.lost_packets = reader.integer(object, "lost_packets");
  figures.lost_percent = reader.number(object, "lost_percent");
  figures.omitted = reader.boolean(object, "omitted");
  figures.sender = reader.boolean(object, "sender");
  return figures;
}

std::optional<Figures> read_part(ValueReader& reader, const json& object, const char* key) {
  const json& part = reader.part(object, key);
  if (!part.is_object()) return std::nullopt;
  return read_figures(reader, part);
}

std::vector<Figures> read_sums(ValueReader& reader, const json& interval) {
  std::vector<Figures> sums;
  for (const char* key : {"sum", "sum_bidir_reverse"}) {
    if (auto sum = read_part(reader, interval, key)) sums.push_back(*sum);
  }
  return sums;
}

IntervalFigures read_interval(ValueReader& reader, const json& object) {
  IntervalFigures interval;
  for (const json& stream : reader.part(object, "streams")) {
    interval.streams.push_back(read_figures(reader, stream));
  }
  interval.sums = read_sums(reader, object);
  if (interval.sums.empty()) {
    interval.sums = sums_of_streams(interval.streams);
    interval.sums_computed = !interval.sums.empty();
  }
  return interval;
}

}  // namespace netperfd::workload
