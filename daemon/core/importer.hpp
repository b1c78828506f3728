// SPDX-License-Identifier: GPL-2.0-or-later
// Imports traces, iperf3 documents and bundles from callers' files and stores them as runs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/base/foreign_fd.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/file_import.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/model/import_date.hpp"

namespace netperfd::core {

struct NamedFile {
  ForeignFd file;
  std::string name;  // one printable line; the run keeps what follows its last slash
};

// The caller's information about the files.
struct ImportRequest {
  std::string name = "import";  // as in JobSpec
  std::string label;
  uid_t owner = 0;
};

// Of one run.
struct NewRun {
  JobId job = 0;
  RunId run = 0;
};

struct ImportedRun {
  JobId job = 0;
  RunId run = 0;
  std::optional<ImportDate> date;     // absent: unknown
  std::vector<std::string> repeated;  // a clause for each file that the owner had imported before
  std::vector<NewRun> more;           // the further runs of a document that has several
};

class Importer {
 public:
  // Maximum number of concurrent imports of all users but root, and of root; each reads one file after the
  // other. Further ones wait their turn.
  static constexpr std::size_t kLimit = 2;
  static constexpr std::size_t kLimitOfUser = 1;   // of these, other than root's
  static constexpr std::size_t kMostWaiting = 16;  // root's always may
  static constexpr std::size_t kMostWaitingOfUser = 4;
  static constexpr std::chrono::minutes kLongestWait{10};
  static constexpr std::uint64_t kFileLimitBytes = std::uint64_t{4} << 30U;  // of one file
  static constexpr std::size_t kLongestName = 255;
  static constexpr std::size_t kMostFiles = 2;  // of one run

  using Done = std::function<void(Result<ImportedRun>)>;

  // The ports must outlive the importer.
  Importer(RunStore& store, FileImport& files, Clock& clock);
  Importer(const Importer&) = delete;
  Importer& operator=(const Importer&) = delete;
  ~Importer();

  // Reads the files in the background and then calls `done` once, from the loop: with the finished run, or
  // with an error, which includes the file's name if a file is the cause. One file is an iperf3 document or a
  // trace; two are one of each, of the same measurement. A document of several runs is a job for each. A
  // bundle is imported alone, and the run is the first of its job. Nothing is stored until all files were
  // read to their end. Destroying the importer leaves open what is only stored in part: the next start of
  // netperfd ends such runs. While there is no place for its user, the import waits: whoever asked first and
  // has a place goes first. After kLongestWait it ends with busy. Refused at once: busy, with the file's
  // name, if too many wait; invalid_argument for another number of files, for a name or label that no job may
  // have, and for anything but a readable regular file. Destroying the result cancels the import, even from
  // inside `done`; the importer must outlive the result.
  [[nodiscard]] Result<std::shared_ptr<void>> read(std::vector<NamedFile> files, const ImportRequest& request,
                                                   Done done);

 private:
  class Import;
  class Storing;
  struct AddedRuns {
    ImportedRun told;
    std::vector<RunRecord> records;
  };
  // Errors name the file.
  [[nodiscard]] Status check_queue(uid_t owner, const std::string& file) const;
  [[nodiscard]] bool has_room(uid_t owner);
  [[nodiscard]] Import* next_waiting();  // null if there is no place for any of them
  // Later, because it is called while an import is being destroyed.
  void start_waiting_later();
  void start_waiting();
  [[nodiscard]] Result<std::vector<std::string>> repeated(uid_t owner, const std::vector<SourceFile>& files);
  // The pending runs, with what will be told of them once their records are stored.
  [[nodiscard]] Result<AddedRuns> add_runs(const JobSpec& spec, uid_t owner,
                                           const std::vector<SourceFile>& sources,
                                           std::vector<ImportedFile> files);
  [[nodiscard]] Result<ImportedRun> store_bundle(const JobSpec& spec, uid_t owner, const std::string& name,
                                                 const Bundle& bundle);

  RunStore& store_;
  FileImport& files_;
  Clock& clock_;
  std::list<Import*> running_, waiting_;  // each removes itself; the waiting ones in the order of read()
  std::list<std::unique_ptr<Storing>> storing_;
  Timer next_turn_;
};

}  // namespace netperfd::core
