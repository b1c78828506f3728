// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the documents of stored runs again, by the code that read them first, and finds what would change.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/file_import.hpp"
#include "daemon/core/ports/report_reading.hpp"
#include "daemon/core/ports/reread_store.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/core/ports/scenario_source.hpp"
#include "daemon/import/reading_changes.hpp"

namespace netperfd::import {

// Both readings have all flags of the run: those of other origin are the same in both.
struct Reread {
  core::RunReading stored, now;
};

struct RereadPorts {
  EventLoop& loop;  // of `reports` and `files`
  core::RunQueries& runs;
  core::RereadStore& store;
  core::ReportReading& reports;
  core::FileImport& files;
  core::ScenarioSource& scenarios;
  std::span<const std::string_view> document_flags;  // the codes that reading a document can raise
};

struct RereadCounts {
  std::uint64_t read = 0;        // with `changed`
  std::uint64_t changed = 0;     // or would change
  std::uint64_t unreadable = 0;  // now
  std::uint64_t without = 0;     // a document
};

class Rereading {
 public:
  // What the ports refer to must outlive this object.
  explicit Rereading(const RereadPorts& ports) : ports_(ports) {}

  // Of a run that has ended. Absent: it has no document of iperf3. The error says why it cannot be read.
  [[nodiscard]] Result<std::optional<Reread>> read(const core::RunRow& run);

  using Line = std::function<void(const std::string& line)>;
  // Stores the new reading of a run; an error ends the walk.
  using Apply = std::function<Status(const core::RunRow& run, const core::RunReading& now,
                                     const std::vector<Change>& changes)>;
  // All runs that have ended, the newest first. Tells each change, and each run that cannot be read, in a
  // line. Nothing is stored without `apply`. The error is that of `apply`, or that of the list of runs.
  [[nodiscard]] Result<RereadCounts> read_all(const Line& tell, const Apply& apply);

 private:
  [[nodiscard]] Status visit(const core::RunRow& run, const Line& tell, const Apply& apply,
                             RereadCounts& counts);
  [[nodiscard]] Result<core::RunReading> stored_reading(const core::RunRow& run);
  [[nodiscard]] Result<Reread> read_live(const core::RunRow& run);
  [[nodiscard]] Result<std::optional<Reread>> read_import(const core::RunRow& run);
  [[nodiscard]] Result<ParsedReport> report_of(const core::RunRow& run);
  [[nodiscard]] Result<ImportedFile> file_of(RunId run, const std::string& name);
  [[nodiscard]] std::vector<QualityFlag> merged_flags(const std::vector<QualityFlag>& stored,
                                                      std::vector<QualityFlag> of_document) const;

  RereadPorts ports_;
};

}  // namespace netperfd::import
