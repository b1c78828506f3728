// SPDX-License-Identifier: GPL-2.0-or-later
// What a run has from its documents, so that they can be read again; daemon/store implements the port.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/audit_store.hpp"
#include "daemon/model/imported_file.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// Everything else of a run comes from elsewhere: its state, its error, the trace, the counters.
struct RunReading {
  WorkloadReport report;
  std::vector<QualityFlag> flags;              // all of the run
  std::optional<std::uint64_t> goodput_bytes;  // as in TrafficCount
  // Only of an import, which has these from its document too.
  struct Test {
    TestSpec asked;  // protocol, direction, streams, duration, bytes, omit and server
    std::optional<WallTime> started;
    Fingerprint fingerprint;
  };
  std::optional<Test> test;
};

class RereadStore {
 public:
  virtual ~RereadStore() = default;
  // The YAML of a job; empty for an import.
  [[nodiscard]] virtual Result<std::string> job_text(JobId job) = 0;
  // One transaction: replaces the reading of a run that has ended, and adds the entry to the audit trail.
  [[nodiscard]] virtual Status replace_reading(RunId run, const RunReading& reading,
                                               const AuditEntry& entry) = 0;
};

}  // namespace netperfd::core
