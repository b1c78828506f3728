// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/child_processes.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/base/error.hpp"
#include "daemon/bundle/bundle.hpp"
#include "daemon/bus/query_answers.hpp"
#include "daemon/import/file_kind.hpp"
#include "daemon/import/reader.hpp"
#include "daemon/query/query_process.hpp"
#include "daemon/store/bundle_writer.hpp"
#include "daemon/store/sqlite_store.hpp"
#include "daemon/trace/recording/graph_text_record.hpp"
#include "daemon/trace/recording/trace_dat_record.hpp"
#include "daemon/workload/iperf3_import.hpp"
#include "daemon/workload/iperf3_report.hpp"
#include "daemon/workload/latency_report.hpp"
#include "daemon/workload/launcher.hpp"
#include "dbus/names.hpp"

namespace netperfd {
namespace {

static_assert(import::kTextEnd == dbus::kTraceTextEnd);

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
      file, {trace::file_of_trace_dat, workload::read_iperf3_file, trace::record_of_graph_text, read_bundle});
}

Result<std::unique_ptr<core::RunQueries>> open_for_query(const std::string& path) {
  bus::prepare_answers();
  return store::SqliteStore::open_read_only(path);
}

Status text_of_recording(trace::TextReader reader, std::span<const std::byte> file,
                         const std::function<void(std::string_view)>& sink) {
  return trace::text_of_trace_dat(file, reader, sink);
}

}  // namespace

void run_as_child(int argc, char** argv) {
  const std::string_view flag = argc > 1 ? argv[1] : "";
  if (flag == workload::kLauncherFlag) workload::run_launcher(argc, argv);
  if (flag == import::kReaderFlag) {
    using trace::TextReader;
    import::run_reader(argc, argv,
                       {read_import, std::bind_front(text_of_recording, TextReader::root),
                        std::bind_front(text_of_recording, TextReader::owner), workload::parse_iperf3_report,
                        workload::parse_latency});
  }
  if (flag == query::kQueryFlag) query::run_query(argc, argv, {open_for_query, bus::answer_query});
}

}  // namespace netperfd
