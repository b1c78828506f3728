// SPDX-License-Identifier: GPL-2.0-or-later
// What is stored of imported files.
#pragma once

#include <string>
#include <vector>

#include "daemon/model/imported_file.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// Its runs are finished; their numbers are not known yet.
struct ImportedJob {
  JobSpec spec;
  std::vector<Slot> slots;         // of the records
  std::vector<RunRecord> records;  // one or more
};

// One job with a run, or such a job for each run of a document that has several. Of a table, a job with two
// sides for each of its points. `clauses` say which runs have the same file.
[[nodiscard]] std::vector<ImportedJob> jobs_of_import(const JobSpec& spec,
                                                      const std::vector<SourceFile>& sources,
                                                      std::vector<ImportedFile> files,
                                                      const std::vector<std::string>& clauses);

// Adds to each record that its file has several runs. They are stored one after the other, from `first` on.
void flag_several(std::vector<ImportedJob>& jobs, RunId first);

}  // namespace netperfd::core
