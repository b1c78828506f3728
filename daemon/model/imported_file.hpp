// SPDX-License-Identifier: GPL-2.0-or-later
// The contents of one imported file, as the reader process returns them to the daemon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/named_figure.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/stored_tables.hpp"
#include "daemon/model/trace_record.hpp"
#include "dbus/rows/field.hpp"

namespace netperfd {

// Server of a document that does not name one.
inline constexpr std::string_view kUnknownServer = "unknown";

// The place of a run in a table of numbers: in which job, and where in its design.
struct TablePlace {
  std::string point;        // each has a job of its own; empty: the table has one
  std::string side;         // its name, which is that of a Variant
  bool is_b = false;        // the second side that the table names
  std::uint32_t block = 0;  // of the point, from 1; 0: the table has no blocks

  bool operator==(const TablePlace&) const = default;
};
template <>
inline constexpr auto rows::kFields<TablePlace> = std::tuple{
    rows::field("point", &netperfd::TablePlace::point), rows::field("side", &netperfd::TablePlace::side),
    rows::field("is_b", &netperfd::TablePlace::is_b), rows::field("block", &netperfd::TablePlace::block)};
static_assert(rows::kDescribed<TablePlace>);

// An iperf3 document, its text for people, the output of another tool, or the numbers of a run in a table.
struct ImportedWorkload {
  // The options according to the document: protocol, direction, streams, duration, bytes, omit, interval,
  // bitrate, length, server and port. The rest has its defaults. bitrate and length are the values used,
  // absent if the document does not have them. If neither duration nor bytes is set, only a stop ended the
  // test.
  TestSpec asked;
  WorkloadReport report;
  std::vector<QualityFlag> flags;   // on what was read
  std::optional<WallTime> started;  // by the clock of the measuring host, in whole seconds
  // uname(2) of the client's host: system, host, release, version and machine, as iperf3 joins them.
  std::string system;
  bool options_unknown = false;  // one that is absent may have been given all the same
  // Of another tool than iperf3: its name and its figures, the first of which a comparison judges. It has no
  // report and no server.
  std::string tool = {};
  // Of the tool; of iperf3, what its document tells of the test beyond the members above.
  std::vector<Fact> facts = {};
  std::vector<NamedFigure> figures = {};
  std::optional<TablePlace> place = std::nullopt;  // of all runs of a file, or of none

  bool operator==(const ImportedWorkload&) const = default;
};
template <>
inline constexpr auto rows::kFields<ImportedWorkload> =
    std::tuple{rows::field("asked", &netperfd::ImportedWorkload::asked),
               rows::field("report", &netperfd::ImportedWorkload::report),
               rows::field("flags", &netperfd::ImportedWorkload::flags),
               rows::field("started", &netperfd::ImportedWorkload::started),
               rows::field("system", &netperfd::ImportedWorkload::system),
               rows::field("options_unknown", &netperfd::ImportedWorkload::options_unknown),
               rows::field("tool", &netperfd::ImportedWorkload::tool),
               rows::field("facts", &netperfd::ImportedWorkload::facts),
               rows::field("figures", &netperfd::ImportedWorkload::figures),
               rows::field("place", &netperfd::ImportedWorkload::place)};
static_assert(rows::kDescribed<ImportedWorkload>);

// Of all streams and sums of a document of iperf3.
inline constexpr std::size_t kMostIntervalsOfFile = 200'000;
// Of iperf3's document or another tool's output.
inline constexpr std::size_t kMostFactsOfTool = 64;
// Of more runs it is enough to know that there are many: each of them is compared with all others.
inline constexpr std::size_t kMostRunsOfFile = 100;
// A table has nothing but figures of each.
inline constexpr std::size_t kMostRunsOfTable = 500;

// A further run of a file that has the documents of several, or their numbers.
struct ImportedMore {
  ImportedWorkload workload;
  std::string raw;  // its document alone, or its lines of the table

  bool operator==(const ImportedMore&) const = default;
};
template <>
inline constexpr auto rows::kFields<ImportedMore> =
    std::tuple{rows::field("workload", &netperfd::ImportedMore::workload),
               rows::field("raw", &netperfd::ImportedMore::raw)};
static_assert(rows::kDescribed<ImportedMore>);

// Exactly one of trace, workload and bundle is set.
struct ImportedFile {
  std::optional<TraceRecord> trace;  // from a trace.dat or function_graph text
  std::optional<ImportedWorkload> workload;
  std::optional<Bundle> bundle = std::nullopt;
  std::vector<QualityFlag> flags;  // on data that the file cannot provide
  // The file as it is, or the first one of its documents if it has several; empty if it is too long to keep.
  std::string raw;
  std::string sha256;  // of the whole file, kept or not: 64 lowercase hexadecimal digits; empty: unknown
  std::vector<ImportedMore> more = {};  // only with a workload

  bool operator==(const ImportedFile&) const = default;
};
template <>
inline constexpr auto rows::kFields<ImportedFile> =
    std::tuple{rows::field("trace", &netperfd::ImportedFile::trace),
               rows::field("workload", &netperfd::ImportedFile::workload),
               rows::field("bundle", &netperfd::ImportedFile::bundle),
               rows::field("flags", &netperfd::ImportedFile::flags),
               rows::field("raw", &netperfd::ImportedFile::raw),
               rows::field("sha256", &netperfd::ImportedFile::sha256),
               rows::field("more", &netperfd::ImportedFile::more)};
static_assert(rows::kDescribed<ImportedFile>);

}  // namespace netperfd
