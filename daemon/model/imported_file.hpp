// What one file that a user brought along holds, as the process that read it hands it to the daemon.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/trace_record.hpp"

namespace netperfd {

// Of a document that does not name its server.
inline constexpr std::string_view kUnknownServer = "unknown";

// An iperf3 document.
struct ImportedWorkload {
  // What it says was asked: protocol, direction, streams, duration, bytes, omit, interval, bitrate, length,
  // server and port. The rest has its defaults; bitrate and length are those that were used, absent where it
  // does not say. Neither duration nor bytes: only a stop ended the test.
  Iperf3Spec asked;
  Iperf3Report report;
  std::optional<WallTime> started;  // by the clock of the host that measured, in whole seconds

  bool operator==(const ImportedWorkload&) const = default;
};

// One of the two is there.
struct ImportedFile {
  std::optional<TraceRecord> trace;  // of a trace.dat or of function_graph text
  std::optional<ImportedWorkload> workload;
  std::vector<QualityFlag> flags;  // what the file cannot tell

  bool operator==(const ImportedFile&) const = default;
};

}  // namespace netperfd
