// SPDX-License-Identifier: GPL-2.0-or-later
// What was just stored is read again as it is: the second path to a document equals the first.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/unit/reread/reread_fixture.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"

namespace netperfd::import::test {
namespace {

using testing::IsEmpty;

class Identity : public RereadTest {
 protected:
  // Imports each file below the directory; returns the number of those that are read.
  std::size_t import_all(const std::filesystem::path& directory) {
    std::size_t read = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
      if (!bytes.empty() && import({bytes})) ++read;
    }
    return read;
  }
};

TEST_F(Identity, of_every_recorded_document_as_an_import) {
  const std::size_t read = import_all(NETPERFD_TEST_DATA "/iperf3");
  EXPECT_GT(read, 250U);
  const Outcome outcome = look();
  EXPECT_THAT(outcome.lines, IsEmpty());
  EXPECT_EQ(outcome.counts.read, read + further_runs);
  EXPECT_EQ(outcome.counts.changed + outcome.counts.unreadable + outcome.counts.without, 0U);
}

TEST_F(Identity, of_every_recorded_output_as_a_live_run) {
  const auto recordings = workload::test::all_recordings();
  EXPECT_GT(recordings.size(), 250U);
  for (const auto& recording : recordings) {
    const std::string& error = recording.expected.error;
    (void)live(recording.expected.asked, workload::test::recorded(recording.file),
               workload::test::recorded(recording.file, "err"),
               error.empty() ? RunState::finished : RunState::failed, error);
  }
  const Outcome outcome = look();
  EXPECT_THAT(outcome.lines, IsEmpty());
  EXPECT_GT(outcome.counts.read, 250U);
  EXPECT_EQ(outcome.counts.read + outcome.counts.without, recordings.size());
}

// tests/documents makes these files and names their directory.
TEST_F(Identity, of_made_documents) {
  const char* const directory = std::getenv("NETPERFD_DOCUMENTS");  // NOLINT(concurrency-mt-unsafe)
  if (directory == nullptr) GTEST_SKIP() << "the test `documents_reread` runs this";
  const std::size_t read = import_all(directory);
  EXPECT_GT(read, 100U);
  const Outcome outcome = look();
  EXPECT_THAT(outcome.lines, IsEmpty());
  EXPECT_GT(further_runs, 10U);
  EXPECT_EQ(outcome.counts.read, read + further_runs) << "each run of a file from its own document";
}

}  // namespace
}  // namespace netperfd::import::test
