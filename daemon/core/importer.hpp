// SPDX-License-Identifier: GPL-2.0-or-later
// Imports traces and iperf3 documents from callers' files and stores them as runs.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/file_import.hpp"
#include "daemon/core/ports/run_store.hpp"

namespace netperfd::core {

struct NamedFile {
  Fd file;
  std::string name;  // for messages: one printable line
};

// The caller's information about the files.
struct ImportRequest {
  std::string name = "import";  // as in JobSpec
  std::string label;
  uid_t owner = 0;
};

struct ImportedRun {
  JobId job = 0;
  RunId run = 0;
};

class Importer {
 public:
  // Maximum number of concurrent imports; each reads one file after the other.
  static constexpr std::size_t kLimit = 2;
  static constexpr std::uint64_t kFileLimitBytes = std::uint64_t{4} << 30U;  // of one file
  static constexpr std::size_t kLongestName = 255;
  static constexpr std::size_t kMostFiles = 2;  // of one run

  using Done = std::function<void(Result<ImportedRun>)>;

  // The ports must outlive the importer.
  Importer(RunStore& store, FileImport& files, Clock& clock) : store_(store), files_(files), clock_(clock) {}

  // Reads the files in the background and then calls `done` once, from the loop: with the finished run, or
  // with an error, which includes the file's name if a file is the cause. One file is an iperf3 document or a
  // trace; two are one of each, of the same measurement. Nothing is stored until all files were read to their
  // end. Refused at once: busy, with the file's name, if kLimit imports are under way; invalid_argument for
  // another number of files, for a name or label that no job may have, and for anything but a readable
  // regular file. Destroying the result cancels the import, even from inside `done`; the importer must
  // outlive the result.
  [[nodiscard]] Result<std::shared_ptr<void>> read(std::vector<NamedFile> files, const ImportRequest& request,
                                                   Done done);

 private:
  class Import;
  [[nodiscard]] Result<ImportedRun> store(JobSpec spec, uid_t owner, std::vector<ImportedFile> files);
  [[nodiscard]] Status store_run(const RunRecord& record);

  RunStore& store_;
  FileImport& files_;
  Clock& clock_;
  std::vector<std::weak_ptr<void>> under_way_;
};

}  // namespace netperfd::core
