// SPDX-License-Identifier: GPL-2.0-or-later
// A database with imports and live runs whose documents are read again.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/file_import.hpp"
#include "daemon/core/ports/report_reading.hpp"
#include "daemon/import/rereading.hpp"
#include "daemon/workload/iperf3/report.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::import::test {

// As the daemon's program reads a file.
[[nodiscard]] Result<ImportedFile> read_file(std::span<const std::byte> file);

// Read in the test's own process: many documents, quickly.
class ReadHere final : public core::FileImport, public core::ReportReading {
 public:
  Result<std::shared_ptr<void>> read(uid_t owner, ForeignFd file, std::uint64_t size,
                                     core::FileImport::Done done) override;
  bool has_room(uid_t /*owner*/) override { return true; }
  void on_room(std::function<void()> /*room*/) override {}
  Result<Fd> text(uid_t owner, const Recording& recording, core::TextReader reader,
                  std::function<void()> ended) override;
  Result<std::shared_ptr<void>> read(const std::string& client_stdout, const std::string& client_stderr,
                                     const TestSpec& asked, core::ReportReading::Done done) override;
};

class RereadTest : public store::StoreTest {
 protected:
  enum class Readers { here, confined };
  explicit RereadTest(Readers readers = Readers::here);

  std::size_t further_runs = 0;  // of files that have several
  // Imports the bytes as netperfctl would; absent if they are refused.
  std::optional<RunId> import(const std::vector<std::string>& files);
  // Stores a run that ended with this output, as the daemon does. `more` are flags of other origin.
  RunId live(const TestSpec& asked, const std::string& out, const std::string& err,
             RunState state = RunState::finished, const std::string& error = "",
             const std::vector<QualityFlag>& more = {});

  struct Outcome {
    RereadCounts counts;
    std::vector<std::string> lines;
  };
  // On a database that nobody has open; closes the store.
  Outcome look();
  Outcome apply();

  // Everything stored but the audit trail and the sizes, a line for each row.
  [[nodiscard]] std::string everything() const;
  // Changes the database by hand; closes the store.
  void alter(const std::string& sql);

  EventLoop loop;

 private:
  Outcome reread(store::SqliteStore& opened, bool apply);

  ReadHere here_;
  std::shared_ptr<core::FileImport> confined_files_;
  std::shared_ptr<core::ReportReading> confined_reports_;
  core::FileImport& files_;
  core::ReportReading& reports_;
};

// tests/data/FILE.
[[nodiscard]] std::string data(const std::string& file);

}  // namespace netperfd::import::test
