// Traces that callers bring along as files, stored as runs of their own.
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
#include "daemon/core/import_ports.hpp"
#include "daemon/core/ports.hpp"

namespace netperfd::core {

// What a caller says of the file.
struct ImportRequest {
  std::string name = "import";  // as of JobSpec
  std::string label;
  uid_t owner = 0;
};

struct ImportedRun {
  JobId job = 0;
  RunId run = 0;
};

class Importer {
 public:
  // Files that may be read at once.
  static constexpr std::size_t kLimit = 2;
  static constexpr std::uint64_t kFileLimitBytes = std::uint64_t{4} << 30U;

  using Done = std::function<void(Result<ImportedRun>)>;

  // The ports must outlive the importer.
  Importer(RunStore& store, TraceImport& files, Clock& clock) : store_(store), files_(files), clock_(clock) {}

  // Reads `file` in the background and then calls `done` once, from the loop: with the finished run that
  // holds its trace, or with why there is none. Nothing is stored before the file was read to its end.
  // Refused at once: busy where kLimit files are being read, invalid_argument for a name or label that no job
  // may have and for what is no regular file that can be read. Destroying the result cancels it, also from
  // inside `done`; the importer must outlive it.
  [[nodiscard]] Result<std::shared_ptr<void>> read(Fd file, const ImportRequest& request, Done done);

 private:
  [[nodiscard]] Result<ImportedRun> store(const JobSpec& spec, uid_t owner, TraceRecord trace);
  [[nodiscard]] Status store_run(RunId run, TraceRecord trace);

  RunStore& store_;
  TraceImport& files_;
  Clock& clock_;
  std::vector<std::weak_ptr<void>> under_way_;
};

}  // namespace netperfd::core
