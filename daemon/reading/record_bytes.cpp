// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/reading/record_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/model/named_figure_check.hpp"
#include "daemon/reading/archive_values.hpp"
#include "daemon/reading/record_check.hpp"
#include "daemon/reading/report_bytes.hpp"
#include "dbus/rows/field.hpp"

namespace netperfd::reading {
namespace {

constexpr const char* kDamagedAnswer =
    "the answer of the reading process is damaged or too long, which is a fault of netperfd: please report "
    "it";
constexpr std::string_view kIntervals = "intervals";

// Of all streams, flags and texts of a report.
constexpr std::size_t kReportBytesBesideIntervals = std::size_t{4} << 20;

// The most elements of each list, by its key.
constexpr std::pair<std::string_view, std::size_t> kLimits[] = {
    {"cpus", kMostCpus},
    {"only_cpus", kMostCpus},
    {"events", kMostEvents},
    {"slices", kMostSlices},
    {"slice_hits", kMostSlices},
    {"slice_self_ns", kMostSlices},
    {"samples", kMostSamples},
    {"fields", kMostFields},
    {"stacks", kMostStacks},
    {"frames", kMostFrames},
    {"drops", kMostDrops},
    {"marks", kMostMarks},
    {"functions", kMostFunctions},
    {"missing_functions", kMostFunctions},
    {"edges", kMostEdges},
    {"tree", kMostNodes},
    {"buckets", kMostBuckets},
    {"builds", kMostBuilds},
    {"sums", kMostSums},
    {"streams", kMostStreams},
    {kIntervals, kMostIntervalsOfFile},
    {"flags", kMostFlags},
    {"tables", kMostTables},
    {"columns", kMostColumns},
    {"probes", kMostProbes},
    {"phases", kMostPhases},
    {"spans", kMostSpans},
    {"latency_intervals", kMostLatencyIntervals},
    {"more", kMostRunsOfTable},
    {"facts", kMostFactsOfTool},
    {"figures", kMostNamedFigures},
};

std::size_t most_of(std::string_view key) {
  const auto* found = std::ranges::find(kLimits, key, &std::pair<std::string_view, std::size_t>::first);
  return found == std::end(kLimits) ? 0 : found->second;
}

// Defined below; all types use them.
template <class Archive, class T>
void put(Archive& archive, std::optional<T>& value);
template <class Archive, rows::Described Row>
void put(Archive& archive, Row& row);

template <class Archive>
void put(Archive& archive, Direction& value) {
  put_word(archive, value, Direction::both);
}

template <class Archive>
void put(Archive& archive, Better& value) {
  put_word(archive, value, Better::lower);
}

template <class Archive>
void put(Archive& archive, ServerAbsence& value) {
  put_word(archive, value, ServerAbsence::absent);
}

template <class Archive, class First, class Second>
void put(Archive& archive, std::pair<First, Second>& pair) {
  put(archive, pair.first);
  put(archive, pair.second);
}

template <class Archive>
void put(Archive& archive, std::variant<std::int64_t, std::uint64_t, std::string>& value) {
  std::uint64_t kind = value.index();
  archive.number(kind);
  if constexpr (Archive::kReads) {
    if (kind == 0) {
      value = std::int64_t{0};
    } else if (kind == 1) {
      value = std::uint64_t{0};
    } else if (kind == 2) {
      value = std::string();
    } else {
      return archive.fail();
    }
  }
  std::visit([&](auto& held) { put(archive, held); }, value);
}

// Only what ImportedWorkload says of it.
template <class Archive>
void put(Archive& archive, TestSpec& value) {
  put(archive, value.path.server);
  put(archive, value.iperf3.port);
  put_word(archive, value.traffic.protocol, Protocol::sctp);
  put(archive, value.traffic.direction);
  put(archive, value.traffic.streams);
  put(archive, value.traffic.duration);
  put(archive, value.traffic.bytes);
  put(archive, value.traffic.omit);
  put(archive, value.traffic.interval);
  put(archive, value.traffic.bitrate);
  put(archive, value.iperf3.length_bytes);
}

// What a report is judged by.
template <class Archive>
void put_order(Archive& archive, TestSpec& asked, std::string& client_stderr) {
  put(archive, asked);
  put(archive, asked.path.bind);
  put(archive, asked.iperf3.congestion);
  put(archive, client_stderr);
}

template <class Archive, class T>
void put(Archive& archive, std::optional<T>& value) {
  bool there = value.has_value();
  put(archive, there);
  if constexpr (Archive::kReads) {
    if (there) value.emplace();
  }
  if (value) put(archive, *value);
}

// A list grows as elements arrive, doubling each time, so a false length alone allocates no memory.
template <class T>
bool make_room(ByteReader& reader, std::vector<T>& list, std::size_t wanted) {
  if (list.size() < list.capacity()) return true;
  const std::size_t capacity = std::min(wanted, std::max<std::size_t>(2 * list.size(), 1));
  if (!reader.may_take((capacity - list.size()) * sizeof(T))) return false;
  list.reserve(capacity);
  return true;
}

template <class Archive, class T>
void put_list(Archive& archive, std::vector<T>& list, std::size_t most) {
  std::uint64_t size = list.size();
  archive.number(size);
  if constexpr (Archive::kReads) {
    if (size > most) return archive.fail();
    for (std::uint64_t i = 0; i < size && !archive.failed(); ++i) {
      if (make_room(archive, list, static_cast<std::size_t>(size))) put(archive, list.emplace_back());
    }
  } else {
    for (T& element : list) put(archive, element);
  }
}

template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::vector<T>> = true;

// Follows the row's description, so that no member can be forgotten.
template <class Archive, rows::Described Row>
void put(Archive& archive, Row& row) {
  rows::visit_fields(row, [&]<class Member>(const auto& field, Member& member) {
    if constexpr (kIsList<Member>) {
      std::size_t most = most_of(field.key);
      if constexpr (Archive::kReads) {
        if (field.key == kIntervals && archive.most_intervals) most = *archive.most_intervals;
      }
      put_list(archive, member, most);
    } else {
      put(archive, member);
    }
  });
}

}  // namespace

std::string to_bytes(const ImportedFile& file) {
  ByteWriter writer;
  // The walk is one for both directions; the writer changes nothing.
  put(writer, const_cast<ImportedFile&>(file));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return writer.take();
}

Result<ImportedFile> from_bytes(std::string_view bytes) {
  ByteReader reader(bytes, kMostDecodedBytes);
  ImportedFile file;
  put(reader, file);
  if (reader.too_large()) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("what the file holds takes more than {} MiB", kMostDecodedBytes >> 20U));
  }
  if (reader.failed() || !reader.at_end()) {
    return fail(ErrorKind::invalid_argument, kDamagedAnswer);
  }
  if (auto checked = check_file(file); !checked) return std::unexpected(checked.error());
  return file;
}

