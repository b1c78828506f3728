// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/model/units.hpp"
#include "daemon/workload/iperf3/document.hpp"
#include "daemon/workload/iperf3/report.hpp"
#include "daemon/workload/iperf3/text.hpp"

namespace netperfd::workload {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostFileBytes = std::size_t{64} << 20U;  // in memory they take a dozen times as much

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

// As the document tells it, from 3.17 on; else the median length: the first interval may span the end of the
// omitted part, and the last may be short.
milliseconds interval_of(const Iperf3Document& document) {
  if (const auto asked = to_duration(document.interval_s)) return *asked;
  constexpr milliseconds kStep{100};
  std::vector<milliseconds> lengths;
  for (const IntervalFigures& interval : document.intervals) {
    if (interval.sums.empty()) continue;
    const Figures& sum = interval.sums.front();
    auto length = to_duration(sum.seconds);
    if (!length && sum.start && sum.end) length = to_duration(*sum.end - *sum.start);
    if (length) lengths.push_back(*length);
  }
  if (lengths.empty()) return Traffic{}.interval;
  // Of two in the middle the longer one: the last interval is more often short than any is long.
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return std::max(kStep, (*middle + kStep / 2) / kStep * kStep);
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

// Only from 3.17 on, a document tells its interval, which may be longer than the test.
std::vector<Fact> facts_of(const Iperf3Document& document) {
  std::vector<Fact> facts = document.facts;
  if (!document.interval_s) return facts;
  const auto interval = to_duration(document.interval_s);
  facts.insert(facts.begin(),
               Fact{.group = std::string(kIperf3Facts),
                    .key = "interval",
                    .value = interval ? format_duration(*interval) : std::string(kAbsentValue)});
  if (facts.size() > kMostFactsOfTool) facts.pop_back();
  return facts;
}

Result<ImportedWorkload> workload_of(const Iperf3Document& document, std::string_view bytes) {
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
  if (parsed.report.intervals.size() > kMostIntervalsOfFile) {
    return fail(
        ErrorKind::invalid_argument,
        fmt::format("the document is too large: it has {} intervals of streams and sums, and a run is "
                    "imported with {} at most; a test with a longer -i has fewer",
                    parsed.report.intervals.size(), kMostIntervalsOfFile));
  }
  ImportedWorkload workload;
  workload.asked = std::move(*asked);
  workload.report = std::move(parsed.report);
  workload.flags = std::move(parsed.flags);
  workload.system = document.system;
  workload.facts = facts_of(document);
  // Later times do not fit into microseconds since 1970.
  constexpr std::uint64_t kLastSecond = 253'402'300'799;  // of the year 9999
  if (document.start_s && *document.start_s > 0 && *document.start_s <= kLastSecond) {
    workload.started = WallTime{std::chrono::seconds{*document.start_s}};
  }
  return workload;
}

std::unexpected<Error> refuse_many(std::size_t runs) {
  return fail(ErrorKind::invalid_argument,
              fmt::format("it has the documents of {} runs or more; fewer are read from one file: divide it "
                          "where a document begins",
                          runs));
}

std::unexpected<Error> refuse_one(std::size_t runs, std::size_t number, const std::string& why) {
  return fail(
      ErrorKind::invalid_argument,
      fmt::format("it has the documents of {} runs, and number {} cannot be imported: {}; take that one "
                  "out, then each of the others is imported as a run",
                  runs, number, why));
}

void add_run(ImportedFile& imported, ImportedWorkload workload, std::string raw) {
  if (!imported.workload) {
    imported.workload = std::move(workload);
    imported.raw = std::move(raw);
  } else {
    imported.more.push_back({.workload = std::move(workload), .raw = std::move(raw)});
  }
}

// Each run from its own document, and none if one cannot be read.
Result<ImportedFile> read_several(Iperf3Document document) {
  if (document.broken > 0) {
    return fail(
        ErrorKind::invalid_argument,
        fmt::format("it has the documents of {} runs, and {} of them {} cut off or damaged{}: take {} out, "
                    "then each of the others is imported as a run",
                    document.runs, document.broken, document.broken == 1 ? "is" : "are",
                    document.problem.empty() ? "" : " (" + document.problem + ")",
                    document.broken == 1 ? "that one" : "those"));
  }
  if (document.runs >= kMostRunsOfFile) return refuse_many(kMostRunsOfFile);
  ImportedFile imported;
  for (std::size_t i = 0; i < document.run_texts.size(); ++i) {
    std::string& text = document.run_texts[i];
    const Iperf3Document one = read_document(text);
    auto workload = one.runs > 1 ? fail(ErrorKind::invalid_argument, "it cannot be told from the others")
                                 : workload_of(one, text);
    if (!workload) return refuse_one(document.runs, i + 1, workload.error().message);
    add_run(imported, std::move(*workload), std::move(text));
  }
  return imported;
}

}  // namespace

Result<ImportedFile> read_iperf3_file(std::span<const std::byte> file) {
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  if (bytes.size() > kMostFileBytes) {
    return fail(ErrorKind::invalid_argument,
                "the document is too large: it has more than 64 MiB, as none of iperf3's has");
  }
  if (const std::string excess = excess_of(bytes); !excess.empty())
    return fail(ErrorKind::invalid_argument, "the document is too large: " + excess);
  Iperf3Document document = read_document(bytes);
  if (document.runs > 1) return read_several(std::move(document));
  auto workload = workload_of(document, bytes);
  if (!workload) return std::unexpected(std::move(workload.error()));
  ImportedFile imported;
  imported.workload = std::move(*workload);
  return imported;
}

Result<ImportedFile> read_iperf3_text(std::span<const std::byte> file) {
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  if (bytes.size() > kMostFileBytes) {
    return fail(ErrorKind::invalid_argument,
                "the text is too large: it has more than 64 MiB, as none of iperf3's has");
  }
  ImportedFile imported;
  std::size_t runs = 0;
  std::optional<std::pair<std::size_t, std::string>> refused;
  const auto take = [&](TextTest test) -> Status {
    if (++runs >= kMostRunsOfFile) return refuse_many(kMostRunsOfFile);
    if (refused) return {};
    auto workload = workload_of(test.document, test.text);
    if (!workload) {
      refused.emplace(
          runs, fmt::format("lines {} to {}: {}", test.first_line, test.last_line, workload.error().message));
      return {};
    }
    workload->options_unknown =
        test.document.duration_s == std::nullopt && !test.document.bytes && !test.document.blocks;
    workload->flags.insert(workload->flags.begin(), test.flags.begin(), test.flags.end());
    add_run(imported, std::move(*workload), std::move(test.text));
    return {};
  };
  if (Status read = read_text_tests(bytes, take); !read) return std::unexpected(std::move(read.error()));
  if (refused && runs == 1) return fail(ErrorKind::invalid_argument, refused->second);
  if (refused) return refuse_one(runs, refused->first, refused->second);
  if (imported.more.empty()) imported.raw.clear();  // it is the file
  return imported;
}

}  // namespace netperfd::workload
