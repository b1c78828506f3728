// SPDX-License-Identifier: GPL-2.0-or-later
// An importer over fakes, and what its files hold.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "daemon/core/importer.hpp"
#include "tests/unit/core/fakes.hpp"
#include "tests/unit/core/import_fakes.hpp"

namespace netperfd::core {

inline constexpr const char* kAnyFile = "/proc/self/exe";

inline Fd open_file(const char* path, int flags) {
  Fd file{::open(path, flags | O_CLOEXEC)};
  EXPECT_TRUE(file) << path;
  return file;
}

inline ImportedFile a_trace() {
  ImportedFile file;
  TraceRecord& record = file.trace.emplace();
  record.clock = "local";
  record.profile.emplace().functions.emplace_back().name = "hsr_rx";
  file.flags.push_back({"trace-text", "from text"});
  return file;
}

inline ImportedFile a_document() {
  ImportedFile file;
  ImportedWorkload& workload = file.workload.emplace();
  workload.asked.path.server = "10.0.0.2";
  workload.asked.traffic.protocol = Protocol::udp;
  workload.asked.traffic.streams = 4;
  workload.report.version = "3.12";
  Totals sum;
  sum.received_bytes = 1'000;
  sum.received_bits_per_second = 8'000;
  workload.report.sums.push_back(sum);
  workload.flags.push_back({"too-short", "short"});
  workload.started = WallTime{std::chrono::seconds{1'795'263'401}};
  return file;
}

inline std::vector<std::string> codes_of(const RunRecord& record) {
  std::vector<std::string> codes;
  for (const QualityFlag& flag : record.flags) codes.push_back(flag.code);
  return codes;
}

class ImporterTest : public testing::Test {
 protected:
  // Keeps the handle, as a caller does.
  Status begin(std::vector<NamedFile> named, ImportRequest request = {}) {
    auto begun = importer.read(std::move(named), std::move(request),
                               [this](Result<ImportedRun> result) { results.push_back(std::move(result)); });
    if (!begun) return std::unexpected(begun.error());
    held.push_back(std::move(*begun));
    return {};
  }
  Status begin(Fd file, ImportRequest request = {}) {
    return begin(one(std::move(file), "file"), std::move(request));
  }
  static std::vector<NamedFile> one(Fd file, std::string name) {
    std::vector<NamedFile> files;
    files.push_back({std::move(file), std::move(name)});
    return files;
  }
  Status begin_pair() {
    std::vector<NamedFile> named = one(open_file(kAnyFile, O_RDONLY), "client.json");
    named.push_back({open_file(kAnyFile, O_RDONLY), "trace.dat"});
    return begin(std::move(named));
  }
  const RunRecord& record_of(const Result<ImportedRun>& result) {
    if (!result) throw std::runtime_error(result.error().message);
    return run_store.runs.at(result->run).record.value();
  }
  Status begin(ImportRequest request = {}) {
    return begin(open_file(kAnyFile, O_RDONLY), std::move(request));
  }
  std::string refusal_of(Fd file) {
    const auto begun = begin(std::move(file));
    if (begun) return "not refused";
    EXPECT_EQ(begun.error().kind, ErrorKind::invalid_argument);
    return begun.error().message;
  }

  FakeStore run_store;
  FakeFileImport files;
  FakeClock clock;
  Importer importer{run_store, files, clock};
  std::vector<Result<ImportedRun>> results;
  std::vector<std::shared_ptr<void>> held;
};

}  // namespace netperfd::core
