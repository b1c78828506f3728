// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/workload/iperf3_document.hpp"
#include "daemon/workload/iperf3_report.hpp"

namespace netperfd::workload {
namespace {

using std::chrono::milliseconds;

// Absent if it is not a time, and for 0, by which iperf3 says that something else ends the test.
std::optional<milliseconds> to_duration(std::optional<double> seconds) {
  constexpr double kMostSeconds = 1e9;
  if (!seconds || !(*seconds > 0) || *seconds > kMostSeconds) return std::nullopt;
  return milliseconds{std::llround(*seconds * 1000)};
}

bool is_bidirectional(const Iperf3Document& document) {
  const EndFigures& reverse = document.end_reverse;
  return reverse.sum || reverse.sent || reverse.received;
}

// A bidirectional test without a separate key for the second direction, whose sums replaced those of the
// first.
bool lost_a_direction(const Iperf3Document& document) {
  const EndFigures& end = document.end;
  if (is_bidirectional(document) || (!end.sum && !end.sent && !end.received)) return false;
  bool sends = false;
  bool receives = false;
  for (const StreamFigures& stream : document.streams) {
    for (const auto* figures : {&stream.sender, &stream.udp}) {
      if (!*figures || !(*figures)->sender) continue;
      (*(*figures)->sender ? sends : receives) = true;
    }
  }
  return (sends && receives) || document.bidirectional.value_or(0) > 0;
}

// By the options; a document without them tells it by who sent. Some versions print `sender` wrongly with -R.
bool is_reverse(const Iperf3Document& document) {
  if (document.reverse) return *document.reverse > 0;
  const EndFigures& end = document.end;
  const std::optional<Figures>& speaker = end.sum ? end.sum : end.sent ? end.sent : end.received;
  return speaker && speaker->sender && !*speaker->sender;
}

// Length of the first counted interval that has one.
milliseconds interval_of(const Iperf3Document& document) {
  constexpr milliseconds kStep{100};
  for (const IntervalFigures& interval : document.intervals) {
    if (interval.sums.empty() || interval.sums.front().omitted.value_or(false)) continue;
    const auto length = to_duration(interval.sums.front().seconds);
    if (!length) continue;
    return std::max(kStep, (*length + kStep / 2) / kStep * kStep);
  }
  return Traffic{}.interval;
}

Result<Protocol> protocol_of(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (name.empty()) return Protocol::tcp;  // a test that failed before it began: never shown
  if (const auto protocol = parse_protocol(name)) return *protocol;
  return fail(ErrorKind::invalid_argument,
              "the document's test is of none of the protocols tcp, udp and sctp");
}

std::optional<std::uint64_t> bytes_of(const Iperf3Document& document) {
  if (document.bytes.value_or(0) > 0) return document.bytes;
  const std::uint64_t blocks = document.blocks.value_or(0), size = document.block_bytes.value_or(0);
  if (blocks == 0 || size == 0 || blocks > std::numeric_limits<std::int64_t>::max() / size)
    return std::nullopt;
  return blocks * size;
}

Result<TestSpec> asked_of(const Iperf3Document& document) {
  TestSpec asked;
  const auto protocol = protocol_of(document.protocol);
  if (!protocol) return std::unexpected(protocol.error());
  asked.traffic.protocol = *protocol;
  if (is_bidirectional(document)) {
    asked.traffic.direction = Direction::both;
  } else if (is_reverse(document)) {
    asked.traffic.direction = Direction::receive;
  }
  constexpr std::uint64_t kMostStreams = 1'024;
  asked.traffic.streams = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(document.num_streams.value_or(1), 1, kMostStreams));
  asked.traffic.duration = to_duration(document.duration_s);
  if (!asked.traffic.duration) asked.traffic.bytes = bytes_of(document);
  asked.traffic.omit = to_duration(document.omit_s).value_or(milliseconds{0});
  asked.traffic.interval = interval_of(document);
  if (const auto& server = document.asked ? document.asked : document.server) {
    asked.path.server = server->host;
    asked.iperf3.port = server->port;
  } else {
    asked.path.server = kUnknownServer;
  }
  asked.traffic.bitrate = document.bitrate;
  if (document.block_bytes.value_or(0) > 0) asked.iperf3.length_bytes = document.block_bytes;
  return asked;
}

}  // namespace

Result<ImportedFile> read_iperf3_file(std::span<const std::byte> file) {
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  constexpr std::size_t kMostBytes = std::size_t{64} << 20U;  // in memory it takes a dozen times as much
  if (bytes.size() > kMostBytes) {
    return fail(ErrorKind::invalid_argument,
                "the document is too large: it has more than 64 MiB, as none of iperf3's has");
  }
  if (const std::string excess = excess_of(bytes); !excess.empty())
    return fail(ErrorKind::invalid_argument, "the document is too large: " + excess);
  const Iperf3Document document = read_document(bytes);
  if (document.runs > 1) {
    return fail(
        ErrorKind::invalid_argument,
        fmt::format("it has the documents of {} runs in a row, and a run is a file of its own: divide it "
                    "where a document begins",
                    document.runs));
  }
  if (document.complete && document.errors.empty() && document.protocol.empty()) {
    return fail(ErrorKind::invalid_argument,
                "the document has no `start` with the options of its test: not even the protocol is known");
  }
  if (document.errors.empty() && lost_a_direction(document)) {
    return fail(
        ErrorKind::invalid_argument,
        "the test was of both directions (--bidir), and iperf3 before 3.11 names both directions alike, "
        "so that the figures of one are lost; expected is a document of 3.11 or later, or of one "
        "direction");
  }
  auto asked = asked_of(document);
  if (!asked) return std::unexpected(asked.error());
  ParsedReport parsed = parse_foreign_document(document, bytes, *asked);
  if (!parsed.error.empty()) {
    return fail(ErrorKind::invalid_argument, "the document is no measurement: " + parsed.error);
  }
  ImportedFile imported;
  ImportedWorkload& workload = imported.workload.emplace();
  workload.asked = std::move(*asked);
  workload.report = std::move(parsed.report);
  workload.system = document.system;
  // Later times do not fit into microseconds since 1970.
  constexpr std::uint64_t kLastSecond = 253'402'300'799;  // of the year 9999
  if (document.start_s && *document.start_s > 0 && *document.start_s <= kLastSecond) {
    workload.started = WallTime{std::chrono::seconds{*document.start_s}};
  }
  return imported;
}

}  // namespace netperfd::workload
