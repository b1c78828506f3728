// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/child_processes.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/bundle/bundle.hpp"
#include "daemon/bus/queries/query_answers.hpp"
#include "daemon/bus/queries/store_answers.hpp"
#include "daemon/import/file_kind.hpp"
#include "daemon/query/query_process.hpp"
#include "daemon/reading/reader.hpp"
#include "daemon/reading/sha256.hpp"
#include "daemon/store/bundle_writer.hpp"
#include "daemon/store/page_copy.hpp"
#include "daemon/store/sqlite_store.hpp"
#include "daemon/trace/recording/graph_text_record.hpp"
#include "daemon/trace/recording/trace_dat_record.hpp"
#include "daemon/workload/command/figures.hpp"
#include "daemon/workload/flent/import.hpp"
#include "daemon/workload/iperf3/import.hpp"
#include "daemon/workload/iperf3/report.hpp"
#include "daemon/workload/latency/report.hpp"
#include "daemon/workload/launcher.hpp"
#include "daemon/workload/netperf/import.hpp"
#include "daemon/workload/sockperf/import.hpp"
#include "daemon/workload/table/import.hpp"
#include "dbus/names.hpp"

namespace netperfd {
namespace {

static_assert(reading::kTextEnd == dbus::kTraceTextEnd);

Result<ImportedFile> read_bundle(std::span<const std::byte> file) {
  auto bundle = bundle::read(file);
  if (!bundle) return std::unexpected(std::move(bundle.error()));
  auto content = store::at_newest_version(bundle->content, bundle::kMostTableBytes);
  if (!content) return std::unexpected(std::move(content.error()));
  bundle->content = std::move(*content);
  ImportedFile read;
  read.bundle = std::move(*bundle);
  return read;
}

Result<ImportedFile> read_import(std::span<const std::byte> file) {
  return import::read_by_kind(
      file, {trace::file_of_trace_dat, workload::read_iperf3_file, trace::record_of_graph_text,
             workload::read_iperf3_text, workload::read_netperf_file, workload::read_sockperf_file,
             workload::read_flent_file, workload::read_table_file, read_bundle});
}

Result<std::unique_ptr<core::RunQueries>> open_for_query(const std::string& path) {
  bus::prepare_answers();
  reading::prepare_sha256();        // of a bundle
  (void)store::watch_first_page();  // if it cannot, a backup says so
  return store::SqliteStore::open_read_only(path);
}

// Nobody waits for a measurement while the file is copied, but one may begin.
Result<store::SqliteStore::Candidate> open_candidate(const std::string& path) {
  constexpr int kLow = 10;
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::setpriority(PRIO_PROCESS, 0, kLow) != 0) {
    return fail_errno("start to copy a file", errno);
  }
  (void)std::signal(SIGXFSZ, SIG_IGN);  // the copy's error says it
  bus::prepare_answers();
  return store::SqliteStore::open_candidate(Fd{STDIN_FILENO}, path);
}

[[noreturn]] void check_candidate(int argc, char** argv) {
  std::int64_t version = 0;
  const auto open = [&version](const std::string& path) -> Result<std::unique_ptr<core::RunQueries>> {
    auto candidate = open_candidate(path);
    if (!candidate) return std::unexpected(std::move(candidate.error()));
    version = candidate->version;
    return std::move(candidate->queries);
  };
  const auto answer = [&version](core::RunQueries& queries, std::string_view) {
    return bus::answer_candidate(queries, version);
  };
  query::run_query(argc, argv, {.open = open, .answer = answer});
}

Status text_of_recording(trace::TextReader reader, std::span<const std::byte> file,
                         const std::function<void(std::string_view)>& sink) {
  return trace::text_of_trace_dat(file, reader, sink);
}

}  // namespace

void run_as_child(int argc, char** argv) {
  const std::string_view flag = argc > 1 ? argv[1] : "";
  if (flag == workload::kLauncherFlag) workload::run_launcher(argc, argv);
  if (flag == reading::kReaderFlag) {
    using trace::TextReader;
    reading::run_reader(argc, argv,
                        {read_import, std::bind_front(text_of_recording, TextReader::root),
                         std::bind_front(text_of_recording, TextReader::owner), workload::parse_iperf3_report,
                         workload::parse_latency, workload::read_command_figures});
  }
  if (flag == query::kQueryFlag || flag == query::kStreamFlag) {
    query::run_query(argc, argv, {open_for_query, bus::answer_query, bus::stream_query});
  }
  if (flag == query::kCandidateFlag) check_candidate(argc, argv);
}

}  // namespace netperfd