std::string to_bytes(const TestSpec& asked, const std::string& client_stderr) {
  ByteWriter writer;
  TestSpec options = asked;
  std::string text = client_stderr;
  put_order(writer, options, text);
  return writer.take();
}

Result<ReportOrder> order_from_bytes(std::string_view bytes) {
  constexpr std::size_t kMostOrderBytes = std::size_t{8} << 20;
  ByteReader reader(bytes, kMostOrderBytes);
  ReportOrder order;
  put_order(reader, order.asked, order.client_stderr);
  if (reader.failed())
    return fail(
        ErrorKind::invalid_argument,
        "the order to the reading process is damaged, which is a fault of netperfd: please report it");
  order.client_stdout = bytes.substr(bytes.size() - reader.bytes_left());
  return order;
}

std::string to_bytes(const ParsedReport& report) {
  ByteWriter writer;
  put(writer, const_cast<ParsedReport&>(report));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return writer.take();
}

std::size_t most_report_bytes(std::size_t most_intervals) {
  constexpr std::size_t kOfAnInterval = 256;  // its members take at most ten bytes each, and one if absent
  return kReportBytesBesideIntervals + kOfAnInterval * most_intervals;
}

Result<ParsedReport> report_from_bytes(std::string_view bytes, std::size_t most_intervals) {
  ByteReader reader(bytes, kReportBytesBesideIntervals + most_intervals * sizeof(Interval));
  reader.most_intervals = most_intervals;
  ParsedReport report;
  put(reader, report);
  if (reader.failed() || !reader.at_end()) {
    return fail(ErrorKind::invalid_argument, kDamagedAnswer);
  }
  if (auto checked = check_report(report, most_intervals); !checked) return std::unexpected(checked.error());
  return report;
}

std::string to_bytes(const LatencyOrder& order) {
  ByteWriter writer;
  put(writer, const_cast<LatencyOrder&>(order));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return writer.take();
}

Result<std::string_view> order_from_bytes(std::string_view bytes, LatencyOrder& order) {
  constexpr std::size_t kMostOrderBytes = std::size_t{1} << 20;
  ByteReader reader(bytes, kMostOrderBytes);
  put(reader, order);
  if (reader.failed())
    return fail(
        ErrorKind::invalid_argument,
        "the order to the reading process is damaged, which is a fault of netperfd: please report it");
  return bytes.substr(bytes.size() - reader.bytes_left());
}

std::string to_bytes(const ParsedLatency& latency) {
  ByteWriter writer;
  put(writer, const_cast<ParsedLatency&>(latency));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return writer.take();
}

Result<ParsedLatency> latency_from_bytes(std::string_view bytes) {
  ByteReader reader(bytes, kMostLatencyBytes);
  ParsedLatency latency;
  put(reader, latency);
  if (reader.failed() || !reader.at_end()) {
    return fail(ErrorKind::invalid_argument, kDamagedAnswer);
  }
  if (auto checked = check_latency(latency); !checked) return std::unexpected(checked.error());
  return latency;
}

}  // namespace netperfd::reading
