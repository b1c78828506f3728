#include "daemon/core/importer.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/core/fakes.hpp"
#include "tests/unit/core/import_fakes.hpp"

namespace netperfd::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kAnyFile = "/proc/self/exe";

Fd open_file(const char* path, int flags) {
  Fd file{::open(path, flags | O_CLOEXEC)};
  EXPECT_TRUE(file) << path;
  return file;
}

TraceRecord a_trace() {
  TraceRecord record;
  record.clock = "local";
  record.profile.emplace().functions.emplace_back().name = "hsr_rx";
  return record;
}

class ImporterTest : public testing::Test {
 protected:
  // Holds on to what it began, as a caller does.
  Status begin(Fd file, ImportRequest request = {}) {
    auto begun = importer.read(std::move(file), std::move(request),
                               [this](Result<ImportedRun> result) { results.push_back(std::move(result)); });
    if (!begun) return std::unexpected(begun.error());
    held.push_back(std::move(*begun));
    return {};
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
  FakeTraceImport files;
  FakeClock clock;
  Importer importer{run_store, files, clock};
  std::vector<Result<ImportedRun>> results;
  std::vector<std::shared_ptr<void>> held;
};

TEST_F(ImporterTest, stores_a_finished_run_of_its_owner_that_holds_the_trace) {
  ASSERT_TRUE(begin({.name = "from-lab", .label = "before", .owner = 7}));
  EXPECT_THAT(run_store.runs, IsEmpty()) << "the file is not read yet";
  files.last().end(a_trace());
  ASSERT_EQ(results.size(), 1U);
  ASSERT_TRUE(results.front()) << results.front().error().message;
  const auto [job, run] = *results.front();

  const auto& [spec, owner, created] = run_store.jobs.at(job);
  EXPECT_EQ(spec.workload, WorkloadKind::imported);
  EXPECT_EQ(spec.name, "from-lab");
  EXPECT_EQ(spec.label, "before");
  EXPECT_EQ(spec.repeat, 1U);
  EXPECT_EQ(owner, 7U);
  EXPECT_EQ(created, clock.now());

  const auto& stored = run_store.runs.at(run);
  EXPECT_EQ(stored.job, job);
  EXPECT_THAT(stored.states, ElementsAre(RunState::pending, RunState::preparing, RunState::running,
                                         RunState::collecting, RunState::finished));
  ASSERT_TRUE(stored.record);
  EXPECT_EQ(stored.record->error, "");
  EXPECT_FALSE(stored.record->started) << "nobody knows when it was";
  ASSERT_TRUE(stored.record->trace);
  EXPECT_EQ(stored.record->trace->clock, "local");
  EXPECT_EQ(stored.record->trace->profile->functions.front().name, "hsr_rx");
}

TEST_F(ImporterTest, is_called_import_where_the_caller_has_no_name_for_it) {
  ASSERT_TRUE(begin());
  files.last().end(a_trace());
  EXPECT_EQ(run_store.jobs.at(1).spec.name, "import");
}

TEST_F(ImporterTest, stores_nothing_of_a_file_that_is_none) {
  ASSERT_TRUE(begin());
  files.last().end(fail(ErrorKind::invalid_argument, "trace.dat: it ends within its header"));
  ASSERT_EQ(results.size(), 1U);
  ASSERT_FALSE(results.front());
  EXPECT_EQ(results.front().error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(results.front().error().message, "trace.dat: it ends within its header");
  EXPECT_THAT(run_store.jobs, IsEmpty());
}

TEST_F(ImporterTest, reads_the_very_file_it_was_given) {
  Fd file{::memfd_create("import", MFD_CLOEXEC)};
  ASSERT_EQ(::ftruncate(file.get(), 6), 0);
  const int number = file.get();
  ASSERT_TRUE(begin(std::move(file)));
  EXPECT_EQ(files.last().file.get(), number);
  EXPECT_EQ(files.last().size, 6U) << "as it was checked";
}

TEST_F(ImporterTest, takes_only_a_regular_file_open_for_reading) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  EXPECT_THAT(refusal_of(std::move(pipe->read)), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal_of(open_file("/tmp", O_RDONLY | O_DIRECTORY)), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal_of(open_file("/dev/zero", O_RDONLY)), HasSubstr("not a regular file"));
  EXPECT_THAT(refusal_of(open_file(kAnyFile, O_PATH)), HasSubstr("not open for reading"));
  const Fd memory{::memfd_create("import", MFD_CLOEXEC)};
  const std::string path = fmt::format("/proc/self/fd/{}", memory.get());
  EXPECT_THAT(refusal_of(open_file(path.c_str(), O_WRONLY)), HasSubstr("not open for reading"));
  EXPECT_THAT(files.readings, IsEmpty());
  EXPECT_TRUE(begin(open_file(path.c_str(), O_RDWR)));
}

TEST_F(ImporterTest, takes_a_file_of_four_gibibytes_and_none_that_is_larger) {
  Fd file{::memfd_create("import", MFD_CLOEXEC)};
  ASSERT_EQ(::ftruncate(file.get(), (off_t{4} << 30) + 1), 0);  // a hole takes no memory
  EXPECT_THAT(refusal_of(std::move(file)), HasSubstr("4294967297 bytes; at most 4294967296"));
  Fd largest{::memfd_create("import", MFD_CLOEXEC)};
  ASSERT_EQ(::ftruncate(largest.get(), off_t{4} << 30), 0);
  EXPECT_TRUE(begin(std::move(largest)));
}

TEST_F(ImporterTest, takes_only_names_and_labels_that_a_job_may_have) {
  const auto refusal = [&](ImportRequest request) {
    const auto begun = begin(std::move(request));
    if (begun) return std::string{"not refused"};
    EXPECT_EQ(begun.error().kind, ErrorKind::invalid_argument);
    return begun.error().message;
  };
  EXPECT_THAT(refusal({.name = "", .label = "", .owner = 0}), HasSubstr("name: "));
  EXPECT_THAT(refusal({.name = "a b", .label = "", .owner = 0}), HasSubstr("name: "));
  EXPECT_THAT(refusal({.name = "a", .label = "x\ny", .owner = 0}), HasSubstr("label: "));
  EXPECT_THAT(refusal({.name = "a", .label = std::string(65, 'x'), .owner = 0}), HasSubstr("label: "));
  EXPECT_THAT(files.readings, IsEmpty());
}

TEST_F(ImporterTest, reads_two_files_at_once_and_tells_the_third_to_come_again) {
  ASSERT_TRUE(begin());
  ASSERT_TRUE(begin());
  const auto third = begin();
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().kind, ErrorKind::busy);
  held.erase(held.begin());
  EXPECT_TRUE(begin());
}

