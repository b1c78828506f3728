// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/reread/reread_fixture.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <limits>

#include "daemon/analysis/compare/goodput.hpp"
#include "daemon/config/scenario.hpp"
#include "daemon/core/event_clock.hpp"
#include "daemon/core/importer.hpp"
#include "daemon/import/child_import.hpp"
#include "daemon/import/file_kind.hpp"
#include "daemon/reading/child_reports.hpp"
#include "daemon/reading/memory_file.hpp"
#include "daemon/trace/recording/graph_text_record.hpp"
#include "daemon/trace/recording/trace_dat_record.hpp"
#include "daemon/workload/flent/import.hpp"
#include "daemon/workload/iperf3/import.hpp"
#include "daemon/workload/netperf/import.hpp"
#include "daemon/workload/quality_flags.hpp"
#include "daemon/workload/sockperf/import.hpp"
#include "daemon/workload/table/import.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/reading/support.hpp"

namespace netperfd::import::test {
namespace {

using store::must;

reading::ReaderSettings patient_settings() {
  reading::ReaderSettings patient = reading::test::settings();
  patient.deadline = kTestPatience;
  return patient;
}

std::string bytes_of(const Fd& file, std::uint64_t size) {
  std::string bytes(size, '\0');
  if (::pread(file.get(), bytes.data(), size, 0) != static_cast<ssize_t>(size)) {
    throw std::runtime_error("pread");
  }
  return bytes;
}

// The job that asks for this, without what makes no difference to a document.
std::string text_of(const TestSpec& asked) {
  std::string text = fmt::format(
      "name: test\nlimits: {{timeout: 1h}}\nworkload:\n  iperf3:\n    server: {}\n    port: {}\n"
      "    protocol: {}\n    direction: {}\n    streams: {}\n    omit: {}ms\n    interval: {}ms\n",
      asked.path.server.empty() ? "10.0.0.2" : asked.path.server, asked.iperf3.port,
      to_string(asked.traffic.protocol), to_string(asked.traffic.direction), asked.traffic.streams,
      asked.traffic.omit.count(), asked.traffic.interval.count());
  if (asked.traffic.duration) text += fmt::format("    duration: {}ms\n", asked.traffic.duration->count());
  if (asked.traffic.bytes) text += fmt::format("    bytes: {}\n", *asked.traffic.bytes);
  if (asked.traffic.bitrate || asked.traffic.protocol == Protocol::udp) {
    text += fmt::format("    bitrate: {}\n", asked.traffic.bitrate.value_or(0));
  }
  return text;
}

config::ScenarioDirectories jobs() {
  return {{},
          {.repeat = std::numeric_limits<std::uint32_t>::max(), .timeout = std::chrono::milliseconds::max()}};
}

}  // namespace

Result<ImportedFile> read_file(std::span<const std::byte> file) {
  return read_by_kind(file,
                      {trace::file_of_trace_dat, workload::read_iperf3_file, trace::record_of_graph_text,
                       workload::read_iperf3_text, workload::read_netperf_file, workload::read_sockperf_file,
                       workload::read_flent_file, workload::read_table_file});
}

Result<std::shared_ptr<void>> ReadHere::read(uid_t /*owner*/, ForeignFd file, std::uint64_t size,
                                             core::FileImport::Done done) {
  const std::string bytes = bytes_of(file.get(), size);
  auto read = read_file(std::as_bytes(std::span(bytes)));
  if (read && read->more.empty()) read->raw = bytes;
  done(std::move(read));
  return std::make_shared<int>();
}

Result<Fd> ReadHere::text(uid_t /*owner*/, const Recording& /*recording*/, core::TextReader /*reader*/,
                          std::function<void()> /*ended*/) {
  return fail(ErrorKind::internal, "not for this test");
}

Result<std::shared_ptr<void>> ReadHere::read(const std::string& client_stdout,
                                             const std::string& client_stderr, const TestSpec& asked,
                                             core::ReportReading::Done done) {
  done(workload::parse_iperf3_report(client_stdout, client_stderr, asked));
  return std::make_shared<int>();
}

RereadTest::RereadTest(Readers readers)
    : loop(reading::test::make_loop()),
      confined_files_(std::make_shared<ChildImport>(loop, ImportSettings{.reader = patient_settings()})),
      confined_reports_(std::make_shared<reading::ChildReports>(loop, patient_settings())),
      files_(readers == Readers::here ? here_ : *confined_files_),
      reports_(readers == Readers::here ? here_ : *confined_reports_) {}

std::optional<RunId> RereadTest::import(const std::vector<std::string>& files) {
  if (!store) open();
  core::EventClock clock(loop);
  core::Importer importer(*store, files_, clock);
  std::vector<core::NamedFile> named;
  for (const std::string& bytes : files) named.push_back({reading::test::file_of(bytes), "file"});
  std::optional<Result<core::ImportedRun>> ended;
  std::shared_ptr<void> import;
  const auto done = [&ended](Result<core::ImportedRun> run) { ended = std::move(run); };
  auto begun = importer.read(std::move(named), {}, done);
  import = must(std::move(begun));
  // Readers of files wait for all other processes of a busy machine.
  if (!reading::test::turn_until(loop, [&] { return ended.has_value(); }, kTestPatience))
    throw std::runtime_error("no end");
  if (!*ended) return std::nullopt;
  further_runs += (*ended)->more.size();
  return (*ended)->run;
}

RunId RereadTest::live(const TestSpec& asked, const std::string& out, const std::string& err, RunState state,
                       const std::string& error, const std::vector<QualityFlag>& more) {
  if (!store) open();
  const std::string text = text_of(asked);
  const JobSpec spec = must(jobs().parse(text, "the test's job", {}));
  const RunId run = run_under_way(spec);
  RunRecord record;
  record.id = run;
  record.state = state;
  record.error = error;
  record.started = store::kMorning;
  record.ended = store::kMorning + std::chrono::seconds{2};
  ParsedReport parsed = workload::parse_iperf3_report(out, err, spec.test);
  record.workload.report = std::move(parsed.report);
  record.flags = std::move(parsed.flags);
  std::ranges::copy(more, std::back_inserter(record.flags));
  record.workload.documents = {{"client.stdout", out}};
  if (!err.empty()) record.workload.documents.push_back({"client.stderr", err});
  record.traffic.goodput_bytes = analysis::goodput_of(record.workload.report);
  must(store->finish(record));
  return run;
}

RereadTest::Outcome RereadTest::reread(store::SqliteStore& opened, bool apply) {
  auto scenarios = jobs();
  Rereading rereading({.loop = loop,
                       .runs = opened,
                       .store = opened,
                       .reports = reports_,
                       .files = files_,
                       .scenarios = scenarios,
                       .document_flags = workload::kQualityCodes});
  Outcome outcome;
  Rereading::Apply store_run;
  if (apply) {
    store_run = [&](const core::RunRow& run, const core::RunReading& now,
                    const std::vector<Change>& /*all*/) {
      core::AuditEntry entry;
      entry.action = "reread";
      entry.run = run.id;
      return opened.replace_reading(run.id, now, entry);
    };
  }
  outcome.counts =
      must(rereading.read_all([&](const std::string& line) { outcome.lines.push_back(line); }, store_run));
  return outcome;
}

RereadTest::Outcome RereadTest::look() {
  close();
  const auto opened = must(store::SqliteStore::open_to_look(path()));
  return reread(*opened, false);
}

RereadTest::Outcome RereadTest::apply() {
  open();
  auto outcome = reread(*store, true);
  close();
  return outcome;
}

std::string RereadTest::everything() const {
  std::string all;
  sqlite3* database = nullptr;
  if (sqlite3_open_v2(path().c_str(), &database, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK) {
    throw std::runtime_error("open");
  }
  const auto add = [](void* to, int columns, char** values, char** /*names*/) {
    for (int i = 0; i < columns; ++i) {
      static_cast<std::string*>(to)->append(values[i] != nullptr ? values[i] : "NULL").append("|");
    }
    static_cast<std::string*>(to)->append("\n");
    return 0;
  };
  for (const char* select :
       {"SELECT id, job, state, error, started_us, ended_us, iperf3_version, client_host, client_port, "
        "server_host, server_port, mss, congestion, cpu_client_percent, cpu_server_percent, note FROM runs",
        "SELECT id, name, label, workload, text, protocol, direction, streams, duration_ms, bytes, omit_ms, "
        "server FROM jobs",
        "SELECT * FROM sums ORDER BY run, position", "SELECT * FROM streams ORDER BY run, position",
        "SELECT * FROM intervals ORDER BY run, position", "SELECT * FROM flags ORDER BY run, position",
        "SELECT * FROM traffic ORDER BY run", "SELECT * FROM environment_overview ORDER BY 1, 2, 3, 4",
        "SELECT * FROM functions ORDER BY run, position",
        "SELECT run, name, size, hex(content) FROM documents ORDER BY id"}) {
    if (sqlite3_exec(database, select, add, &all, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(database));
    }
  }
  sqlite3_close(database);
  return all;
}

void RereadTest::alter(const std::string& sql) {
  close();
  store::forge(path(), sql);
}

std::string data(const std::string& file) {
  std::ifstream stream(std::string(NETPERFD_TEST_DATA "/") + file, std::ios::binary);
  if (!stream) throw std::runtime_error(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace netperfd::import::test
