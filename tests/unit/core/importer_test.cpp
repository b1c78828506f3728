// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/importer.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/core/importer_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(ImporterTest, keeps_each_file_as_it_is) {
  ASSERT_TRUE(begin_pair());
  ImportedFile document = a_document();
  document.raw = std::string("\x1f\x8b\0raw", 6);
  files.last().end(document);
  files.last().end(a_trace());
  const auto& documents = record_of(results.at(0)).workload.documents;
  ASSERT_EQ(documents.size(), 1U) << "the trace was too long to keep";
  EXPECT_EQ(documents[0].name, "import.1");
  EXPECT_EQ(documents[0].bytes, document.raw);
}

TEST_F(ImporterTest, stores_a_finished_run_of_its_owner_that_holds_the_trace) {
  ASSERT_TRUE(begin({.name = "from-lab", .label = "before", .owner = 7}));
  EXPECT_THAT(run_store.runs, IsEmpty()) << "the file is not read yet";
  files.last().end(a_trace());
  ASSERT_EQ(results.size(), 1U);
  ASSERT_TRUE(results.front()) << results.front().error().message;
  const auto& [job, run, date, repeated, more] = *results.front();

  const auto& [spec, slots, owner, created] = run_store.jobs.at(job);
  ASSERT_EQ(slots.size(), 1U);
  EXPECT_TRUE(slots.front().traced);
  EXPECT_EQ(spec.workload.name, "import");
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

TEST_F(ImporterTest, stores_a_document_with_what_it_tells_of_the_test) {
  ASSERT_TRUE(begin());
  files.last().end(a_document());
  ASSERT_EQ(results.size(), 1U);
  const RunRecord& record = record_of(results.front());
  EXPECT_FALSE(record.trace);
  EXPECT_EQ(record.started, WallTime{std::chrono::seconds{1'795'263'401}});
  EXPECT_EQ(record.workload.report.sums.front().received_bytes, 1'000U);
  EXPECT_EQ(record.traffic.goodput_bytes, 1'000U);
  EXPECT_THAT(codes_of(record), ElementsAre("imported", "too-short"));
  const JobSpec& spec = run_store.jobs.at(1).spec;
  EXPECT_TRUE(has_traffic(spec));
  EXPECT_EQ(spec.test.traffic.protocol, Protocol::udp);
  EXPECT_EQ(spec.test.traffic.streams, 4U);
  EXPECT_EQ(spec.description, "imported from file");
}

TEST_F(ImporterTest, stores_another_tools_figures_under_its_name_and_compares_the_first) {
  ASSERT_TRUE(begin());
  ImportedFile file;
  ImportedWorkload& workload = file.workload.emplace();
  workload.tool = "netperf";
  workload.facts = {{.group = "netperf", .key = "test", .value = "TCP_RR"}};
  workload.figures = {{.name = "transactions", .unit = "transactions/s", .value = 12'685.07},
                      {.name = "local_cpu", .unit = "share", .better = Better::lower, .value = 0.5}};
  files.last().end(file);
  ASSERT_EQ(results.size(), 1U);
  const RunRecord& record = record_of(results.front());
  EXPECT_EQ(record.figures, file.workload->figures);
  ASSERT_TRUE(record.fingerprint);
  EXPECT_EQ(record.fingerprint->facts, file.workload->facts);
  EXPECT_EQ(record.fingerprint->unknown, std::vector<std::string>{std::string(kAllElse)});
  const JobSpec& spec = run_store.jobs.at(1).spec;
  EXPECT_EQ(spec.workload.name, "netperf");
  EXPECT_FALSE(has_traffic(spec));
  ASSERT_EQ(spec.figures.size(), 1U);
  EXPECT_EQ(spec.figures.front().figure.name, "transactions");
}

TEST_F(ImporterTest, stores_each_run_of_a_document_that_has_several) {
  ASSERT_TRUE(begin({.name = "loop", .label = "lab", .owner = 7}));
  ImportedFile document = a_document();
  document.raw = "first";
  for (const std::uint64_t bytes : {2'000U, 3'000U}) {
    ImportedMore more{.workload = *document.workload, .raw = std::to_string(bytes)};
    more.workload.report.sums.front().received_bytes = bytes;
    document.more.push_back(std::move(more));
  }
  files.last().end(document);
  clock.turn();
  ASSERT_EQ(results.size(), 1U);
  ASSERT_TRUE(results.front()) << results.front().error().message;
  const ImportedRun& imported = *results.front();
  ASSERT_EQ(imported.more.size(), 2U);
  std::vector<NewRun> runs{{imported.job, imported.run}, imported.more[0], imported.more[1]};
  std::vector<std::uint64_t> received;
  std::vector<std::string> raws;
  for (const NewRun& each : runs) {
    const auto& stored = run_store.runs.at(each.run);
    EXPECT_EQ(stored.job, each.job);
    EXPECT_EQ(run_store.jobs.at(each.job).spec.label, "lab");
    EXPECT_EQ(run_store.jobs.at(each.job).owner, 7U);
    EXPECT_EQ(stored.states.back(), RunState::finished);
    ASSERT_TRUE(stored.record);
    received.push_back(stored.record->workload.report.sums.front().received_bytes.value_or(0));
    raws.push_back(stored.record->workload.documents.at(0).bytes);
    EXPECT_EQ(stored.record->files.size(), 1U);
  }
  EXPECT_THAT(received, ElementsAre(1'000U, 2'000U, 3'000U));
  EXPECT_THAT(raws, ElementsAre("first", "2000", "3000"));
  EXPECT_THAT(codes_of(*run_store.runs.at(runs[0].run).record),
              ElementsAre("imported", "too-short", "several-runs"));
  EXPECT_THAT(codes_of(*run_store.runs.at(runs[2].run).record),
              ElementsAre("imported", "too-short", "further-run"));
}

TEST_F(ImporterTest, refuses_a_trace_beside_a_document_of_several_runs) {
  ASSERT_TRUE(begin_pair());
  ImportedFile document = a_document();
  document.more.push_back({.workload = *document.workload, .raw = ""});
  files.last().end(document);
  files.last().end(a_trace());
  ASSERT_EQ(results.size(), 1U);
  ASSERT_FALSE(results.front());
  EXPECT_THAT(results.front().error().message, HasSubstr("has 2 runs, and a trace is of one"));
  EXPECT_THAT(run_store.runs, IsEmpty());
}

TEST_F(ImporterTest, knows_of_the_environment_of_a_document_what_was_asked_of_iperf3) {
  ImportedFile file = a_document();
  file.workload->asked.traffic.duration = std::chrono::seconds{10};
  file.workload->asked.traffic.bitrate = 1'048'576;
  file.workload->system = "Linux lab 6.12.9-amd64 #1 SMP Debian 6.12.9-1 (2026-01-10) x86_64";
  ASSERT_TRUE(begin());
  files.last().end(std::move(file));
  const auto& fingerprint = record_of(results.front()).fingerprint;
  ASSERT_TRUE(fingerprint);
  EXPECT_EQ(fingerprint->boot_id, "");
  EXPECT_THAT(fingerprint->unknown, ElementsAre("everything but what the iperf3 document tells"));
  EXPECT_THAT(fingerprint->facts,
              ElementsAre(Fact{"iperf3", "bitrate", "(absent)"}, Fact{"iperf3", "bytes", "(absent)"},
                          Fact{"iperf3", "direction", "send"}, Fact{"iperf3", "duration", "10 s"},
                          Fact{"iperf3", "omit", "0 s"}, Fact{"iperf3", "protocol", "udp"},
                          Fact{"iperf3", "server", "10.0.0.2"}, Fact{"iperf3", "streams", "4"},
                          Fact{"iperf3", "version", "3.12"}, Fact{"kernel", "release", "6.12.9-amd64"},
                          Fact{"kernel", "version", "#1 SMP Debian 6.12.9-1 (2026-01-10)"}));
}

TEST_F(ImporterTest, knows_the_length_the_congestion_control_and_all_else_that_a_document_tells) {
  ImportedFile file = a_document();
  file.workload->asked.iperf3.length_bytes = 1'448;
  file.workload->report.congestion = "bbr";
  file.workload->facts = {{"iperf3", "window", "(absent)"}, {"iperf3", "test_start.tos", "8"}};
  ASSERT_TRUE(begin());
  files.last().end(std::move(file));
  EXPECT_THAT(
      record_of(results.front()).fingerprint->facts,
      testing::IsSupersetOf({Fact{"iperf3", "congestion", "bbr"}, Fact{"iperf3", "length", "1448"},
                             Fact{"iperf3", "test_start.tos", "8"}, Fact{"iperf3", "window", "(absent)"}}));
}

TEST_F(ImporterTest, knows_of_a_kernel_what_a_document_has_of_it) {
  for (const auto& [system, release] : {std::pair{"", ""},
                                        {"Linux", ""},
                                        {"Linux lab 6.1", "6.1"},
                                        {"Darwin mac 22.6.0 Darwin Kernel arm64", "Darwin 22.6.0"}}) {
    ImportedFile file = a_document();
    file.workload->system = system;
    const auto begun = begin();
    ASSERT_TRUE(begun) << begun.error().message;
    files.last().end(std::move(file));
    std::string found;
    for (const Fact& fact : record_of(results.back()).fingerprint->facts) {
      if (fact.group == "kernel" && fact.key == "release") found = fact.value;
    }
    EXPECT_EQ(found, release) << system;
    held.clear();
  }
}

TEST_F(ImporterTest, knows_nothing_of_the_environment_of_a_trace) {
  ASSERT_TRUE(begin());
  files.last().end(a_trace());
  EXPECT_FALSE(record_of(results.front()).fingerprint);
}

TEST_F(ImporterTest, stores_a_document_and_a_trace_as_one_run_whichever_comes_first) {
  for (const bool document_first : {true, false}) {
    results.clear();
    held.clear();
    ASSERT_TRUE(begin_pair());
    files.last().end(document_first ? a_document() : a_trace());
    EXPECT_THAT(results, IsEmpty()) << "the second file is not read yet";
    EXPECT_EQ(files.alive(), 1);
    files.last().end(document_first ? a_trace() : a_document());
    ASSERT_EQ(results.size(), 1U);
    const RunRecord& record = record_of(results.front());
    ASSERT_TRUE(record.trace);
    EXPECT_EQ(record.trace->clock, "local");
    EXPECT_EQ(record.traffic.goodput_bytes, 1'000U);
    EXPECT_THAT(codes_of(record), ElementsAre("imported", "too-short", "trace-text"));
  }
  EXPECT_EQ(run_store.jobs.size(), 2U);
}

TEST_F(ImporterTest, takes_no_two_files_of_one_kind_for_a_run) {
  ASSERT_TRUE(begin_pair());
  files.last().end(a_document());
  files.last().end(a_document());
  ASSERT_EQ(results.size(), 1U);
  ASSERT_FALSE(results.front());
  EXPECT_EQ(results.front().error().kind, ErrorKind::invalid_argument);
  EXPECT_THAT(results.front().error().message,
              HasSubstr("client.json and trace.dat are both iperf3 documents"));
  EXPECT_THAT(run_store.jobs, IsEmpty());
}

TEST_F(ImporterTest, names_the_file_of_two_that_is_none_and_stores_nothing) {
  ASSERT_TRUE(begin_pair());
  files.last().end(a_document());
  files.last().end(fail(ErrorKind::invalid_argument, "line 3 is wrong"));
  ASSERT_EQ(results.size(), 1U);
  ASSERT_FALSE(results.front());
  EXPECT_EQ(results.front().error().message, "trace.dat: line 3 is wrong");
  EXPECT_THAT(run_store.jobs, IsEmpty());
}

TEST_F(ImporterTest, takes_one_or_two_files_with_names_that_can_be_printed) {
  EXPECT_EQ(begin(std::vector<NamedFile>{}).error().kind, ErrorKind::invalid_argument);
  std::vector<NamedFile> three;
  for (int i = 0; i < 3; ++i) three.push_back({open_file(kAnyFile, O_RDONLY), "file"});
  EXPECT_THAT(begin(std::move(three)).error().message, HasSubstr("3 files cannot be one run"));
  for (const std::string& name : {std::string(), std::string("a\nb"), std::string(256, 'x')}) {
    EXPECT_THAT(begin(one(open_file(kAnyFile, O_RDONLY), name)).error().message, HasSubstr("a file's name"));
  }
  EXPECT_THAT(files.readings, IsEmpty());
}

TEST_F(ImporterTest, a_second_file_for_which_there_is_no_child_ends_the_import) {
  ASSERT_TRUE(begin_pair());
  files.refusal = Error{ErrorKind::busy, "others"};
  files.last().end(a_document());
  ASSERT_EQ(results.size(), 1U);
  ASSERT_FALSE(results.front());
  EXPECT_EQ(results.front().error().kind, ErrorKind::busy);
  EXPECT_THAT(run_store.jobs, IsEmpty());
}

TEST_F(ImporterTest, is_called_import_where_the_caller_has_no_name_for_it) {
  ASSERT_TRUE(begin());
  files.last().end(a_trace());
  EXPECT_EQ(run_store.jobs.at(1).spec.name, "import");
}

TEST_F(ImporterTest, stores_nothing_of_a_file_that_is_none) {
  ASSERT_TRUE(begin());
  files.last().end(fail(ErrorKind::invalid_argument, "it ends within its header"));
  ASSERT_EQ(results.size(), 1U);
  ASSERT_FALSE(results.front());
  EXPECT_EQ(results.front().error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(results.front().error().message, "file: it ends within its header");
  EXPECT_THAT(run_store.jobs, IsEmpty());
}

TEST_F(ImporterTest, reads_the_very_file_it_was_given) {
  Fd file{::memfd_create("import", MFD_CLOEXEC)};
  ASSERT_EQ(::ftruncate(file.get(), 6), 0);
  const int number = file.get();
  ASSERT_TRUE(begin(std::move(file)));
  EXPECT_EQ(files.last().file->get().get(), number);
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
  ASSERT_EQ(::ftruncate(file.get(), (off_t{4} << 30) + 1), 0);  // a sparse file takes no space
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

TEST_F(ImporterTest, a_canceled_import_stores_nothing_and_makes_room) {
  ASSERT_TRUE(begin());
  held.clear();
  EXPECT_EQ(files.alive(), 0);
  EXPECT_THAT(results, IsEmpty());
  EXPECT_THAT(run_store.jobs, IsEmpty());
}

TEST_F(ImporterTest, can_be_let_go_of_inside_the_answer) {
  auto begun =
      importer.read(one(open_file(kAnyFile, O_RDONLY), "file"), {}, [this](Result<ImportedRun> result) {
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
  EXPECT_EQ(begun.error().message, "file: fork: Resource temporarily unavailable");
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