TEST_F(ImporterTest, a_canceled_import_stores_nothing_and_makes_room) {
  ASSERT_TRUE(begin());
  held.clear();
  EXPECT_EQ(files.alive(), 0);
  EXPECT_THAT(results, IsEmpty());
  EXPECT_THAT(run_store.jobs, IsEmpty());
}

TEST_F(ImporterTest, can_be_let_go_of_inside_the_answer) {
  auto begun = importer.read(open_file(kAnyFile, O_RDONLY), {}, [this](Result<ImportedRun> result) {
    held.clear();
    results.push_back(std::move(result));
  });
  ASSERT_TRUE(begun);
  held.push_back(std::move(*begun));
  files.last().end(a_trace());
  EXPECT_EQ(files.alive(), 0);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(results.front());
}

TEST_F(ImporterTest, says_why_where_no_child_can_be_had) {
  files.refusal = Error{ErrorKind::io, "fork: Resource temporarily unavailable"};
  const auto begun = begin();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().message, "fork: Resource temporarily unavailable");
}

TEST_F(ImporterTest, says_why_where_the_disk_is_too_full_for_a_job) {
  ASSERT_TRUE(begin());
  run_store.refusal = Error{ErrorKind::no_space, "the disk is full"};
  files.last().end(a_trace());
  ASSERT_EQ(results.size(), 1U);
  ASSERT_FALSE(results.front());
  EXPECT_EQ(results.front().error().kind, ErrorKind::no_space);
}

TEST_F(ImporterTest, leaves_no_run_open_whose_trace_cannot_be_stored) {
  ASSERT_TRUE(begin());
  run_store.finish_refusal = Error{ErrorKind::io, "database or disk is full"};
  files.last().end(a_trace());
  ASSERT_EQ(results.size(), 1U);
  ASSERT_FALSE(results.front());
  EXPECT_EQ(results.front().error().message, "database or disk is full");
  ASSERT_EQ(run_store.runs.size(), 1U);
  const auto& run = run_store.runs.begin()->second;
  EXPECT_EQ(run.state, RunState::failed);
  EXPECT_THAT(run.record->error, HasSubstr("database or disk is full"));
}

}  // namespace
}  // namespace netperfd::core
