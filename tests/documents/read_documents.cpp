// SPDX-License-Identifier: GPL-2.0-or-later
// Reads files as an import does, but in this process, and prints a line of JSON for each: what was read or
// why it was refused.
#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "daemon/import/file_kind.hpp"
#include "daemon/trace/recording/graph_text_record.hpp"
#include "daemon/trace/recording/trace_dat_record.hpp"
#include "daemon/workload/flent/import.hpp"
#include "daemon/workload/iperf3/import.hpp"
#include "daemon/workload/netperf/import.hpp"
#include "daemon/workload/sockperf/import.hpp"
#include "daemon/workload/table/import.hpp"

namespace netperfd {
namespace {

using nlohmann::json;

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

json told(const ImportedWorkload& workload) {
  json line{{"protocol", to_string(workload.asked.traffic.protocol)},
            {"direction", to_string(workload.asked.traffic.direction)},
            {"streams", workload.asked.traffic.streams},
            {"intervals", workload.report.intervals.size()},
            {"sums", json::object()},
            {"flags", json::array()}};
  for (const Totals& sum : workload.report.sums) {
    line["sums"][std::string(to_string(sum.direction))] = {
        {"sent", or_null(sum.sent_bytes)},         {"sent_rate", or_null(sum.sent_bits_per_second)},
        {"received", or_null(sum.received_bytes)}, {"received_rate", or_null(sum.received_bits_per_second)},
        {"retransmits", or_null(sum.retransmits)}, {"packets", or_null(sum.packets)},
        {"lost", or_null(sum.lost_packets)},       {"jitter_ms", or_null(sum.jitter_ms)},
        {"max_rtt", or_null(sum.max_rtt)},         {"seconds", or_null(sum.seconds)}};
  }
  for (const QualityFlag& flag : workload.flags) line["flags"].push_back(flag.code);
  return line;
}

json read(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const auto file = import::read_by_kind(
      std::as_bytes(std::span(bytes)),
      {trace::file_of_trace_dat, workload::read_iperf3_file, trace::record_of_graph_text,
       workload::read_iperf3_text, workload::read_netperf_file, workload::read_sockperf_file,
       workload::read_flent_file, workload::read_table_file});
  if (!file) return {{"error", file.error().message}};
  if (!file->workload) return {{"error", "read as a trace"}};
  json line = told(*file->workload);
  for (const ImportedMore& more : file->more) line["more"].push_back(told(more.workload));
  return line;
}

}  // namespace
}  // namespace netperfd

int main(int argc, char** argv) {
  try {
    for (const char* path : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
      fmt::print("{}\n", netperfd::read(path).dump());
      (void)std::fflush(stdout);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
