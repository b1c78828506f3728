// SPDX-License-Identifier: GPL-2.0-or-later
// The contents of one imported file, as the reader process returns them to the daemon.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/stored_tables.hpp"
#include "daemon/model/trace_record.hpp"
#include "dbus/rows/field.hpp"

namespace netperfd {

// Server of a document that does not name one.
inline constexpr std::string_view kUnknownServer = "unknown";

// An iperf3 document.
struct ImportedWorkload {
  // The options according to the document: protocol, direction, streams, duration, bytes, omit, interval,
  // bitrate, length, server and port. The rest has its defaults. bitrate and length are the values used,
  // absent if the document does not have them. If neither duration nor bytes is set, only a stop ended the
  // test.
  TestSpec asked;
  WorkloadReport report;
  std::optional<WallTime> started;  // by the clock of the measuring host, in whole seconds
  // uname(2) of the client's host: system, host, release, version and machine, as iperf3 joins them.
  std::string system;

  bool operator==(const ImportedWorkload&) const = default;
};
template <>
inline constexpr auto rows::kFields<ImportedWorkload> =
    std::tuple{rows::field("asked", &netperfd::ImportedWorkload::asked),
               rows::field("report", &netperfd::ImportedWorkload::report),
               rows::field("started", &netperfd::ImportedWorkload::started),
               rows::field("system", &netperfd::ImportedWorkload::system)};
static_assert(rows::kDescribed<ImportedWorkload>);

// Exactly one of trace, workload and bundle is set.
struct ImportedFile {
  std::optional<TraceRecord> trace;  // from a trace.dat or function_graph text
  std::optional<ImportedWorkload> workload;
  std::optional<Bundle> bundle = std::nullopt;
  std::vector<QualityFlag> flags;  // on data that the file cannot provide
  std::string raw;                 // the file as it is; empty if it is too long to keep
  std::string sha256;  // of the whole file, kept or not: 64 lowercase hexadecimal digits; empty: unknown

  bool operator==(const ImportedFile&) const = default;
};
template <>
inline constexpr auto rows::kFields<ImportedFile> =
    std::tuple{rows::field("trace", &netperfd::ImportedFile::trace),
               rows::field("workload", &netperfd::ImportedFile::workload),
               rows::field("bundle", &netperfd::ImportedFile::bundle),
               rows::field("flags", &netperfd::ImportedFile::flags),
               rows::field("raw", &netperfd::ImportedFile::raw),
               rows::field("sha256", &netperfd::ImportedFile::sha256)};
static_assert(rows::kDescribed<ImportedFile>);

}  // namespace netperfd
